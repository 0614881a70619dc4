#include "sim/report/table_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "model/base/text.h"
#include "model/job/kernel_name.h"
#include "sim/report/terminal_text.h"

namespace stepsim::sim {
namespace {

constexpr std::size_t kBetween = 2;     // number of blanks between columns
constexpr std::size_t kLeastName = 23;  // minimum width of a name while other columns can still be left out
constexpr std::size_t kLongName = 80;   // a wider column of names is the last one where lines have no limit
constexpr std::size_t kLeastSentence = 30;
constexpr std::size_t kMostBytes = 1000;  // maximum for a cell, because a name may be a megabyte

/// A column while its width is being chosen.
struct Fitted {
  std::size_t place = 0;  ///< index in the table
  std::size_t width = 0;  ///< its width; at first that of its widest cell
  std::size_t least = 0;
  int use = 0;  ///< a Use, or kOfNoUse; columns with higher values are left out first
};
constexpr int kOfNoUse = static_cast<int>(Use::kExtra) + 1;

using Lines = std::vector<std::vector<std::string>>;

/// Returns the titles, then the rows. Each cell is one line without control characters.
Lines printed(const Table& table, bool full) {
  Lines lines(1);
  for (const Column& column : table.columns()) lines.front().push_back(shown(column.title));
  for (std::vector<std::string>& row : full ? with_common_units(table) : with_short_names(table)) {
    for (std::string& cell : row) cell = shown(cell, kMostBytes);
    lines.push_back(std::move(row));
  }
  return lines;
}

/// Moves the widest column of names to the end if it is long.
void move_long_names_last(const Table& table, std::vector<Fitted>& columns) {
  const auto is_left = [&table](const Fitted& column) { return table.columns()[column.place].align == Align::kLeft; };
  auto longest = columns.end();
  for (auto column = columns.begin(); column != columns.end(); ++column) {
    if (is_left(*column) && column->width > kLongName && (longest == columns.end() || column->width > longest->width))
      longest = column;
  }
  if (longest != columns.end()) std::rotate(longest, std::next(longest), columns.end());
}

/// True if the column contains only times of 0.
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

/// Removes the columns that do not fit and returns them, in the table's order.
std::vector<Fitted> leave_out(std::vector<Fitted>& columns, std::size_t width) {
  std::vector<Fitted> out;
  const auto has_room = [&](const Fitted& least_useful) {
    const bool is_extra = least_useful.use == static_cast<int>(Use::kExtra);
    return total(columns, is_extra ? &Fitted::width : &Fitted::least) <= width;
  };
  while (columns.size() > 1) {
    const bool may_lose_first = columns.front().use == static_cast<int>(Use::kExtra);
    const auto rightmost =
        std::max_element(columns.rbegin(), may_lose_first ? columns.rend() : std::prev(columns.rend()),
                         [](const Fitted& a, const Fitted& b) { return a.use < b.use; });
    if (has_room(*rightmost)) break;
    out.push_back(*rightmost);
    columns.erase(std::prev(rightmost.base()));
  }
  std::sort(out.begin(), out.end(), [](const Fitted& a, const Fitted& b) { return a.place < b.place; });
  return out;
}

/// Narrows the widest columns, only as much as needed.
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

/// Returns a row as text, with several lines if a sentence is wrapped.
std::string row_text(const Table& table, const std::vector<std::string>& cells, const std::vector<Fitted>& columns) {
  std::vector<std::vector<std::string_view>> parts;  // wrapped sentences, by column
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

/// Returns "left out: lane, host (all 0); a wider terminal or -o FILE shows them", wrapped to the width.
std::string left_out_text(const Lines& lines, const std::vector<Fitted>& out, const TextStyle& style) {
  std::string names;
  for (const Fitted& column : out) {
    const std::string& title = lines.front()[column.place];
    if (title.empty()) continue;
    add_item(names, fmt::format("{}{}", title, column.use == kOfNoUse ? " (all 0)" : ""));
  }
  if (names.empty()) return {};
  const std::string sentence =
      fmt::format("left out: {}; a wider terminal or -o FILE shows {}", names, out.size() == 1 ? "it" : "them");
  std::string text;
  for (const std::string_view line : wrapped(sentence, style.width)) text += toned(line, Tone::kAside, style) + '\n';
  return text;
}

constexpr std::size_t kMostDecimals = 3;
constexpr std::size_t kUnits = 4;
constexpr std::array<std::string_view, kUnits> kUnitNames{"ns", "us", "ms", "s"};
constexpr std::array<std::uint64_t, kUnits> kUnitNs{1, 1'000, 1'000'000, 1'000'000'000};
constexpr std::array<std::uint64_t, kMostDecimals + 1> kPowers{1, 10, 100, 1'000};

/// Returns the cell's time, if it is one.
std::optional<std::int64_t> time_of(const Cell& cell) {
  const auto* const count = std::get_if<std::int64_t>(&cell.number());
  return count != nullptr && cell.unit() == Unit::kNanoseconds ? std::optional{*count} : std::nullopt;
}

std::uint64_t magnitude_of(std::int64_t time) noexcept {
  return time < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(time) : static_cast<std::uint64_t>(time);
}

/// Returns the index of the largest unit in which the time is at least 1.
std::size_t unit_of(std::uint64_t time) {
  std::size_t unit = kUnits - 1;
  while (unit > 0 && time < kUnitNs[unit]) --unit;
  return unit;
}

/// Returns the absolute values of a column of times. Returns nothing if any cell is neither a time nor absent.
std::optional<std::vector<std::uint64_t>> sizes_in(const Table& table, std::size_t column) {
  std::vector<std::uint64_t> sizes;
  for (const std::vector<Cell>& row : table.rows()) {
    const std::optional<std::int64_t> time = time_of(row[column]);
    if (!time && !row[column].is_absent()) return std::nullopt;
    if (time) sizes.push_back(magnitude_of(*time));
  }
  return sizes.empty() ? std::nullopt : std::optional{std::move(sizes)};
}

/// Returns one unit for all of `sizes`: that of the median of the non-zero ones, or a larger one if the largest would
/// have more than four digits before the point.
std::size_t common_unit(std::vector<std::uint64_t> sizes) {
  constexpr std::uint64_t kMost = 10'000;
  std::erase(sizes, 0);
  if (sizes.empty()) return 0;
  std::sort(sizes.begin(), sizes.end());
  std::size_t unit = unit_of(sizes[sizes.size() / 2]);
  while (unit + 1 < kUnits && sizes.back() / kUnitNs[unit] >= kMost) ++unit;
  return unit;
}

/// Returns the unit in which all times of a column are printed. It is the usual unit of the largest time, or a smaller
/// one if the smallest time would otherwise be printed as 0.00. In a smaller unit, the largest time still has at most
/// four digits before the point.
std::size_t column_unit(const std::vector<std::uint64_t>& sizes) {
  constexpr std::uint64_t kMost = 10'000;
  // With three decimals, a hundredth of the unit has two digits: "0.010". Shorter times need a smaller unit.
  constexpr std::uint64_t kLeast = 100;
  const std::uint64_t largest = *std::max_element(sizes.begin(), sizes.end());
  std::uint64_t smallest = largest;
  for (const std::uint64_t size : sizes) smallest = size == 0 ? smallest : std::min(smallest, size);
  std::size_t unit = unit_of(largest);
  while (unit > 0 && smallest < kUnitNs[unit] / kLeast && largest / kUnitNs[unit - 1] < kMost) --unit;
  return unit;
}

/// Returns the unit of each column of times.
std::vector<std::optional<std::size_t>> units_of(const Table& table) {
  std::vector<std::optional<std::size_t>> units;
  std::vector<std::uint64_t> all;
  for (std::size_t column = 0; column < table.columns().size(); ++column) {
    const auto sizes = sizes_in(table, column);
    units.push_back(sizes ? std::optional{column_unit(*sizes)} : std::nullopt);
    if (sizes) all.insert(all.end(), sizes->begin(), sizes->end());
  }
  if (!table.compares_times()) return units;
  for (std::optional<std::size_t>& unit : units) {
    if (unit) unit = common_unit(all);
  }
  return units;
}

using Times = std::vector<std::int64_t>;

/// The columns with the same unit, and the number of decimals they need.
class UnitGroup {
 public:
  explicit UnitGroup(std::size_t unit) : unit_(unit) {}

  void add_column(const Times& times) { add(columns_, times); }
  /// Adds the times that a row has in the group's columns.
  void add_row(const Times& times) { add(rows_, times); }
  void choose_decimals() {
    const auto enough = [this](const Times& times) { return has_digits(times) && can_be_told_apart(times); };
    const auto apart = [this](const Times& times) { return can_be_told_apart(times); };
    while (unit_ > 0 && decimals_ < kMostDecimals &&
           !(std::all_of(columns_.begin(), columns_.end(), enough) && std::all_of(rows_.begin(), rows_.end(), apart)))
      ++decimals_;
    const auto ends_with_zero = [this](std::int64_t time) { return rounded(time) % 10 == 0; };
    while (decimals_ > 0 && std::all_of(columns_.begin(), columns_.end(), [&](const Times& times) {
             return std::all_of(times.begin(), times.end(), ends_with_zero);
           }))
      --decimals_;
  }
  /// True if the time is not 0 but all its decimals are.
  [[nodiscard]] bool is_too_small(std::int64_t time) const { return time != 0 && rounded(time) == 0; }
  [[nodiscard]] std::string text(std::int64_t time) const {
    const std::uint64_t value = rounded(time);
    const std::string_view sign = time < 0 ? "-" : "";
    if (decimals_ == 0) return fmt::format("{}{} {}", sign, value, kUnitNames[unit_]);
    const std::uint64_t one = kPowers[decimals_];
    return fmt::format("{}{}.{:0{}} {}", sign, value / one, value % one, decimals_, kUnitNames[unit_]);
  }

  /// Returns the text for a time that is too small: "<0.001 ms".
  [[nodiscard]] std::string bound() const {
    return fmt::format("<{:.{}f} {}", 1.0 / static_cast<double>(kPowers[decimals_]), decimals_, kUnitNames[unit_]);
  }

 private:
  static void add(std::vector<Times>& sets, Times times) {
    std::erase(times, 0);
    if (!times.empty()) sets.push_back(std::move(times));
  }
  /// Returns the time in units of the last decimal, rounded half up.
  [[nodiscard]] std::uint64_t rounded(std::int64_t time) const {
    const std::uint64_t step = kUnitNs[unit_] / kPowers[decimals_];
    const std::uint64_t size = magnitude_of(time);
    return size / step + (size % step >= step - step / 2 ? 1 : 0);
  }
  /// True if the largest time is printed with at least four significant digits, and the smallest with at least two.
  [[nodiscard]] bool has_digits(const Times& times) const {
    const auto [least, most] = std::minmax_element(times.begin(), times.end(),
                                                   [](auto a, auto b) { return magnitude_of(a) < magnitude_of(b); });
    return rounded(*most) >= 1'000 && rounded(*least) >= 10;
  }
  [[nodiscard]] bool can_be_told_apart(const Times& times) const {
    const std::set<std::int64_t> exact(times.begin(), times.end());
    std::set<std::pair<bool, std::uint64_t>> looks;
    for (const std::int64_t time : exact) looks.emplace(time < 0, rounded(time));
    return looks.size() == exact.size();
  }

  std::size_t unit_;
  std::size_t decimals_ = 0;
  std::vector<Times> columns_;
  std::vector<Times> rows_;
};

using UnitGroups = std::array<UnitGroup, kUnits>;

UnitGroups groups_of(const Table& table, const std::vector<std::optional<std::size_t>>& units) {
  UnitGroups groups{UnitGroup{0}, UnitGroup{1}, UnitGroup{2}, UnitGroup{3}};
  for (std::size_t column = 0; column < units.size(); ++column) {
    if (!units[column]) continue;
    Times times;
    for (const std::vector<Cell>& row : table.rows()) times.push_back(time_of(row[column]).value_or(0));
    groups[*units[column]].add_column(times);
  }
  for (const std::vector<Cell>& row : table.rows()) {
    std::array<Times, kUnits> times;
    for (std::size_t column = 0; column < units.size(); ++column) {
      if (units[column]) times[*units[column]].push_back(time_of(row[column]).value_or(0));
    }
    for (std::size_t unit = 0; unit < kUnits; ++unit) groups[unit].add_row(times[unit]);
  }
  for (UnitGroup& group : groups) group.choose_decimals();
  return groups;
}

std::string text_of(const Cell& cell, const UnitGroup& group) {
  const std::optional<std::int64_t> time = time_of(cell);
  if (!time) return cell.text();
  if (*time == 0) return "0";
  const std::string_view text = cell.text();
  if (group.is_too_small(*time)) return std::string(text.substr(0, text.find_first_of("+-0123456789"))) + group.bound();
  return std::string(text.substr(0, text.find_first_of("-0123456789"))) + group.text(*time);
}

/// Returns the text of a cell; a count gets thousands separators.
std::string text_of(const Cell& cell, const Column& column) {
  const auto* const count = std::get_if<std::int64_t>(&cell.number());
  if (count == nullptr || cell.unit() != Unit::kNone || column.identifies || cell.text() != std::to_string(*count))
    return cell.text();
  return fmt::format("{}{}", *count < 0 ? "-" : "", grouped(magnitude_of(*count)));
}

}  // namespace

std::string to_text(const Table& table, const TextStyle& style) {
  const Lines lines = printed(table, style.full);
  std::vector<Fitted> columns;
  for (std::size_t place = 0; place < table.columns().size(); ++place) columns.push_back(natural(table, lines, place));
  std::vector<Fitted> out;
  if (style.width > 0 && !columns.empty()) {
    out = leave_out(columns, style.width);
    shorten(columns, style.width);
  }
  if (style.width == 0) move_long_names_last(table, columns);
  std::string text;
  for (const std::vector<std::string>& line : lines) text += row_text(table, line, columns);
  return text + left_out_text(lines, out, style);
}

std::vector<std::vector<std::string>> with_common_units(const Table& table) {
  const std::vector<std::optional<std::size_t>> units = units_of(table);
  const UnitGroups groups = groups_of(table, units);
  std::vector<std::vector<std::string>> texts;
  for (const std::vector<Cell>& row : table.rows()) {
    std::vector<std::string>& line = texts.emplace_back();
    for (std::size_t column = 0; column < row.size(); ++column) {
      line.push_back(units[column] ? text_of(row[column], groups[*units[column]])
                                   : text_of(row[column], table.columns()[column]));
    }
  }
  return texts;
}

std::vector<std::vector<std::string>> with_short_names(const Table& table) {
  std::vector<std::vector<std::string>> texts = with_common_units(table);
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    const Column& column = table.columns()[c];
    if (column.align != Align::kLeft || column.sentences) continue;
    std::vector<std::string> names(texts.size());
    for (std::size_t row = 0; row < texts.size(); ++row) names[row] = std::move(texts[row][c]);
    std::vector<std::string> short_names = short_kernel_names(names);
    for (std::size_t row = 0; row < texts.size(); ++row) texts[row][c] = std::move(short_names[row]);
  }
  return texts;
}

}  // namespace stepsim::sim
