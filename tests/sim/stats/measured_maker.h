#ifndef STEPSIM_TESTS_SIM_STATS_MEASURED_MAKER_H
#define STEPSIM_TESTS_SIM_STATS_MEASURED_MAKER_H

#include <string>
#include <vector>

#include "model/job/recording.h"
#include "tests/sim/dag_maker.h"

namespace stepsim::testing {

/// Makes captures of work with given recorded times, in nanoseconds.
class MeasuredMaker {
 public:
  LaneId stream(Rank rank, std::int32_t device, const std::string& name) {
    return dag.builder.add_lane({.name = name, .rank = rank, .kind = LaneKind::kStream, .device = device});
  }
  LaneId lane(Rank rank, LaneKind kind, const std::string& name) {
    return dag.builder.add_lane({.name = name, .rank = rank, .kind = kind});
  }

  /// Adds a task and returns its id in the maker. After make(), dag.new_id() maps it to the id in the capture.
  TaskId add(LaneId lane, TaskKind kind, const std::string& name, std::int64_t begin, std::int64_t end,
             std::int32_t step = -1) {
    const TaskId task = dag.task(lane, end - begin, {}, name, kind);
    begins_.emplace_back(Duration{begin});
    ends_.emplace_back(Duration{end});
    steps_.push_back(step);
    return task;
  }

  Capture make() {
    Capture capture;
    capture.dag = dag.build();
    Recording& recording = capture.recording;
    recording.start.resize(begins_.size());
    recording.finish.resize(begins_.size());
    recording.step.resize(begins_.size());
    for (std::size_t i = 0; i < begins_.size(); ++i) {
      const std::size_t task = dag.new_id(TaskId{i}).index();
      recording.start[task] = begins_[i];
      recording.finish[task] = ends_[i];
      recording.step[task] = steps_[i];
    }
    recording.ranks = {0};
    return capture;
  }

  DagMaker dag;

 private:
  std::vector<Time> begins_;
  std::vector<Time> ends_;
  std::vector<std::int32_t> steps_;
};

}  // namespace stepsim::testing

#endif
