#include "sim/report/throughput.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "model/base/text.h"

namespace stepsim::sim {

std::string_view unit_of(const StepWork& work) noexcept { return work.batch_size ? "samples/s" : "batches/s"; }

std::string_view condition_of(const StepWork& work) noexcept {
  return work.assumed ? ", if each rank has its own batch" : "";
}

std::string rate_text(double rate) {
  constexpr int kDigits = 4;
  if (rate < 1000) return fmt::format("{:.{}g}", rate, kDigits);
  constexpr double kMostExact = 1e15;
  return rate < kMostExact ? grouped(static_cast<std::uint64_t>(std::llround(rate))) : fmt::format("{:.4g}", rate);
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
