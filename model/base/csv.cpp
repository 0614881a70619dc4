#include "model/base/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim {
namespace {

/// Reads lines of csv one after another.
class Lines {
 public:
  Lines(std::string_view text, const std::string& name) : rest_(text), name_(name) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  }

  /// Returns the next line, or a line without cells at the end of the text.
  CsvLine next() {
    while (skip_line_break()) ++number_;
    CsvLine line{number_, {}};
    if (rest_.empty()) return line;
    line.cells.push_back(cell());
    while (rest_.starts_with(',')) {
      rest_.remove_prefix(1);
      line.cells.push_back(cell());
    }
    return line;
  }

  [[noreturn]] void fail(std::uint32_t line, const std::string& problem) const {
    throw InputError({name_, {}, line}, problem);
  }

 private:
  /// Skips an empty line, or the end of a line. Returns false if there is none.
  bool skip_line_break() {
    const std::size_t at = rest_.find_first_not_of(" \t\r");
    if (at == std::string_view::npos) rest_ = {};
    if (rest_.empty() || rest_[at] != '\n') return false;
    rest_.remove_prefix(at + 1);
    return true;
  }

  std::string cell() {
    skip_blanks();
    if (rest_.starts_with('"')) return quoted();
    std::string_view text = rest_.substr(0, rest_.find_first_of(",\n"));
    rest_.remove_prefix(text.size());
    while (text.ends_with(' ') || text.ends_with('\t') || text.ends_with('\r')) text.remove_suffix(1);
    return std::string(text);
  }

  std::string quoted() {
    const std::uint32_t begin = number_;
    std::string text;
    rest_.remove_prefix(1);
    while (true) {
      const std::size_t quote = rest_.find('"');
      if (quote == std::string_view::npos) fail(begin, "a cell begins with a quote that is not closed");
      for (const char c : rest_.substr(0, quote)) number_ += c == '\n' ? 1 : 0;
      text += rest_.substr(0, quote);
      rest_.remove_prefix(quote + 1);
      if (!rest_.starts_with('"')) break;
      text += '"';
      rest_.remove_prefix(1);
    }
    skip_blanks();
    if (!rest_.empty() && rest_.front() != ',' && rest_.front() != '\n')
      fail(number_, "text follows the quote that ends a cell; expected a comma or the end of the line");
    return text;
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size())); }

  std::string_view rest_;
  const std::string& name_;
  std::uint32_t number_ = 1;
};

}  // namespace

CsvTable parse_csv(std::string_view text, const std::string& name) {
  CsvTable table{.name = name, .columns = {}, .lines = {}};
  Lines lines(text, name);
  table.columns = lines.next();
  if (table.columns.cells.empty()) lines.fail(1, "the file is empty; expected a line with the names of columns");
  std::set<std::string_view> names;
  for (const std::string& column : table.columns.cells) {
    if (!column.empty() && !names.insert(column).second)
      lines.fail(table.columns.number, fmt::format("two columns are called '{}'", shown(column)));
  }
  for (CsvLine line = lines.next(); !line.cells.empty(); line = lines.next()) {
    if (line.cells.size() > table.columns.cells.size()) {
      lines.fail(line.number, fmt::format("found {} cells; expected at most {}, one for each column", line.cells.size(),
                                          table.columns.cells.size()));
    }
    table.lines.push_back(std::move(line));
  }
  return table;
}

std::string quoted_csv(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace stepsim
