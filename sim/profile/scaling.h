#ifndef STEPSIM_SIM_PROFILE_SCALING_H
#define STEPSIM_SIM_PROFILE_SCALING_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/output/provenance.h"
#include "sim/profile/range_summary.h"
#include "sim/report/document.h"
#include "sim/report/field.h"

/// Compares several profiled runs:
///
///   Runs
///   run      devices  iteration  against the first  average  longest
///   1.json         1     2.4 ms             1.00 x   1.9 ms   1.9 ms
///   ...
///
/// "average" sums each label's average over the streams that have it; "longest" sums each label's time on the slowest
/// of these streams. The difference between the two sums is imbalance. The rest of the iteration was not measured or is
/// waiting. The labels of parallel streams may sum to more than an iteration.
namespace stepsim::sim {

/// The time of a label in one run, over all processes, devices and streams that have it.
struct LabelCost {
  std::size_t label = 0;  ///< index into Scaling::labels
  std::size_t streams = 0;
  Duration average{};
  Duration most{};
  std::string where;  ///< the slowest place: "luna-0173, device 3"
};

/// The ideal time of runs on more devices.
enum class Ideal : std::uint8_t {
  kNone,    ///< no ideal is requested
  kWeak,    ///< each device does as much as before, so the ideal is the smallest run's time
  kStrong,  ///< the total work stays the same, so n times as many devices ideally take 1/n of the smallest run's time
};
/// Returns "weak", "strong"; empty for kNone.
[[nodiscard]] std::string_view to_text(Ideal ideal) noexcept;

struct ScalingRun {
  std::string name;
  std::size_t processes = 0;
  std::size_t devices = 0;
  std::size_t iterations = 0;         ///< number of measured iterations of all processes
  std::optional<Duration> iteration;  ///< iteration of the slowest process
  std::vector<LabelCost> costs;       ///< costs in the order of the labels
  Duration average{};                 ///< sums over `costs`; the longest Duration on overflow
  Duration most{};
  std::optional<Duration> ideal;     ///< if requested, and if the smallest run measured iterations
  std::optional<double> efficiency;  ///< ideal divided by iteration
};

/// The comparison of several runs.
struct Scaling {
  RangeMean mean = RangeMean::kMedian;
  std::vector<std::string> labels;  ///< sorted by their largest average in any run, the longest first
  std::vector<ScalingRun> runs;
  Ideal ideal = Ideal::kNone;
  std::size_t smallest =
      0;  ///< index of the run that ideals are relative to: the one with the fewest devices, the first for ties
};

/// Sums the measurements of each run by label. `wanted` lists labels or layers; all their ranges count. If it is
/// empty, only ranges that are not inside another range count, so that no time counts twice. Throws UsageError, with
/// the nearest name, if no run has a wanted label. Throws CannotAnswer if an ideal is requested and no run measured
/// whole iterations. O(n log n).
[[nodiscard]] Scaling scaling_of(const std::vector<ProfiledRun>& runs, const std::vector<std::string>& wanted,
                                 RangeMean mean, Ideal ideal = Ideal::kNone);

/// Returns the answer of `scaling`, schema stepsim.scaling/1. Prints at most `rows` labels; JSON and CSV have all.
/// Keeps references to its arguments.
[[nodiscard]] Document scaling_document(const Scaling& scaling, std::size_t rows, const Provenance& provenance);

/// Returns a chart with three rows per run, as in HugeCTR's scaling_chart: the whole iteration, the labels' averages
/// end to end, and their longest times end to end.
[[nodiscard]] BarChart chart_of(const Scaling& scaling);

/// Returns the schema of the JSON object.
[[nodiscard]] AnswerSchema scaling_schema();

}  // namespace stepsim::sim

#endif
