// Writes documents as text: the JSON object of --json, CSV, Markdown.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "model/base/csv.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "sim/export/exporter.h"
#include "sim/output/json_writer.h"
#include "sim/report/table_text.h"

namespace stepsim::sim {
namespace {

void write_json_document(const Answer& answer, OutputFile& out) {
  JsonWriter json{[&out](std::string_view text) { out.write(text); }};
  answer.document->json(json);
  json.finish();
  out.write("\n");
}

// CSV follows RFC 4180: a header, one record per row, CR LF. The last column states the origin of the table. A cell
// that a spreadsheet would treat as a formula gets a leading quote (OWASP, "CSV injection"); numbers are unchanged.

constexpr std::size_t kLongestCell = 10'000;

/// True for blanks of all widths and for invisible characters: a program may skip them before it looks for a formula.
bool is_invisible(char32_t code) {
  struct Range {
    char32_t first;
    char32_t last;
  };
  constexpr std::array kInvisible{
      Range{0x20, 0x20},     Range{0xA0, 0xA0},     Range{0xAD, 0xAD},      Range{0x034F, 0x034F},
      Range{0x115F, 0x1160}, Range{0x1680, 0x1680}, Range{0x17B4, 0x17B5},  Range{0x180B, 0x180F},
      Range{0x2000, 0x200F}, Range{0x202F, 0x202F}, Range{0x205F, 0x206F},  Range{0x2800, 0x2800},
      Range{0x3000, 0x3000}, Range{0x3164, 0x3164}, Range{0xFE00, 0xFE0F},  Range{0xFEFF, 0xFEFF},
      Range{0xFFA0, 0xFFA0}, Range{0xFFF0, 0xFFF8}, Range{0xE0000, 0xE0FFF}};
  return std::any_of(kInvisible.begin(), kInvisible.end(),
                     [code](const Range& range) { return code >= range.first && code <= range.last; });
}

/// True for = + - @ and their small and full-width forms.
bool begins_formula(char32_t code) {
  return std::u32string_view(U"=+-@\uFE62\uFE63\uFE66\uFE6B\uFF0B\uFF0D\uFF1D\uFF20").find(code) !=
         std::u32string_view::npos;
}

/// True if a spreadsheet would read the text as a formula. Precondition: `text` is valid UTF-8, as shown() returns it.
bool is_formula(std::string_view text) {
  if (parse_number<double>(text)) return false;
  while (!text.empty()) {
    const Character character = decode_utf8(text);
    if (!is_invisible(character.code)) return begins_formula(character.code);
    text.remove_prefix(character.length);
  }
  return false;
}

std::string csv_cell(std::string_view content) {
  std::string text = shown(content, kLongestCell);  // contains no newline, tab or other control character
  if (is_formula(text)) text.insert(0, 1, '\'');
  return quoted_csv(text);
}

void write_csv(const Answer& answer, OutputFile& out) {
  const Document& document = *answer.document;
  const Table table = document.rows();
  for (const Column& column : table.columns()) out.write(csv_cell(column.title) + ",");
  out.write("made by\r\n");
  for (const std::vector<Cell>& row : table.rows()) {
    for (const Cell& content : row) out.write(csv_cell(content.text()) + ",");
    out.write(csv_cell(document.origin) + "\r\n");
  }
}

constexpr std::size_t kLongestLine = 1000;

// Markdown for GitHub. It can be pasted into a pull request.

/// Escapes everything that Markdown or HTML would treat as markup.
std::string plain_markdown(std::string_view content) {
  constexpr std::string_view kMarkup = R"(\`*_{}[]#|~!)";
  std::string text;
  for (const char c : shown(content, kLongestLine)) {
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
  for (const std::string& cell : cells) line += fmt::format(" {} |", plain_markdown(cell));
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

/// Writes an indented block, in which Markdown has no markup.
void write_verbatim(std::string_view text, OutputFile& out) {
  out.write("\n");
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.write(fmt::format("    {}\n", shown(text.substr(0, end), kLongestLine)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void write_section(const Section& section, OutputFile& out) {
  if (section.empty()) return;
  if (!section.title.empty()) out.write(fmt::format("\n**{}**\n", plain_markdown(section.title)));
  out.write("\n");
  if (!section.lead.empty()) out.write(plain_markdown(section.lead) + "\n");
  if (!section.lead.empty() && (section.table || !section.sentences.empty())) out.write("\n");
  if (section.table) write_table(*section.table, out);
  if (section.table && !section.sentences.empty()) out.write("\n");
  for (const Sentence& sentence : section.sentences) {
    out.write(fmt::format("- {}\n", plain_markdown(sentence.text)));
    if (!sentence.detail.empty()) out.write(fmt::format("  {}\n", plain_markdown(sentence.detail)));
  }
  if (!section.verbatim.empty()) write_verbatim(section.verbatim, out);
}

void write_markdown(const Answer& answer, OutputFile& out) {
  const Document& document = *answer.document;
  if (!document.warning.empty()) out.write(fmt::format("{}\n\n", plain_markdown(document.warning)));
  out.write(fmt::format("{}\n", plain_markdown(document.headline)));
  if (!document.caution.empty()) out.write(fmt::format("\n{}\n", plain_markdown(document.caution)));
  if (!document.trust.empty()) out.write(fmt::format("\n{}\n", plain_markdown(document.trust)));
  for (const Section& section : document.sections) {
    if (section.brief || !answer.brief) write_section(section, out);
  }
  out.write(fmt::format("\n<sub>{}</sub>\n", plain_markdown(document.origin)));
}

}  // namespace

extern const Exporter json_exporter{
    .name = "json",
    .extension = "json",
    .summary = "JSON object, as --json prints it",
    .accepts = Content::kDocument,
    .write = write_json_document,
};

extern const Exporter csv_exporter{
    .name = "csv",
    .extension = "csv",
    .summary = "CSV (RFC 4180): all rows, for spreadsheets and programs",
    .accepts = Content::kDocument,
    .write = write_csv,
};

extern const Exporter markdown_exporter{
    .name = "markdown",
    .extension = "md",
    .summary = "Markdown, for example for a pull request",
    .accepts = Content::kDocument,
    .write = write_markdown,
};

}  // namespace stepsim::sim
