#include "sim/report/throughput.h"

#include <fmt/format.h>

#include <cstdint>

namespace stepsim::sim {

std::string_view unit_of(const StepWork& work) noexcept { return work.batch_size ? "samples/s" : "batches/s"; }

std::string_view condition_of(const StepWork& work) noexcept {
  return work.assumed ? ", if each rank has its own batch" : "";
}

std::string rate_text(double rate) {
  constexpr int kDigits = 4;
  if (rate < 1000) return fmt::format("{:.{}g}", rate, kDigits);
  std::string text = fmt::format("{:.0f}", rate);
  for (std::size_t place = text.size(); place > 3; place -= 3) text.insert(place - 3, 1, ',');
  return text;
}

Cell rate_cell(double rate) { return {rate_text(rate), rate, Unit::kNone}; }

Throughput throughput_of(const StepWork& work, Duration iteration) {
  return {.unit = unit_of(work),
          .in_all = rate_in_all(work, iteration),
          .per_device = rate_of_device(work, iteration),
          .workers = work.workers,
          .devices = std::uint64_t{work.workers} * work.devices};
}

}  // namespace stepsim::sim
