#ifndef STEPSIM_TESTS_SCENARIOS_GPU_JOB_H
#define STEPSIM_TESTS_SCENARIOS_GPU_JOB_H

#include <string>
#include <utility>

#include "model/dag_builder.h"
#include "tests/scenarios/question.h"

namespace stepsim::testing {

/// A host thread that launches work onto one stream of a GPU, call by call.
class GpuJob {
 public:
  /// A call of `host` launches device work of `device`. The stream turns around in `turn`.
  TaskId launch(std::string name, TaskKind kind, Duration host, Duration device, Duration turn = {}) {
    const TaskId call = add(thread_, TaskKind::kRuntime, "cudaLaunchKernel", host);
    const TaskId work = add(stream_, kind, std::move(name), device);
    if (last_call_.valid()) builder_.add_edge(last_call_, call, EdgeKind::kProgram);
    if (last_work_.valid()) builder_.add_edge(last_work_, work, EdgeKind::kStream, turn);
    builder_.add_edge(call, work, EdgeKind::kLaunch);
    last_call_ = call;
    last_work_ = work;
    return work;
  }
  [[nodiscard]] DagBuilder& builder() { return builder_; }

  [[nodiscard]] Question question() && {
    Capture capture;
    capture.dag = std::move(builder_).build().dag;
    return Question(std::move(capture));
  }

 private:
  TaskId add(LaneId lane, TaskKind kind, std::string name, Duration duration) {
    return builder_.add_task({.kind = kind, .name = builder_.intern(name), .lane = lane, .duration = duration});
  }

  DagBuilder builder_;
  LaneId thread_ = builder_.add_lane({.name = "thread 1"});
  LaneId stream_ = builder_.add_lane({.name = "stream 7", .kind = LaneKind::kStream, .device = 0});
  TaskId last_call_;
  TaskId last_work_;
};

}  // namespace stepsim::testing

#endif
