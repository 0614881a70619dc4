#include "sim/report/table.h"

#include <fmt/format.h>

#include "model/base/error.h"

namespace stepsim::sim {
void Table::add_row(std::vector<Cell> cells) {
  STEPSIM_ASSERT(cells.size() == columns_.size(), "a row has one cell a column");
  rows_.push_back(std::move(cells));
}

std::string signed_percent(double ratio) {
  const std::string text = fmt::format("{:+.2f} %", ratio * 100);
  return text == "+0.00 %" || text == "-0.00 %" ? "0.00 %" : text;
}

std::string percent(double ratio) { return fmt::format("{:.1f} %", ratio * 100); }

Cell signed_percent_cell(double ratio) { return {signed_percent(ratio), ratio, Unit::kRatio}; }

Cell percent_cell(double ratio) { return {percent(ratio), ratio, Unit::kRatio}; }

Cell signed_time_cell(Duration difference) {
  return {fmt::format("{}{}", difference > Duration{} ? "+" : "", stepsim::to_text(difference)), difference.count(),
          Unit::kNanoseconds};
}

Cell nanoseconds_cell(Duration duration) { return {std::to_string(duration.count()), duration.count(), Unit::kNone}; }

Cell number_cell(double number) { return {fmt::format("{}", number), number, Unit::kNone}; }

}  // namespace stepsim::sim
