#include "sim/compare/side.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "sim/engine/engine.h"
#include "sim/engine/machine.h"
#include "tests/sim/stepped_job.h"

namespace stepsim::sim {
namespace {

using testing::SteppedJob;

Side side_of_capture(const Capture& capture) {
  const Timeline timeline = replay(capture.dag, Machine::as_recorded(capture));
  return side_of(capture, timeline, summarize(capture, timeline), {});
}

/// Returns a job of three steps, which consist of a call of 10 ns and a kernel of `kernel` ns. The next step's call
/// waits for the kernel.
SteppedJob job(std::int64_t kernel, Rank ranks = 1) {
  SteppedJob made;
  for (Rank rank = 0; rank < ranks; ++rank) {
    TaskId last{};
    for (int step = 0; step < 3; ++step) {
      const TaskId call = last.valid() ? made.call(step, 10, {last}, rank) : made.call(step, 10, {}, rank);
      last = made.kernel(step, kernel, {call}, rank);
    }
  }
  return made;
}

const WorkGroup& work_called(const Side& side, const std::string& name) {
  for (const WorkGroup& group : side.work) {
    if (group.name == name) return group;
  }
  ADD_FAILURE() << "nothing is called " << name;
  return side.work.front();
}

TEST(SideTest, TimesAndCountsAreOfOneIteration) {
  const Side side = side_of_capture(job(90).capture());
  EXPECT_EQ(side.iteration, Duration{100});
  EXPECT_EQ(side.steps.size(), 3U);
  EXPECT_EQ(work_called(side, "gemm").time, Duration{90});
  EXPECT_EQ(work_called(side, "gemm").count, 1);
  EXPECT_EQ(work_called(side, "gemm").kernel_class, "gemm");
  EXPECT_EQ(work_called(side, "cudaLaunchKernel").time, Duration{10});
  EXPECT_EQ(side.outside_steps, 0U);
}

TEST(SideTest, RanksAreMeans) {
  const Side side = side_of_capture(job(90, 2).capture());
  EXPECT_EQ(side.ranks, 2U);
  EXPECT_EQ(work_called(side, "gemm").time, Duration{90});
}

TEST(SideTest, PartsAreDisjointAndSumToTheIteration) {
  const Side side = side_of_capture(job(90).capture());
  Duration sum{};
  std::map<std::string, Duration> times;
  for (const Part& part : side.parts) {
    sum += part.time;
    times[part.name] = part.time;
  }
  EXPECT_EQ(times["compute"], Duration{90});
  EXPECT_EQ(times["host alone"], Duration{10});
  EXPECT_EQ(sum, side.iteration);
}

TEST(SideTest, GaugesAreOfEachStep) {
  // In each step of two ranks, a call of 10 ns launches a kernel of 60 ns, and then a collective of 20 ns follows. The
  // next step's call waits for the collective.
  SteppedJob made;
  std::map<Rank, TaskId> last;
  for (int step = 0; step < 3; ++step) {
    std::vector<TaskId> members;
    for (const Rank rank : {0, 1}) {
      const TaskId call = step == 0 ? made.call(step, 10, {}, rank) : made.call(step, 10, {last[rank]}, rank);
      const TaskId kernel = made.kernel(step, 60, {}, rank);
      made.builder().add_edge(call, kernel, EdgeKind::kLaunch);
      last[rank] = made.kernel(step, 20, {kernel}, rank, "stream 13");
      members.push_back(last[rank]);
    }
    made.join({members[0], members[1]});
  }
  const Side side = side_of_capture(made.capture());
  EXPECT_EQ(side.iteration, Duration{90});
  using Steps = std::vector<Duration>;
  EXPECT_EQ(side.gauges.at(Gauge::kGpuIdle), Steps(3, Duration{10}));
  EXPECT_EQ(side.gauges.at(Gauge::kExposed), Steps(3, Duration{20}));
  EXPECT_EQ(side.gauges.at(Gauge::kLaunches), Steps(3, Duration{1}));
}

TEST(SideTest, WorkOutsideWholeStepsIsCounted) {
  SteppedJob made = job(90);
  (void)made.call(-1, 1000);
  const Side side = side_of_capture(made.capture());
  EXPECT_EQ(side.outside_steps, 1U);
  EXPECT_EQ(work_called(side, "cudaLaunchKernel").time, Duration{10});
}

}  // namespace
}  // namespace stepsim::sim
