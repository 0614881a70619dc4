#include "sim/export/page/page.h"

#include <algorithm>
#include <functional>

#include "sim/export/tracks.h"

namespace stepsim::sim {
namespace {

/// A lane is never merged across a pause of more than this part of the replay, so that no box spans what a reader
/// would see to be idle. At most as many spans a lane are due to pauses.
constexpr std::int64_t kPausesALane = 4096;

std::vector<bool> always_kept(const Dag& dag, const CriticalPath& path) {
  std::vector<bool> stays(dag.task_count());
  for (std::size_t i = 0; i < stays.size(); ++i) stays[i] = class_of(dag.kind(TaskId{i})) == TaskClass::kCommunication;
  for (const PathTask& task : path.tasks) stays[task.task.index()] = true;
  return stays;
}

}  // namespace

TimelineSpans::TimelineSpans(const NamedReplay& replay, const CriticalPath& path, std::size_t most) {
  const Dag& dag = replay.capture.dag;
  const Timeline& timeline = replay.timeline;
  std::vector<bool> stays;
  Duration pause{};
  if (dag.task_count() > most) {
    stays = always_kept(dag, path);
    choose_duration(dag, stays, most);
    pause = (*std::max_element(timeline.finish.begin(), timeline.finish.end()) - Time{}) / kPausesALane;
  }
  const auto is_short = [&](TaskId task) {
    return below_ != Duration{} && !stays[task.index()] && dag.duration(task) < below_;
  };
  const auto joins = [&](TaskId before, TaskId task) {
    return is_short(before) && is_short(task) &&
           timeline.start[task.index()] - timeline.finish[before.index()] <= pause;
  };
  const TasksByLane by_lane{dag};
  order_.reserve(dag.task_count());
  span_of_.resize(dag.task_count());
  for (std::size_t lane = 0; lane < dag.lanes().size(); ++lane) {
    lane_begin_.push_back(first_.size());
    TaskId before;
    for (const TaskId task : by_lane.of(LaneId{lane})) {
      if (before.valid() && joins(before, task)) {
        ++merged_tasks_;
      } else {
        first_.push_back(static_cast<std::uint32_t>(order_.size()));
      }
      order_.push_back(task);
      span_of_[task.index()] = static_cast<std::uint32_t>(first_.size() - 1);
      before = task;
    }
  }
  lane_begin_.push_back(first_.size());
  first_.push_back(static_cast<std::uint32_t>(order_.size()));
}

/// The duration of the task that is the (most / 2)-th longest of those that may be merged.
void TimelineSpans::choose_duration(const Dag& dag, const std::vector<bool>& stays, std::size_t most) {
  std::vector<Duration> durations;
  for (std::size_t i = 0; i < stays.size(); ++i) {
    if (!stays[i]) durations.push_back(dag.duration(TaskId{i}));
  }
  const std::size_t rank = most / 2;
  if (durations.size() <= rank) return;
  const auto nth = durations.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(durations.begin(), nth, durations.end(), std::greater<>{});
  below_ = *nth;
}

}  // namespace stepsim::sim
