#ifndef STEPSIM_TESTS_SIM_STEPPED_JOB_H
#define STEPSIM_TESTS_SIM_STEPPED_JOB_H

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/job/recording.h"
#include "sim/engine/engine.h"
#include "tests/sim/dag_maker.h"

namespace stepsim::testing {

/// Makes jobs of several steps, in which each rank has a host thread and a stream. Tasks run in the order in which they
/// are added to their lane (thread or stream). The recorded times of the captures are those of a replay.
class SteppedJob {
 public:
  /// Adds the next task of `rank`'s thread in `step` (-1: between two steps).
  TaskId call(int step, std::int64_t nanoseconds, std::initializer_list<TaskId> after = {}, Rank rank = 0) {
    return add(step, LaneKind::kThread, TaskKind::kRuntime, nanoseconds, after, {rank, "thread 1"});
  }
  /// Adds the next task of a stream of `rank`, launched in `step`.
  TaskId kernel(int step, std::int64_t nanoseconds, std::initializer_list<TaskId> after, Rank rank = 0,
                const std::string& stream = "stream 7") {
    return add(step, LaneKind::kStream, TaskKind::kKernel, nanoseconds, after, {rank, stream});
  }
  void join(std::initializer_list<TaskId> members) { maker_.rendezvous(members); }
  [[nodiscard]] DagBuilder& builder() { return maker_.builder; }

  [[nodiscard]] Capture capture() {
    Capture capture;
    capture.dag = maker_.build();
    Recording& recording = capture.recording;
    const sim::Timeline timeline = sim::replay(capture.dag, sim::Machine(capture.dag));
    recording.start = timeline.start;
    recording.finish = timeline.finish;
    std::map<std::pair<Rank, int>, std::int32_t> places;
    for (const auto& [step, first] : firsts_) {
      places.emplace(step, static_cast<std::int32_t>(places.size()));
      const bool follows = firsts_.contains({step.first, step.second + 1});
      recording.steps.push_back(
          {.rank = step.first, .number = step.second, .first = maker_.new_id(first), .next_follows = follows});
      if (recording.ranks.empty() || recording.ranks.back() != step.first) recording.ranks.push_back(step.first);
    }
    recording.step.resize(steps_.size());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const auto place = places.find(steps_[i]);
      recording.step[maker_.new_id(TaskId{i}).index()] = place == places.end() ? -1 : place->second;
    }
    return capture;
  }
  /// Returns the task's id in the result of capture(). Call it after capture().
  [[nodiscard]] TaskId id(TaskId task) const { return maker_.new_id(task); }

 private:
  TaskId add(int step, LaneKind lane, TaskKind kind, std::int64_t nanoseconds, std::initializer_list<TaskId> after,
             const std::pair<Rank, std::string>& place) {
    const auto& [rank, name] = place;
    const auto [row, is_new] = rows_.try_emplace(place);
    if (is_new) row->second.lane = maker_.builder.add_lane({.name = name, .rank = rank, .kind = lane});
    const TaskId task = maker_.task(row->second.lane, nanoseconds, after,
                                    lane == LaneKind::kThread ? "cudaLaunchKernel" : "gemm", kind);
    const EdgeKind in_order = lane == LaneKind::kThread ? EdgeKind::kProgram : EdgeKind::kStream;
    if (row->second.last.valid()) maker_.builder.add_edge(row->second.last, task, in_order);
    row->second.last = task;
    steps_.emplace_back(rank, step);
    if (lane == LaneKind::kThread && step >= 0) firsts_.try_emplace({rank, step}, task);
    return task;
  }

  struct Row {
    LaneId lane;
    TaskId last;
  };
  DagMaker maker_;
  std::map<std::pair<Rank, std::string>, Row> rows_;
  std::map<std::pair<Rank, int>, TaskId> firsts_;
  std::vector<std::pair<Rank, int>> steps_;  ///< by task
};

}  // namespace stepsim::testing

#endif
