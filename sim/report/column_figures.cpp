#include "sim/report/column_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

namespace stepsim::sim {
namespace {

constexpr std::size_t kMostDecimals = 3;
constexpr std::size_t kUnits = 4;
constexpr std::array<std::string_view, kUnits> kUnitNames{"ns", "us", "ms", "s"};
constexpr std::array<std::uint64_t, kUnits> kUnitNs{1, 1'000, 1'000'000, 1'000'000'000};
constexpr std::array<std::uint64_t, kMostDecimals + 1> kPowers{1, 10, 100, 1'000};

/// The time in a cell, if it is one.
std::optional<std::int64_t> time_of(const Cell& cell) {
  const auto* const count = std::get_if<std::int64_t>(&cell.number());
  return count != nullptr && cell.unit() == Unit::kNanoseconds ? std::optional{*count} : std::nullopt;
}

std::uint64_t magnitude_of(std::int64_t time) noexcept {
  return time < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(time) : static_cast<std::uint64_t>(time);
}

/// The unit in which a time is at least 1.
std::size_t unit_of(std::uint64_t time) {
  std::size_t unit = kUnits - 1;
  while (unit > 0 && time < kUnitNs[unit]) --unit;
  return unit;
}

/// The times of a column of times, each as its size. Nothing if a cell is anything but a time or absent.
std::optional<std::vector<std::uint64_t>> sizes_in(const Table& table, std::size_t column) {
  std::vector<std::uint64_t> sizes;
  for (const std::vector<Cell>& row : table.rows()) {
    const std::optional<std::int64_t> time = time_of(row[column]);
    if (!time && !row[column].is_absent()) return std::nullopt;
    if (time) sizes.push_back(magnitude_of(*time));
  }
  return sizes.empty() ? std::nullopt : std::optional{std::move(sizes)};
}

/// One unit for all of `sizes`: that of the median of those that are not 0, or a larger one where the largest would
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

/// The unit of each column of times: that of its largest.
std::vector<std::optional<std::size_t>> units_of(const Table& table) {
  std::vector<std::optional<std::size_t>> units;
  std::vector<std::uint64_t> all;
  for (std::size_t column = 0; column < table.columns().size(); ++column) {
    const auto sizes = sizes_in(table, column);
    units.push_back(sizes ? std::optional{unit_of(*std::max_element(sizes->begin(), sizes->end()))} : std::nullopt);
    if (sizes) all.insert(all.end(), sizes->begin(), sizes->end());
  }
  if (!table.compares_times()) return units;
  for (std::optional<std::size_t>& unit : units) {
    if (unit) unit = common_unit(all);
  }
  return units;
}

using Times = std::vector<std::int64_t>;

/// The columns of one unit, and how many decimals they need.
class UnitGroup {
 public:
  explicit UnitGroup(std::size_t unit) : unit_(unit) {}

  /// Whether a time of the group's columns is written in its unit.
  [[nodiscard]] bool holds(std::int64_t time) const {
    return time != 0 && (unit_ == 0 || magnitude_of(time) >= kUnitNs[unit_] / 100);
  }
  void add_column(const Times& times) { add(columns_, times); }
  /// The times of a row that stand in the group's columns.
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
  [[nodiscard]] std::string text(std::int64_t time) const {
    const std::uint64_t value = rounded(time);
    const std::string_view sign = time < 0 ? "-" : "";
    if (decimals_ == 0) return fmt::format("{}{} {}", sign, value, kUnitNames[unit_]);
    const std::uint64_t one = kPowers[decimals_];
    return fmt::format("{}{}.{:0{}} {}", sign, value / one, value % one, decimals_, kUnitNames[unit_]);
  }

 private:
  void add(std::vector<Times>& sets, Times times) {
    std::erase_if(times, [this](std::int64_t time) { return !holds(time); });
    if (!times.empty()) sets.push_back(std::move(times));
  }
  /// In units of the last decimal, rounded half up.
  [[nodiscard]] std::uint64_t rounded(std::int64_t time) const {
    const std::uint64_t step = kUnitNs[unit_] / kPowers[decimals_];
    const std::uint64_t size = magnitude_of(time);
    return size / step + (size % step >= step - step / 2 ? 1 : 0);
  }
  /// Whether the largest has four digits, and the smallest two.
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
  if (!group.holds(*time)) return cell.text();
  const std::string_view text = cell.text();
  return std::string(text.substr(0, text.find_first_of("-0123456789"))) + group.text(*time);
}

}  // namespace

std::vector<std::vector<std::string>> with_common_units(const Table& table) {
  const std::vector<std::optional<std::size_t>> units = units_of(table);
  const UnitGroups groups = groups_of(table, units);
  std::vector<std::vector<std::string>> texts;
  for (const std::vector<Cell>& row : table.rows()) {
    std::vector<std::string>& line = texts.emplace_back();
    for (std::size_t column = 0; column < row.size(); ++column) {
      line.push_back(units[column] ? text_of(row[column], groups[*units[column]]) : row[column].text());
    }
  }
  return texts;
}

}  // namespace stepsim::sim
