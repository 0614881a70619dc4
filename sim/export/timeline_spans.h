#ifndef STEPSIM_SIM_EXPORT_TIMELINE_SPANS_H
#define STEPSIM_SIM_EXPORT_TIMELINE_SPANS_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/analysis/critical_path.h"
#include "sim/export/exporter.h"

namespace stepsim::sim {

/// The tasks of a replay as the boxes that a page draws: lane after lane, those of a lane by task. Each task is a
/// span, unless there are more than `most`. Then neighbours on a lane become one span if they are shorter than
/// merged_below(), the duration that leaves about `most` spans. Tasks on the critical path and communication always
/// stay, and so do the longest `most` / 2 others. 12 bytes a task.
class TimelineSpans {
 public:
  static constexpr std::size_t kMost = 3'000'000;

  TimelineSpans(const NamedReplay& replay, const CriticalPath& path, std::size_t most = kMost);

  [[nodiscard]] std::size_t size() const noexcept { return first_.size() - 1; }
  [[nodiscard]] std::span<const TaskId> tasks(std::size_t span) const noexcept {
    return {order_.data() + first_[span], first_[span + 1] - first_[span]};
  }
  [[nodiscard]] std::size_t of(TaskId task) const noexcept { return span_of_[task.index()]; }
  /// The first span of a lane; that of the lane behind the last one is size().
  [[nodiscard]] std::size_t first_of(LaneId lane) const noexcept { return lane_begin_[lane.index()]; }

  [[nodiscard]] std::size_t merged_tasks() const noexcept { return merged_tasks_; }  ///< those that are no span
  [[nodiscard]] Duration merged_below() const noexcept { return below_; }            ///< 0 if all are

 private:
  void choose_duration(const Dag& dag, const std::vector<bool>& stays, std::size_t most);

  std::vector<TaskId> order_;
  std::vector<std::uint32_t> first_;    ///< by span, into order_; one more at the end
  std::vector<std::uint32_t> span_of_;  ///< by task
  std::vector<std::size_t> lane_begin_;
  std::size_t merged_tasks_ = 0;
  Duration below_{};
};

}  // namespace stepsim::sim

#endif
