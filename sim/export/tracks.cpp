#include "sim/export/tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "model/job/group.h"

namespace stepsim::sim {

std::size_t Rows::place(Time begin, Time end) {
  for (; !busy_.empty() && busy_.top().first <= begin; busy_.pop()) free_.push(busy_.top().second);
  if (free_.empty()) free_.push(count_++);
  const std::size_t row = free_.top();
  free_.pop();
  busy_.emplace(end, row);
  return row;
}

TasksByLane::TasksByLane(const Dag& dag) : begin_(dag.lanes().size() + 1), tasks_(dag.task_count()) {
  for (const TaskId task : dag.tasks()) ++begin_[dag.lane_id(task).index()];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  for (std::size_t i = dag.task_count(); i-- > 0;) tasks_[--begin_[dag.lane_id(TaskId{i}).index()]] = TaskId{i};
}

namespace {

/// The data that the processes of a replay share.
struct Ranks {
  explicit Ranks(const NamedReplay& of) : replay(of) {
    const Dag& dag = of.capture.dag;
    for (std::size_t i = 0; i < dag.lanes().size(); ++i) lanes[dag.lanes()[i].rank].emplace_back(i);
    for (const KnownRank& rank : known_ranks(of.capture)) {
      if (rank.original != rank.rank) lanes.erase(rank.rank);
    }
    const std::vector<Time>& start = of.capture.recording.start;
    if (start.size() == dag.task_count() && !start.empty())
      measured_zero = *std::min_element(start.begin(), start.end());
  }

  const NamedReplay& replay;
  std::map<Rank, std::vector<LaneId>> lanes;
  std::optional<Time> measured_zero;  ///< start of the first task as measured; absent if nothing was measured
};

TrackProcess process_of(const Ranks& ranks, std::size_t index, Rank rank, bool replayed) {
  const NamedReplay& replay = ranks.replay;
  const Recording& recording = replay.capture.recording;
  const std::vector<LaneId>& lanes = ranks.lanes.at(rank);
  return {.replay = &replay,
          .replay_index = index,
          .rank = rank,
          .name = fmt::format("rank {} {}", rank, replayed ? replay.name : "measured"),
          .host = replay.capture.dag.lane(lanes.front()).host,
          .replayed = replayed,
          .start = replayed ? &replay.timeline.start : &recording.start,
          .finish = replayed ? &replay.timeline.finish : &recording.finish,
          .zero = replayed ? Time{} : *ranks.measured_zero,
          .lanes = lanes};
}

}  // namespace

Tracks::Tracks(const Answer& answer) {
  std::vector<Ranks> replays;
  std::set<Rank> all;
  for (const NamedReplay& replay : answer.replays) {
    by_lane_.emplace_back(replay.capture.dag);
    for (const auto& [rank, lanes] : replays.emplace_back(replay).lanes) all.insert(rank);
  }
  for (const Rank rank : all) {
    if (replays.size() == 1 && replays.front().measured_zero)
      processes_.push_back(process_of(replays.front(), 0, rank, false));
    for (std::size_t i = 0; i < replays.size(); ++i) {
      if (replays[i].lanes.contains(rank)) processes_.push_back(process_of(replays[i], i, rank, true));
    }
  }
}

void Tracks::for_each(const TrackProcess& process,
                      const std::function<void(const std::string& name, std::size_t track)>& open,
                      const std::function<void(TaskId task, std::size_t track)>& put) const {
  std::size_t opened = 0;
  for (const LaneId lane : process.lanes) {
    const auto unsorted = by_lane_[process.replay_index].of(lane);
    std::vector<TaskId> tasks{unsorted.begin(), unsorted.end()};
    std::stable_sort(tasks.begin(), tasks.end(),
                     [&](TaskId a, TaskId b) { return process.start_of(a) < process.start_of(b); });
    Rows rows;
    const std::size_t first = opened;
    const std::string& name = process.replay->capture.dag.lane(lane).name;
    for (const TaskId task : tasks) {
      const std::size_t row = rows.place((*process.start)[task.index()], (*process.finish)[task.index()]);
      if (first + row == opened) open(row == 0 ? name : fmt::format("{} ({})", name, row + 1), opened++);
      put(task, first + row);
    }
  }
}

}  // namespace stepsim::sim
