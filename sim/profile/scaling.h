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

/// Several profiled runs beside each other:
///
///   3 runs from 1 to 8 devices: an iteration takes 2.4 ms in the first and 3.01 ms in the last, 1.25 times as long.
///
///   Runs
///   run      devices  iteration  against the first  average  longest
///   1.json         1     2.4 ms             1.00 x   1.9 ms   1.9 ms
///   ...
///
/// average and longest: sums over the labels of what each takes on average over the streams that have it, and on the
/// slowest of them: what they differ by is imbalance; what the iteration exceeds the longest by is not measured, or is
/// waiting. Labels of streams that run side by side add up to more than an iteration.
namespace stepsim::sim {

/// What a label takes in one run, over all processes, devices and streams that have it.
struct LabelCost {
  std::size_t label = 0;  ///< index into Scaling::labels
  std::size_t streams = 0;
  Duration average{};
  Duration most{};
  std::string where;  ///< the slowest: "luna-0173, device 3"
};

/// What runs on more devices would take at best.
enum class Ideal : std::uint8_t {
  kNone,    ///< nobody asks
  kWeak,    ///< each device does as much as before: as long as the smallest run
  kStrong,  ///< all together do as much as before: as long as the smallest run, times its devices over theirs
};
/// "weak", "strong"; empty for kNone.
[[nodiscard]] std::string_view to_text(Ideal ideal) noexcept;

struct ScalingRun {
  std::string name;
  std::size_t processes = 0;
  std::size_t devices = 0;
  std::size_t iterations = 0;         ///< measured, of all processes
  std::optional<Duration> iteration;  ///< of the slowest process
  std::vector<LabelCost> costs;       ///< in the order of the labels
  Duration average{};                 ///< sums over costs; the longest Duration where a sum does not fit
  Duration most{};
  std::optional<Duration> ideal;     ///< where one was asked for, and the smallest run measured iterations
  std::optional<double> efficiency;  ///< the ideal over the iteration
};

/// Several runs beside each other.
struct Scaling {
  RangeMean mean = RangeMean::kMedian;
  std::vector<std::string> labels;  ///< the one that takes longest on average in any run first
  std::vector<ScalingRun> runs;
  Ideal ideal = Ideal::kNone;
  std::size_t smallest =
      0;  ///< index of the run that ideals count from: that with the fewest devices, the first of equals
};

/// Sums what runs measured by label. `wanted` are labels or layers, of which all ranges count; without any, those that
/// lie in no other range, so that none counts twice. Throws UsageError for one that no run has, with the nearest.
/// Throws CannotAnswer if an ideal is asked for, and no run measured whole iterations. O(n log n).
[[nodiscard]] Scaling scaling_of(const std::vector<ProfiledRun>& runs, const std::vector<std::string>& wanted,
                                 RangeMean mean, Ideal ideal = Ideal::kNone);

/// Prints `rows` labels at most; JSON and rows have every one. {"schema":"stepsim.scaling/1", ...} Refers to its
/// arguments.
[[nodiscard]] Document scaling_document(const Scaling& scaling, std::size_t rows, const Provenance& provenance);

/// Three rows a run: the whole iteration, the labels' averages end to end, and their longest, as HugeCTR's
/// scaling_chart has them.
[[nodiscard]] BarChart chart_of(const Scaling& scaling);

/// The schema of its JSON object.
[[nodiscard]] AnswerSchema scaling_schema();

}  // namespace stepsim::sim

#endif
