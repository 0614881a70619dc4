#ifndef STEPSIM_TESTS_SCENARIOS_GPU_JOB_H
#define STEPSIM_TESTS_SCENARIOS_GPU_JOB_H

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "model/job/dag_builder.h"
#include "tests/scenarios/question.h"

namespace stepsim::testing {

/// Makes jobs in which a host thread launches work on one stream of a GPU.
class GpuJob {
 public:
  GpuJob() = default;
  /// Makes a job whose trace contains this device name.
  explicit GpuJob(std::string device) { devices_.emplace(0, std::move(device)); }

  /// Adds a call of duration `host` that launches work of duration `device`. The work starts at least `turn` after the
  /// end of the previous work.
  TaskId launch(const std::string& name, TaskKind kind, Duration host, Duration device, Duration turn = {}) {
    const TaskId call = this->call("cudaLaunchKernel", host);
    const TaskId work = add(stream_, kind, name, device);
    if (last_work_.valid()) builder_.add_edge(last_work_, work, EdgeKind::kStream, turn);
    builder_.add_edge(call, work, EdgeKind::kLaunch);
    last_work_ = work;
    return work;
  }
  /// Adds a call of the device's runtime that launches nothing.
  TaskId call(const std::string& name, Duration host) {
    const TaskId call = add(thread_, TaskKind::kRuntime, name, host);
    if (last_call_.valid()) builder_.add_edge(last_call_, call, EdgeKind::kProgram);
    last_call_ = call;
    return call;
  }
  [[nodiscard]] DagBuilder& builder() { return builder_; }
  /// Makes the thread's latest call wait for `work`.
  void waits_for(TaskId work) { builder_.add_edge(work, last_call_, EdgeKind::kSync); }

  /// Records that `call`, a call of an operator, launched the device work `work`.
  void is_of(TaskId work, const OperatorCall& call, bool in_optimizer = false) {
    operators_.uses.push_back(
        {work, static_cast<std::uint32_t>(operators_.operators.size()), operators_.occurrences++, in_optimizer});
    operators_.operators.push_back({std::string(call.name), "", work_of(call), call.inputs});
  }
  /// Records a call of an operator that launched nothing.
  void called(const OperatorCall& call) {
    operators_.operators.push_back({std::string(call.name), "", work_of(call), call.inputs});
  }

  [[nodiscard]] Capture capture() && {
    DagBuilder::Result built = std::move(builder_).build();
    Capture capture;
    capture.dag = std::move(built.dag);
    capture.operators = std::move(operators_);
    for (OperatorTable::Use& use : capture.operators.uses) use.task = built.new_id[use.task.index()];
    capture.devices = std::move(devices_);
    return capture;
  }
  [[nodiscard]] Question question() && { return Question(std::move(*this).capture()); }

 private:
  TaskId add(LaneId lane, TaskKind kind, const std::string& name, Duration duration) {
    return builder_.add_task({.kind = kind, .name = builder_.intern(name), .lane = lane, .duration = duration});
  }

  DagBuilder builder_;
  OperatorTable operators_;
  std::map<Rank, std::string> devices_;
  LaneId thread_ = builder_.add_lane({.name = "thread 1"});
  LaneId stream_ = builder_.add_lane({.name = "stream 7", .kind = LaneKind::kStream, .device = 0});
  TaskId last_call_;
  TaskId last_work_;
};

}  // namespace stepsim::testing

#endif
