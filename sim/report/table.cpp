#include "sim/report/table.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "model/base/error.h"

namespace stepsim::sim {
namespace {

constexpr double kMostAsPercentage = 10;  // 1,000 %; larger ratios are easier to read as a multiple

}  // namespace

void Table::add_row(std::vector<Cell> cells) {
  STEPSIM_ASSERT(cells.size() == columns_.size(), "a row has one cell a column");
  rows_.push_back(std::move(cells));
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
