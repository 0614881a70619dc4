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

/// A length of time: as measured in the capture, and as replayed.
struct MeasuredAndReplayed {
  Duration measured{};
  Duration replayed{};
  [[nodiscard]] double error() const noexcept;  ///< (replayed - measured) / measured; 0 if measured is 0
};

// Makes to_text() for units visible here, although the to_text() below would hide it.
using stepsim::to_text;

/// The limit of a rank's iterations in the long run: its host, or the device work that the host launches. kBoth: the
/// two differ by at most 1 %, for example because each step waits for its device at the end.
enum class Pace : std::uint8_t { kHost, kDevice, kBoth };
[[nodiscard]] std::string_view to_text(Pace pace) noexcept;  ///< returns "host", "device", "both"

/// A whole step and its time: from start to start, or from completion to completion if the device limits the rank.
struct TimedStep {
  std::size_t step = 0;  ///< index into Recording::steps
  MeasuredAndReplayed time;
  Time begin;   ///< begin of the step in the replay
  TaskId last;  ///< the task whose start or end is the end of the step in the replay

  [[nodiscard]] Interval replayed() const noexcept { return {begin, begin + time.replayed}; }
};

/// A rank's whole steps and their times, and the rank's iteration as sim/analysis/summary.h defines it.
struct RankSteps {
  std::vector<TimedStep> steps;  ///< whole steps; at the device's pace, a step that follows no whole step is not listed
  std::vector<TimedStep> at_other_pace;  ///< the same steps timed at the other pace; empty if that is unknown
  std::vector<TimedStep> iterations;     ///< those whose midmean is iteration.replayed; empty without steps
  MeasuredAndReplayed iteration;
  std::optional<Pace> pace;  ///< pace of the replay; absent without two consecutive steps with device work
  /// True if the ranks' devices complete the replayed steps at one pace and their hosts begin them at different ones.
  bool leads_change = false;
  std::size_t whole = 0;                      ///< number of whole steps
  Interval window{Time::max(), Time::min()};  ///< replayed time from the first whole step's start to the last one's end
};

/// True for steps that the capture cut or that contain no task.
[[nodiscard]] inline bool is_set_aside(const RecordedStep& step) { return !step.whole || !step.first.valid(); }
/// True if the reported figures include the step.
[[nodiscard]] inline bool is_used(const RecordedStep& step) { return step.asked && !is_set_aside(step); }
/// Returns the number of marked steps that the reported figures include, for the rank that has the fewest; 0 without
/// marks. The number includes a rank's first step even if it has no time, because the device limits the pace and no
/// whole step precedes it. O(steps log ranks).
[[nodiscard]] std::size_t step_count(const Recording& recording);

/// Returns the steps of each rank. Precondition: `recording` and `timeline` belong to `dag`. O(tasks log ranks).
///
/// A host that only launches work runs ahead of its device. The distance between the starts of its steps is then the
/// host's own time, however slow the device is, until something makes the host wait: a full launch queue (1,024
/// launches with CUDA), or a loss that is read. A capture may end before that. A rank therefore has two paces:
///
/// * The host's pace is the midmean (model/base/median.h) of the distances between the starts of whole steps and of the
///   steps that follow them.
/// * The device's pace is the midmean of the distances between the completions of these steps. A step is complete when
///   the last device work launched in it or before it ends.
///
/// The slower pace gives the rank's iteration, measured and replayed separately. The device's pace counts only if two
/// conditions hold. The midmean of its backlog (the time from a step's last launch to the step's completion) is at
/// least half of the difference between the two paces, and the midmean of its idle time before a step is less than half
/// of that difference. Without these conditions, steps of different lengths could look like a slow device, because the
/// distances between n completions cover other steps than the distances between n starts.
///
/// Ranks that collectives or messages tie to each other have one pace. It is that of the devices if it is on one rank,
/// or if the devices' paces agree and the hosts' do not: a host that is ahead loses or gains some of its lead during a
/// capture.
///
/// The pace of the replay also defines a step's time, measured and replayed: from its start to the start of the next
/// step, or from the completion of the previous step to its own completion.
[[nodiscard]] std::map<Rank, RankSteps> rank_steps(const Dag& dag, const Recording& recording,
                                                   const Timeline& timeline);

[[nodiscard]] bool any_steps(const std::map<Rank, RankSteps>& ranks);

/// Returns the longest iteration of the ranks that have steps, or of all ranks if none has.
[[nodiscard]] MeasuredAndReplayed longest_iteration(const std::map<Rank, RankSteps>& ranks);

}  // namespace stepsim::sim

#endif
