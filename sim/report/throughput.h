#ifndef STEPSIM_SIM_REPORT_THROUGHPUT_H
#define STEPSIM_SIM_REPORT_THROUGHPUT_H

#include <string>
#include <string_view>

#include "sim/analysis/throughput.h"
#include "sim/output/json_writer.h"
#include "sim/report/table.h"

namespace stepsim::sim {

/// "samples/s", or "batches/s" without a batch size.
[[nodiscard]] std::string_view unit_of(const StepWork& work) noexcept;
/// Four digits, in groups of three: "1,234", "61.52", "0.004512".
[[nodiscard]] std::string rate_text(double rate);
[[nodiscard]] Cell rate_cell(double rate);

/// {"unit":"samples/s","in_all":..,"per_device":..,"workers":..,"devices":..}, open for more members.
void begin_throughput(JsonWriter& json, const StepWork& work, Duration iteration);

}  // namespace stepsim::sim

#endif
