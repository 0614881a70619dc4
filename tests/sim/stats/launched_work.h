#ifndef STEPSIM_TESTS_SIM_STATS_LAUNCHED_WORK_H
#define STEPSIM_TESTS_SIM_STATS_LAUNCHED_WORK_H

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sim/stats/launches.h"
#include "tests/sim/stats/measured_maker.h"
#include "tests/sim/stats/traced_calls.h"

namespace stepsim::testing {

/// Makes device work of rank 0 and the calls that launched it. Times are in nanoseconds, and calls are added in order
/// of start.
class LaunchedWork {
 public:
  /// Adds work on `stream` from `begin` to `end`, launched by a call from `called` to `returned`.
  TaskId add(LaneId stream, const std::string& name, std::int64_t called, std::int64_t returned, std::int64_t begin,
             std::int64_t end, std::uint32_t caller = TraceDetails::kNone) {
    const TaskId task = work.add(stream, TaskKind::kKernel, name, begin, end);
    launched_.emplace_back(task, calls.add(CallKind::kRuntime, "cudaLaunchKernel", called, returned, caller));
    return task;
  }

  /// Returns a view of this object's capture and details, so it must not outlive this object.
  sim::MeasuredWork measured() {
    capture = work.make();
    for (const auto& [task, call] : launched_) calls.details.launches.push_back({work.dag.new_id(task), call});
    std::sort(calls.details.launches.begin(), calls.details.launches.end(),
              [](const auto& a, const auto& b) { return a.task < b.task; });
    return sim::measured_work(capture, calls.details);
  }

  MeasuredMaker work;
  TracedCalls calls;
  Capture capture;

 private:
  std::vector<std::pair<TaskId, std::uint32_t>> launched_;
};

}  // namespace stepsim::testing

#endif
