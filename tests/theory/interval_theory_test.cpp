// The range of an answer, source by source, where a sum of a few terms gives it.

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "model/dag_builder.h"
#include "scenarios/interval.h"
#include "tests/model/parameter_server/workload_maker.h"

namespace stepsim::scenarios {
namespace {

using std::chrono::milliseconds;
using testing::kBackward;
using testing::kForward;
using testing::kUpdate;
using testing::WorkloadMaker;

constexpr Duration kMessage = milliseconds{1};  // of 1 MB, alone on a link
constexpr Duration kCompute = milliseconds{3};

Cluster gigabyte_star(std::size_t hosts) { return star(hosts, {.bandwidth = Bandwidth::from_bytes_per_second(1e9)}); }

/// Hosts 0 and 1 send to host 2 at once; host 0 goes on computing when its message is there.
Capture two_senders() {
  DagBuilder builder;
  TaskId first;
  for (std::size_t sender = 0; sender < 2; ++sender) {
    const LaneId link = builder.add_lane({.name = "to 2", .rank = 0, .from = EndpointId{sender}, .to = EndpointId{2}});
    const TaskId message = builder.add_task(
        {.kind = TaskKind::kTransfer, .name = builder.intern("m"), .lane = link, .bytes = Bytes{1'000'000}});
    if (sender == 0) first = message;
  }
  const LaneId host = builder.add_lane({.name = "host"});
  const TaskId compute =
      builder.add_task({.kind = TaskKind::kOperator, .name = builder.intern("c"), .lane = host, .duration = kCompute});
  builder.add_edge(first, compute, EdgeKind::kData);
  Capture capture;
  capture.dag = std::move(builder).build().dag;
  return capture;
}

/// What `change` makes of the capture, under max-min.
template <class Change>
AnswerInterval answer(const Capture& capture, const Cluster& cluster, Change change) {
  Predictor predictor(capture, cluster, *find_network_model("maxmin"));
  Plan plan = predictor.plan();
  change(plan);
  return interval_of(predictor, plan, predictor.predict(predictor.plan()), predictor.predict(plan));
}

AnswerInterval answer(const Capture& capture, const Cluster& cluster) {
  return answer(capture, cluster, [](Plan&) {});
}

const IntervalSource* find(const AnswerInterval& interval, std::string_view name) {
  const auto found = std::find_if(interval.sources.begin(), interval.sources.end(),
                                  [name](const IntervalSource& source) { return source.name == name; });
  return found == interval.sources.end() ? nullptr : &*found;
}

TEST(IntervalTheory, SharingGoesFromOneAfterTheOtherToFair) {
  // Fair, both messages take twice their time; one after the other, the first takes it once.
  const AnswerInterval interval = answer(two_senders(), gigabyte_star(3));
  ASSERT_EQ(interval.sources.size(), 1U);
  EXPECT_EQ(interval.low, kMessage + kCompute);
  EXPECT_EQ(interval.high, kMessage * 2 + kCompute);
}

TEST(IntervalTheory, SharingThatIsKnownHasNoRange) {
  const AnswerInterval interval =
      answer(two_senders(), gigabyte_star(3), [](Plan& plan) { plan.sharing_known = true; });
  EXPECT_TRUE(interval.sources.empty());
  EXPECT_EQ(interval.low, interval.high);
}

/// A rank whose three steps of one task each take 9, 10 and 12 ms, and of each of which `wait`
/// is an unexplained wait.
Capture three_steps(Duration wait = {}) {
  DagBuilder builder;
  const LaneId lane = builder.add_lane({.name = "host"});
  Capture capture;
  Recording& recording = capture.recording;
  TaskId before;
  Time now{};
  for (const std::int64_t length : {9, 10, 12}) {
    const Duration run = milliseconds{length} - wait;
    const TaskId task = builder.add_task(
        {.kind = TaskKind::kOperator, .name = builder.intern("c"), .lane = lane, .duration = run, .hint = now});
    if (before.valid()) builder.add_edge(before, task, EdgeKind::kProgram, wait);
    if (before.valid() && wait > Duration{}) recording.unexplained.push_back({task, wait, "host thread"});
    const auto number = static_cast<std::int32_t>(recording.steps.size());
    recording.steps.push_back({0, number, task, number < 2, true});
    recording.step.push_back(number);
    recording.start.push_back(now);
    recording.finish.push_back(now + run);
    now += milliseconds{length};
    before = task;
  }
  recording.ranks = {0};
  capture.dag = std::move(builder).build().dag;
  return capture;
}

TEST(IntervalTheory, StepsGiveTheRangeAboutTheirMedian) {
  const AnswerInterval interval = answer(three_steps(), {});
  const IntervalSource* const steps = find(interval, "steps");
  ASSERT_NE(steps, nullptr);
  EXPECT_DOUBLE_EQ(static_cast<double>(steps->high.count()) / static_cast<double>(steps->low.count()), 12.0 / 9.0);
  EXPECT_EQ(interval.low, steps->low);
  EXPECT_EQ(interval.high, steps->high);
}

TEST(IntervalTheory, WithoutAChangeUnexplainedWaitsAddNothing) {
  const IntervalSource* const waits = find(answer(three_steps(milliseconds{4}), {}), "unexplained waits");
  ASSERT_NE(waits, nullptr);
  EXPECT_EQ(waits->low, waits->high);
}

TEST(IntervalTheory, WorkersThatBeginTogetherAreInTheRangeOfDrift) {
  WorkloadMaker maker;
  maker.workers = 2;
  const AnswerInterval interval = answer(maker.capture(), gigabyte_star(3));
  const IntervalSource* const drift = find(interval, "drift");
  ASSERT_NE(drift, nullptr);
  // In step both pushes share the server's link, and so do both answers; headers take 0.1 us each.
  const double together = static_cast<double>((kForward + kBackward + kUpdate + kMessage * 4).count());
  EXPECT_LE(static_cast<double>(drift->low.count()), together + 1'000);
  EXPECT_GE(static_cast<double>(drift->high.count()), together);
}

/// Captured worker 1 computes three times as long as worker 0; the middle one is copied.
TEST(IntervalTheory, ACopyIsAsSlowAsTheSlowestAtMost) {
  WorkloadMaker maker;
  maker.workers = 3;
  maker.scale = {1, 2, 3};
  const AnswerInterval interval = answer(maker.capture(), gigabyte_star(5), [](Plan& plan) {
    plan.job.workers = 4;
    plan.structure = "4 workers";
  });
  const IntervalSource* const copies = find(interval, "copies");
  ASSERT_NE(copies, nullptr);
  const Duration compute = (kForward + kBackward + kUpdate) * 3;
  EXPECT_GE(copies->low, compute);
  EXPECT_LE(copies->high, compute + kMessage * 8 + milliseconds{1});
}

}  // namespace
}  // namespace stepsim::scenarios
