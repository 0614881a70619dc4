#ifndef STEPSIM_SIM_REPORT_THROUGHPUT_H
#define STEPSIM_SIM_REPORT_THROUGHPUT_H

#include <string>
#include <string_view>

#include "sim/analysis/throughput.h"
#include "sim/report/field.h"

namespace stepsim::sim {

/// Returns "samples/s", or "batches/s" without a batch size.
[[nodiscard]] std::string_view unit_of(const StepWork& work) noexcept;
/// Returns ", if each rank has its own batch" if that is assumed; otherwise an empty text.
[[nodiscard]] std::string_view condition_of(const StepWork& work) noexcept;
/// Formats a rate below 1,000 with four significant digits, and a larger one as a whole number: "0.004512", "61.52",
/// "1,234".
[[nodiscard]] std::string rate_text(double rate);
[[nodiscard]] Cell rate_cell(double rate);

/// The throughput, as JSON shows it.
struct Throughput {
  std::string_view unit;
  double in_all = 0;
  double per_device = 0;
  std::uint32_t workers = 0;
  std::uint64_t devices = 0;
  std::optional<double> efficiency{};  ///< relative to another job, if there is one
};
[[nodiscard]] Throughput throughput_of(const StepWork& work, Duration iteration);

inline constexpr auto kThroughput = std::to_array<Field<Throughput>>({
    {"unit", at<&Throughput::unit>},
    {"in_all", at<&Throughput::in_all>},
    {"per_device", at<&Throughput::per_device>},
    {"workers", at<&Throughput::workers>},
    {"devices", at<&Throughput::devices>},
    {"efficiency", at<&Throughput::efficiency>, {}, kIfAny},
});

}  // namespace stepsim::sim

#endif
