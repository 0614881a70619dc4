#include <fmt/format.h>

#include <algorithm>

#include "model/base/text.h"
#include "sim/export/exporter.h"
#include "sim/report/column_figures.h"

// Markdown as GitHub reads it, to be pasted into a pull request.

namespace stepsim::sim {
namespace {

constexpr std::size_t kLongest = 1000;

/// What Markdown or HTML would take for markup stands for itself.
std::string plain(std::string_view content) {
  constexpr std::string_view kMarkup = R"(\`*_{}[]#|~!)";
  std::string text;
  for (const char c : shown(content, kLongest)) {
    if (c == '<') {
      text += "&lt;";
    } else if (c == '&') {
      text += "&amp;";
    } else {
      if (kMarkup.find(c) != std::string_view::npos) text += '\\';
      text += c;
    }
  }
  return text;
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += fmt::format(" {} |", plain(cell));
  return line + '\n';
}

void write_table(const Table& table, OutputFile& out) {
  std::vector<std::string> titles;
  std::string rule = "|";
  for (const Column& column : table.columns()) {
    titles.push_back(column.title);
    rule += column.align == Align::kLeft ? " --- |" : " --: |";
  }
  out.write(line_of(titles) + rule + '\n');
  for (const std::vector<std::string>& cells : with_common_units(table)) out.write(line_of(cells));
}

/// In a block that is indented, Markdown takes nothing for markup.
void write_verbatim(std::string_view text, OutputFile& out) {
  out.write("\n");
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.write(fmt::format("    {}\n", shown(text.substr(0, end), kLongest)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void write_section(const Section& section, OutputFile& out) {
  if (section.empty()) return;
  if (!section.title.empty()) out.write(fmt::format("\n**{}**\n", plain(section.title)));
  out.write("\n");
  if (!section.lead.empty()) out.write(plain(section.lead) + "\n");
  if (!section.lead.empty() && (section.table || !section.sentences.empty())) out.write("\n");
  if (section.table) write_table(*section.table, out);
  if (section.table && !section.sentences.empty()) out.write("\n");
  for (const Sentence& sentence : section.sentences) {
    out.write(fmt::format("- {}\n", plain(sentence.text)));
    if (!sentence.detail.empty()) out.write(fmt::format("  {}\n", plain(sentence.detail)));
  }
  if (!section.verbatim.empty()) write_verbatim(section.verbatim, out);
}

void write(const Document& document, OutputFile& out) {
  if (!document.warning.empty()) out.write(fmt::format("{}\n\n", plain(document.warning)));
  out.write(fmt::format("{}\n", plain(document.headline)));
  if (!document.caution.empty()) out.write(fmt::format("\n{}\n", plain(document.caution)));
  if (!document.trust.empty()) out.write(fmt::format("\n{}\n", plain(document.trust)));
  for (const Section& section : document.sections) write_section(section, out);
  out.write(fmt::format("\n<sub>{}</sub>\n", plain(document.origin)));
}

}  // namespace

extern const Exporter markdown_exporter;
const Exporter markdown_exporter{
    .name = "markdown",
    .extension = "md",
    .summary = "for a pull request",
    .accepts = Content::kDocument,
    .write = [](const Answer& answer, OutputFile& out) { write(*answer.document, out); },
};

}  // namespace stepsim::sim
