#include <fmt/format.h>

#include "model/base/number.h"
#include "model/base/text.h"
#include "sim/export/exporter.h"

// RFC 4180: a heading, one record a row, CR LF; the last column says where the table is from. A
// cell that a spreadsheet would take for a formula gets a quote in front (OWASP, "CSV injection");
// numbers stay as they are.

namespace stepsim::sim {
namespace {

constexpr std::size_t kLongestCell = 10'000;

bool is_formula(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos || parse_number<double>(text)) return false;
  return std::string_view("=+-@").find(text[first]) != std::string_view::npos;
}

std::string cell(std::string_view content) {
  std::string text = shown(content, kLongestCell);  // no new line, tab or other control is left
  if (is_formula(text)) text.insert(0, 1, '\'');
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

void write(const Document& document, OutputFile& out) {
  const Table table = document.rows();
  for (const Column& column : table.columns()) out.write(cell(column.title) + ",");
  out.write("made by\r\n");
  for (const std::vector<Cell>& row : table.rows()) {
    for (const Cell& content : row) out.write(cell(content.text()) + ",");
    out.write(cell(document.origin) + "\r\n");
  }
}

}  // namespace

extern const Exporter csv_exporter;
const Exporter csv_exporter{
    .name = "csv",
    .extension = "csv",
    .summary = "all rows, for spreadsheets and programs (RFC 4180)",
    .accepts = Content::kDocument,
    .write = [](const Answer& answer, OutputFile& out) { write(*answer.document, out); },
};

}  // namespace stepsim::sim
