#include "sim/report/throughput.h"

#include <fmt/format.h>

#include <cstdint>

namespace stepsim::sim {

std::string_view unit_of(const StepWork& work) noexcept { return work.batch_size ? "samples/s" : "batches/s"; }

std::string rate_text(double rate) {
  constexpr int kDigits = 4;
  if (rate < 1000) return fmt::format("{:.{}g}", rate, kDigits);
  std::string text = fmt::format("{:.0f}", rate);
  for (std::size_t place = text.size(); place > 3; place -= 3) text.insert(place - 3, 1, ',');
  return text;
}

Cell rate_cell(double rate) { return {rate_text(rate), rate, Unit::kNone}; }

void begin_throughput(JsonWriter& json, const StepWork& work, Duration iteration) {
  json.begin_object().key("unit").value(unit_of(work)).key("in_all").value(rate_in_all(work, iteration));
  json.key("per_device").value(rate_of_device(work, iteration));
  json.key("workers").value(work.workers).key("devices").value(std::uint64_t{work.workers} * work.devices);
}

}  // namespace stepsim::sim
