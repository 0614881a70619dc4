#include "sim/report/amounts.h"

#include <fmt/format.h>

#include <array>

namespace stepsim::sim {

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
