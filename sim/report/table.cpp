#include "sim/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "model/base/error.h"

namespace stepsim::sim {
namespace {

constexpr double kMostAsPercentage = 10;  // 1,000 %; larger ratios are easier to read as a multiple

}  // namespace

void Table::drop_unused() {
  for (std::size_t column = columns_.size(); column-- > 0;) {
    const auto is_absent = [column](const std::vector<Cell>& row) { return row[column].is_absent(); };
    if (!columns_[column].only_if_any || !std::ranges::all_of(rows_, is_absent)) continue;
    columns_.erase(columns_.begin() + static_cast<std::ptrdiff_t>(column));
    for (std::vector<Cell>& row : rows_) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
}

void Table::add_row(std::vector<Cell> cells) {
  STEPSIM_ASSERT(cells.size() == columns_.size(), "a row has one cell a column");
  rows_.push_back(std::move(cells));
}

namespace {

double value_of(const Cell& cell) {
  if (const auto* const integer = std::get_if<std::int64_t>(&cell.number())) return static_cast<double>(*integer);
  return std::get<double>(cell.number());
}

std::vector<std::size_t> columns_of_times(const Table& table) {
  std::vector<std::size_t> columns;
  for (std::size_t column = 1; column < table.columns().size(); ++column) {
    const auto has_time = [column](const std::vector<Cell>& row) {
      return row[column].is_number() && row[column].unit() == Unit::kNanoseconds;
    };
    if (std::ranges::any_of(table.rows(), has_time)) columns.push_back(column);
  }
  return columns;
}

/// Returns the numbers of a column in ascending order.
std::vector<const Cell*> sorted_numbers(const Table& table, std::size_t column) {
  std::vector<const Cell*> cells;
  for (const std::vector<Cell>& row : table.rows()) {
    if (row[column].is_number()) cells.push_back(&row[column]);
  }
  std::ranges::stable_sort(cells, {}, [](const Cell* cell) { return value_of(*cell); });
  return cells;
}

}  // namespace

std::optional<Table> digest_of(const Table& table, std::size_t most) {
  const std::size_t rows = table.rows().size();
  if (rows <= std::max(kFewRankRows, most) || table.columns().front().title != "rank") return std::nullopt;
  const std::vector<std::size_t> times = columns_of_times(table);
  if (times.empty()) return std::nullopt;
  std::vector<Column> columns = table.columns();
  columns.front().identifies = false;  // it also has the words
  Table digest(std::move(columns));
  if (table.compares_times()) digest.compare_times();
  constexpr std::array<const char*, 3> kWords{"min", "median", "max"};
  for (std::size_t which = 0; which < kWords.size(); ++which) {
    std::vector<Cell> row{kWords[which]};
    for (std::size_t column = 1; column < table.columns().size(); ++column) {
      const std::vector<const Cell*> cells = sorted_numbers(table, column);
      const bool has_sense = !cells.empty() && !table.columns()[column].identifies;
      row.push_back(has_sense ? *cells[which * (cells.size() - 1) / 2] : Cell("-"));
    }
    digest.add_row(std::move(row));
  }
  std::vector<const std::vector<Cell>*> slowest;
  for (const std::vector<Cell>& row : table.rows()) slowest.push_back(&row);
  std::ranges::stable_sort(slowest, std::ranges::greater{}, [&times](const std::vector<Cell>* row) {
    std::vector<double> lengths;
    lengths.reserve(times.size());
    for (const std::size_t column : times) {
      lengths.push_back((*row)[column].is_number() ? value_of((*row)[column])
                                                   : -std::numeric_limits<double>::infinity());
    }
    return lengths;
  });
  for (std::size_t i = 0; i < most; ++i) {
    std::vector<Cell> row = *slowest[i];
    row.front() = Cell(row.front().text());
    digest.add_row(std::move(row));
  }
  return digest;
}

std::string signed_number(double number) {
  constexpr int kMostDecimals = 4;
  for (int shown = 1; shown <= kMostDecimals; ++shown) {
    std::string text = fmt::format("{:+.{}f}", number, shown);
    if (text.find_first_of("123456789") != std::string::npos) return text;
  }
  return "0.0";
}

std::string signed_percent(double ratio) {
  if (ratio >= kMostAsPercentage && std::isfinite(ratio)) return fmt::format("{:.0f}x as much", 1 + ratio);
  return fmt::format("{} %", signed_number(100 * ratio));
}

std::string percent(double ratio) {
  if (std::isnan(ratio)) return "-";  // not known
  if (ratio >= kMostAsPercentage && std::isfinite(ratio)) return fmt::format("{:.0f}x", ratio);
  return fmt::format("{:.1f} %", ratio * 100);
}

Cell signed_percent_cell(double ratio) { return {signed_percent(ratio), ratio, Unit::kRatio}; }

Cell percent_cell(double ratio) { return {percent(ratio), ratio, Unit::kRatio}; }

std::string signed_time(Duration difference) {
  return fmt::format("{}{}", difference > Duration{} ? "+" : "", stepsim::to_text(difference));
}

Cell signed_time_cell(Duration difference) { return {signed_time(difference), difference.count(), Unit::kNanoseconds}; }

Cell nanoseconds_cell(Duration duration) { return {std::to_string(duration.count()), duration.count(), Unit::kNone}; }

Cell number_cell(double number) { return {fmt::format("{}", number), number, Unit::kNone}; }

std::string scaled(double number, std::string_view unit) {
  static constexpr std::array<std::string_view, 7> kPrefixes{"", "k", "M", "G", "T", "P", "E"};
  constexpr double kStep = 1000;
  std::size_t prefix = 0;
  while (number >= kStep && prefix + 1 < kPrefixes.size()) {
    number /= kStep;
    ++prefix;
  }
  if (number == 0) return fmt::format("0 {}", unit);
  return fmt::format("{:.2f} {}{}", number, kPrefixes[prefix], unit);
}

Cell bytes_cell(Bytes bytes) { return {scaled(static_cast<double>(bytes.count()), "B"), bytes.count(), Unit::kNone}; }
Cell rate_cell(double rate, std::string_view unit) {
  return rate > 0 ? Cell(scaled(rate, unit), rate, Unit::kNone) : Cell("-");
}
Cell decimal_cell(double number) { return {fmt::format("{:.2f}", number), number, Unit::kNone}; }

}  // namespace stepsim::sim
