#include <fmt/format.h>

#include "model/base/text.h"
#include "sim/export/document_exporter.h"

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
  for (const std::vector<std::string>& row : table.rows()) out.write(line_of(row));
}

void write(const Document& document, OutputFile& out) {
  out.write(fmt::format("{}\n", plain(document.headline)));
  for (const Document::Section& section : document.sections) {
    out.write(fmt::format("\n**{}**\n\n", plain(section.title)));
    if (section.table) write_table(*section.table, out);
    if (section.table && !section.sentences.empty()) out.write("\n");
    for (const std::string& sentence : section.sentences) out.write(fmt::format("- {}\n", plain(sentence)));
  }
  out.write(fmt::format("\n<sub>{}</sub>\n", plain(document.origin)));
}

}  // namespace

extern const DocumentExporter markdown_document_exporter;
const DocumentExporter markdown_document_exporter{
    .name = "markdown",
    .extension = "md",
    .summary = "for a pull request",
    .write = write,
};

}  // namespace stepsim::sim
