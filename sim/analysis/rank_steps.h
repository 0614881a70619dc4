#ifndef STEPSIM_SIM_ANALYSIS_RANK_STEPS_H
#define STEPSIM_SIM_ANALYSIS_RANK_STEPS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "model/job/recording.h"
#include "sim/analysis/intervals.h"
#include "sim/engine/timeline.h"

namespace stepsim::sim {

/// A length of time as it was measured and as it was replayed.
struct MeasuredAndReplayed {
  Duration measured{};
  Duration replayed{};
  [[nodiscard]] double error() const noexcept;  ///< relative to the measured one; 0 if that is 0
};

using stepsim::to_text;  // that of units is meant beside the one below

/// What a rank's iterations wait for in the long run: its host, or the work that the host has launched.
/// kBoth: they do not differ by more than a hundredth, as where each step waits for its device at the end.
enum class Pace : std::uint8_t { kHost, kDevice, kBoth };
[[nodiscard]] std::string_view to_text(Pace pace) noexcept;  ///< "host", "device", "both"

/// A whole step and how long it takes at the pace of its rank.
struct TimedStep {
  std::size_t step = 0;  ///< index into Recording::steps
  MeasuredAndReplayed time;
  Time begin;   ///< replayed
  TaskId last;  ///< the task with whose start or end the step ends in the replay
};

/// The whole steps of a rank and how long they and its iteration take (sim/analysis/summary.h).
struct RankSteps {
  std::vector<TimedStep> steps;          ///< at the device's pace without those that follow no whole step
  std::vector<TimedStep> at_other_pace;  ///< the same steps by the other one's pace; empty where that is not known
  MeasuredAndReplayed iteration;
  std::optional<Pace> pace;                   ///< of the replay; absent without two consecutive steps with device work
  std::size_t whole = 0;                      ///< how many whole steps there are
  Interval window{Time::max(), Time::min()};  ///< replayed: first whole step's start to the last one's end
};

/// Steps that the capture cut, or in which no task lies, are set aside.
[[nodiscard]] inline bool is_set_aside(const RecordedStep& step) { return !step.whole || !step.first.valid(); }
/// Whether the step is one of those that the figures are about.
[[nodiscard]] inline bool is_used(const RecordedStep& step) { return step.asked && !is_set_aside(step); }
/// How many marked steps the figures are about, of the rank that has the fewest; 0 without marks. At the device's pace
/// the first of them has no time of its own. O(steps log ranks).
[[nodiscard]] std::size_t step_count(const Recording& recording);

/// By rank. Precondition: `recording` and `timeline` are of `dag`. O(tasks log ranks).
///
/// A host that only launches runs ahead of its device. The distance between the starts of its steps is
/// then the host's own time, however slow the device is, until something holds it back: a full launch queue
/// (1,024 launches with CUDA), a loss that is read. A capture may end before that. So a rank has two paces:
///
/// * the host's, the midmean (model/base/median.h) of the distances between the starts of consecutive whole steps;
/// * the device's, the midmean of the distances between their completions. A step is complete when the last device
///   work ends that was launched in it or before it.
///
/// The slower one is the rank's iteration, measured and replayed each by itself. The device's counts only where it is
/// behind its host: its backlog, the time from a step's last launch to its completion, is at least half of the
/// difference between the two, and it does not stand idle for as long before each step. Else steps that differ are
/// taken for a slow device, because n completions lie one step further on than n starts. The pace of the replay also
/// decides what a step's time is, measured and replayed: from its start to the next one's, or from the completion
/// of the step before to its own.
[[nodiscard]] std::map<Rank, RankSteps> rank_steps(const Dag& dag, const Recording& recording,
                                                   const Timeline& timeline);

[[nodiscard]] bool any_steps(const std::map<Rank, RankSteps>& ranks);

/// The longest over the ranks that have steps, or over all ranks if none has.
[[nodiscard]] MeasuredAndReplayed longest_iteration(const std::map<Rank, RankSteps>& ranks);

}  // namespace stepsim::sim

#endif
