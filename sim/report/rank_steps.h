#ifndef STEPSIM_SIM_REPORT_RANK_STEPS_H
#define STEPSIM_SIM_REPORT_RANK_STEPS_H

#include <cstddef>
#include <map>
#include <vector>

#include "model/job/recording.h"
#include "sim/engine/timeline.h"
#include "sim/report/intervals.h"

namespace stepsim::sim {

/// A length of time as it was measured and as it was replayed.
struct MeasuredAndReplayed {
  Duration measured{};
  Duration replayed{};
  [[nodiscard]] double error() const noexcept;  ///< relative to the measured one; 0 if that is 0
};

/// The whole steps of a rank and how long they and its iteration take (sim/report/summary.h).
struct RankSteps {
  std::vector<std::size_t> steps;          ///< indices into Recording::steps
  std::vector<MeasuredAndReplayed> times;  ///< of those steps
  MeasuredAndReplayed iteration;
  Interval window{Time::max(), Time::min()};  ///< replayed: first whole step's start to the last one's end
};

/// Steps that the capture cut, or in which no task lies, are set aside.
[[nodiscard]] inline bool is_used(const RecordedStep& step) { return step.whole && step.first.valid(); }

/// By rank. Precondition: `recording` and `timeline` are of `dag`. O(tasks log ranks).
///
/// A host that only launches runs ahead of its device. The distance between the starts of its steps is
/// then the host's own time, however slow the device is, until the launch queue is full (1,024 launches
/// with CUDA); a capture ends before that. In the long run the device sets the pace. So if the device's
/// work falls further behind the host from step to step than in the recording, the iteration is longer by
/// the difference.
[[nodiscard]] std::map<Rank, RankSteps> rank_steps(const Dag& dag, const Recording& recording,
                                                   const Timeline& timeline);

[[nodiscard]] bool any_steps(const std::map<Rank, RankSteps>& ranks);

/// The longest over the ranks that have steps, or over all ranks if none has.
[[nodiscard]] MeasuredAndReplayed longest_iteration(const std::map<Rank, RankSteps>& ranks);

}  // namespace stepsim::sim

#endif
