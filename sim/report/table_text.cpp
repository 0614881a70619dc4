#include "sim/report/table_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "model/base/text.h"
#include "sim/report/column_figures.h"
#include "sim/report/text_width.h"

namespace stepsim::sim {
namespace {

constexpr std::size_t kBetween = 2;     // blanks between columns
constexpr std::size_t kLeastName = 28;  // columns of the terminal that a name keeps as long as others can be left out
constexpr std::size_t kLeastSentence = 30;
constexpr std::size_t kMostBytes = 1000;  // of a cell: a name may be a megabyte

/// A column while the table is fitted.
struct Fitted {
  std::size_t place = 0;  ///< in the table
  std::size_t width = 0;  ///< that it gets; at first what its widest cell takes
  std::size_t least = 0;
  int use = 0;  ///< as Use, or kOfNoUse; higher: left out earlier
};
constexpr int kOfNoUse = static_cast<int>(Use::kDetail) + 1;

using Lines = std::vector<std::vector<std::string>>;

/// The titles, then the rows: each cell one line, with nothing that moves the cursor.
Lines printed(const Table& table) {
  Lines lines(1);
  for (const Column& column : table.columns()) lines.front().push_back(shown(column.title));
  for (std::vector<std::string>& row : with_common_units(table)) {
    for (std::string& cell : row) cell = shown(cell, kMostBytes);
    lines.push_back(std::move(row));
  }
  return lines;
}

/// Whether the column holds times, all of them 0.
bool says_nothing(const Table& table, std::size_t column) {
  const auto is_zero = [column](const std::vector<Cell>& row) {
    const auto* const time = std::get_if<std::int64_t>(&row[column].number());
    return time != nullptr && *time == 0 && row[column].unit() == Unit::kNanoseconds;
  };
  return std::all_of(table.rows().begin(), table.rows().end(), is_zero);
}

Fitted natural(const Table& table, const Lines& lines, std::size_t place) {
  const Column& column = table.columns()[place];
  Fitted fitted{.place = place};
  for (const auto& line : lines) fitted.width = std::max(fitted.width, display_width(line[place]));
  const std::size_t least = column.sentences ? kLeastSentence : kLeastName;
  fitted.least = column.align == Align::kLeft ? std::min(fitted.width, least) : fitted.width;
  fitted.use = static_cast<int>(column.use);
  if (says_nothing(table, place)) fitted.use = kOfNoUse;
  return fitted;
}

std::size_t total(const std::vector<Fitted>& columns, std::size_t Fitted::*width) {
  return std::accumulate(columns.begin(), columns.end(), kBetween * (columns.size() - 1),
                         [width](std::size_t sum, const Fitted& column) { return sum + column.*width; });
}

/// Takes out the columns that there is no room for and returns them, in the table's order.
std::vector<Fitted> leave_out(std::vector<Fitted>& columns, std::size_t width) {
  std::vector<Fitted> out;
  while (columns.size() > 1 && total(columns, &Fitted::least) > width) {
    const auto rightmost = std::max_element(columns.rbegin(), std::prev(columns.rend()),
                                            [](const Fitted& a, const Fitted& b) { return a.use < b.use; });
    out.push_back(*rightmost);
    columns.erase(std::prev(rightmost.base()));
  }
  std::sort(out.begin(), out.end(), [](const Fitted& a, const Fitted& b) { return a.place < b.place; });
  return out;
}

/// Makes the widest columns narrower, only as far as needed.
void shorten(std::vector<Fitted>& columns, std::size_t width) {
  if (columns.size() == 1) columns.front().least = std::min(columns.front().least, width);
  while (total(columns, &Fitted::width) > width) {
    const auto widest = std::max_element(columns.begin(), columns.end(), [](const Fitted& a, const Fitted& b) {
      return (a.width > a.least ? a.width : 0) < (b.width > b.least ? b.width : 0);
    });
    --widest->width;
  }
}

void append_cell(std::string& line, std::string_view text, std::size_t width, Align align) {
  const std::size_t padding = width - std::min(width, display_width(text));
  if (align == Align::kRight) line.append(padding, ' ');
  line += text;
  if (align == Align::kLeft) line.append(padding, ' ');
}

/// A row as lines of text: more than one where a sentence goes on.
std::string row_text(const Table& table, const std::vector<std::string>& cells, const std::vector<Fitted>& columns) {
  std::vector<std::vector<std::string_view>> parts;  // of the cells with sentences, in their columns
  std::size_t height = 1;
  for (const Fitted& column : columns) {
    const bool sentences = table.columns()[column.place].sentences;
    parts.push_back(sentences ? wrapped(cells[column.place], column.width) : std::vector<std::string_view>{});
    height = std::max(height, parts.back().size());
  }
  std::string text;
  for (std::size_t h = 0; h < height; ++h) {
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto& [place, width, least, use] = columns[c];
      if (c > 0) line.append(kBetween, ' ');
      std::string cell;
      if (!parts[c].empty()) {
        if (h < parts[c].size()) cell = parts[c][h];
      } else if (h == 0) {
        cell = cut_in_middle(cells[place], width);
      }
      append_cell(line, cell, width, table.columns()[place].align);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

/// "left out: lane, host (all 0); a wider terminal or -o FILE shows them", in lines of the width.
std::string left_out_text(const Lines& lines, const std::vector<Fitted>& out, const TextStyle& style) {
  std::string names;
  for (const Fitted& column : out) {
    const std::string& title = lines.front()[column.place];
    if (title.empty()) continue;
    names += fmt::format("{}{}{}", names.empty() ? "" : ", ", title, column.use == kOfNoUse ? " (all 0)" : "");
  }
  if (names.empty()) return {};
  const std::string sentence =
      fmt::format("left out: {}; a wider terminal or -o FILE shows {}", names, out.size() == 1 ? "it" : "them");
  std::string text;
  for (const std::string_view line : wrapped(sentence, style.width)) text += toned(line, Tone::kAside, style) + '\n';
  return text;
}

}  // namespace

std::string to_text(const Table& table, const TextStyle& style) {
  const Lines lines = printed(table);
  std::vector<Fitted> columns;
  for (std::size_t place = 0; place < table.columns().size(); ++place) columns.push_back(natural(table, lines, place));
  std::vector<Fitted> out;
  if (style.width > 0 && !columns.empty()) {
    out = leave_out(columns, style.width);
    shorten(columns, style.width);
  }
  std::string text;
  for (const std::vector<std::string>& line : lines) text += row_text(table, line, columns);
  return text + left_out_text(lines, out, style);
}

}  // namespace stepsim::sim
