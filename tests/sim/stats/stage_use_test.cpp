#include "sim/stats/stage_use.h"

#include <gtest/gtest.h>

#include "tests/sim/stats/measured_maker.h"

namespace stepsim::testing {
namespace {

using sim::StageUse;

/// A job in which two workers push one partition. Worker 0's gradient is ready at 100 ns. Its copy runs from 110 to 120
/// ns, its push from 125 to 145 ns, and its pull from 150 to 190 ns. Worker 1 pushes until 170 ns.
struct Job {
  Job() {
    const LaneId operators = maker.lane(0, LaneKind::kOperators, "operators");
    const LaneId copies = maker.lane(0, LaneKind::kCopyEngine, "COPYD2H");
    const LaneId pushes = maker.lane(0, LaneKind::kLink, "PUSH");
    const LaneId pulls = maker.lane(0, LaneKind::kLink, "PULL");
    const TaskId made = maker.add(operators, TaskKind::kOperator, "BW.a", 0, 100, 0);
    const TaskId copy = maker.add(copies, TaskKind::kCopy, "Comm.a.b.COPYD2H.0", 110, 120, 0);
    push = maker.add(pushes, TaskKind::kTransfer, "Comm.a.b.PUSH.0", 125, 145, 0);
    maker.add(pulls, TaskKind::kTransfer, "Comm.a.b.PULL.0", 150, 190, 0);
    maker.dag.builder.add_edge(made, copy, EdgeKind::kData);
    maker.add(maker.lane(1, LaneKind::kLink, "PUSH"), TaskKind::kTransfer, "Comm.a.b.PUSH.0", 130, 170, 1);
  }
  Capture make() {
    Capture capture = maker.make();
    capture.recording.steps = {{.rank = 0, .number = 4}, {.rank = 1, .number = 4}};
    capture.recording.ranks = {0, 1};
    return capture;
  }
  MeasuredMaker maker;
  TaskId push;
};

TEST(StageUseTest, QueueingIsFromTheStageBefore) {
  Job job;
  const Capture capture = job.make();
  const TraceDetails details;
  const std::vector<StageUse> stages = sim::stage_use(sim::measured_work(capture, details));
  ASSERT_EQ(stages.size(), 3U);  // the stages are in the order of the pipeline
  EXPECT_EQ(stages[0].stage, "COPYD2H");
  EXPECT_EQ(stages[0].queued.total, Duration{10});  // from the end of the operator
  EXPECT_EQ(stages[0].worked.total, Duration{10});
  EXPECT_EQ(stages[1].stage, "PUSH");
  EXPECT_EQ(stages[1].queued.count, 1U);  // of worker 0; it is unknown when worker 1's push became ready
  EXPECT_EQ(stages[1].queued.total, Duration{5});
  EXPECT_EQ(stages[1].worked.count, 2U);
  EXPECT_EQ(stages[1].worked.total, Duration{60});
  EXPECT_EQ(stages[2].stage, "PULL");
  EXPECT_EQ(stages[2].queued.total, Duration{5});
  EXPECT_EQ(stages[2].worked.total, Duration{40});
  EXPECT_EQ(stages[2].waiting.total, Duration{20});  // until worker 1's push ends
}

/// In the trace the push lasts from 121 to 148 ns. Stitching found three parts in it: the push waited for its link
/// until 125 ns, was sent until 145 ns, and waited for its acknowledgement until 148 ns.
TEST(StageUseTest, TheTimesOfTheTraceCountAndTheLineIsAPartOfThem) {
  Job job;
  const Capture capture = job.make();
  const TraceDetails details{.tasks = {{job.maker.dag.new_id(job.push), Time{Duration{121}}, Time{Duration{148}}}}};
  const std::vector<StageUse> stages = sim::stage_use(sim::measured_work(capture, details));
  ASSERT_EQ(stages.size(), 3U);
  EXPECT_EQ(stages[1].queued.total, Duration{1});
  EXPECT_EQ(stages[1].worked.longest, Duration{40});
  EXPECT_EQ(stages[1].worked.shortest, Duration{27});
  EXPECT_EQ(stages[1].in_line.longest, Duration{4});
  EXPECT_EQ(stages[2].queued.total, Duration{2});
}

TEST(StageUseTest, OtherJobsHaveNoStages) {
  MeasuredMaker maker;
  maker.add(maker.stream(0, 0, "stream 7"), TaskKind::kKernel, "PUSH", 0, 10);
  const Capture capture = maker.make();
  EXPECT_TRUE(sim::stage_use(sim::measured_work(capture, {})).empty());
}

}  // namespace
}  // namespace stepsim::testing
