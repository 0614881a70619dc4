// Tests the sources of an answer's range, where a sum of a few terms gives their width.

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "model/job/dag_builder.h"
#include "model/job/topology.h"
#include "scenarios/answer/factors.h"
#include "scenarios/answer/interval.h"
#include "tests/model/rewrite/parameter_server/workload_maker.h"

namespace stepsim::scenarios {
namespace {

using std::chrono::milliseconds;
using testing::kBackward;
using testing::kForward;
using testing::kUpdate;
using testing::WorkloadMaker;

constexpr Duration kMessage = milliseconds{1};  // 1 MB that has a link to itself
constexpr Duration kCompute = milliseconds{3};

Cluster gigabyte_star(std::size_t hosts) { return star(hosts, {.bandwidth = Bandwidth::from_bytes_per_second(1e9)}); }

/// Returns a capture in which hosts 0 and 1 send to host 2 at the same time. Host 0 computes again when its message has
/// arrived.
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

/// Returns the answer to `change` for the capture, under max-min.
template <class Change>
Range<Duration> answer(const Capture& capture, const Cluster& cluster, Change change) {
  Predictor predictor(capture, cluster, *find_network_model("maxmin"));
  Plan plan = predictor.plan();
  change(plan);
  ReplayMeter meter;
  return interval_of(predictor, plan, predictor.predict(predictor.plan()), predictor.predict(plan), meter);
}

Range<Duration> answer(const Capture& capture, const Cluster& cluster) {
  return answer(capture, cluster, [](Plan&) {});
}

const RangeSource<Duration>* find(const Range<Duration>& interval, std::string_view name) {
  const auto found = std::find_if(interval.sources.begin(), interval.sources.end(),
                                  [name](const RangeSource<Duration>& source) { return source.name == name; });
  return found == interval.sources.end() ? nullptr : &*found;
}

double factor(Duration part, Duration of) {
  return static_cast<double>(part.count()) / static_cast<double>(of.count());
}

/// Expects that the source is absent, or has no width.
void expect_no_width(const RangeSource<Duration>* source) {
  if (source == nullptr) return;
  EXPECT_EQ(source->low, source->high);
}

/// Returns the range that the sources give together, without those known from other jobs: the models' usual error and
/// its extrapolation. Those have a separate closed form (tests/scenarios/answer/model_error_test.cpp).
Factors range_without_models(const Range<Duration>& interval, Duration predicted) {
  std::vector<Factors> factors;
  for (const RangeSource<Duration>& source : interval.sources) {
    if (source.name == "usual error" || source.name == "extrapolation") continue;
    factors.push_back({factor(source.low, predicted), factor(source.high, predicted)});
  }
  return independent(factors);
}

/// Expects that the answer's range is that of all its sources together.
void expect_all(const Range<Duration>& interval, Duration predicted) {
  std::vector<Factors> factors;
  for (const RangeSource<Duration>& source : interval.sources)
    factors.push_back({factor(source.low, predicted), factor(source.high, predicted)});
  const Factors all = independent(factors);
  EXPECT_NEAR(factor(interval.low, predicted), all.least, 1e-6);
  EXPECT_NEAR(factor(interval.high, predicted), all.most, 1e-6);
}

TEST(IntervalTheory, SharingGoesFromOneAfterTheOtherToFair) {
  // With fair sharing both messages take twice their time. One after the other, the first message takes its own time
  // only.
  const Range<Duration> interval = answer(two_senders(), gigabyte_star(3));
  const RangeSource<Duration>* const sharing = find(interval, "sharing");
  ASSERT_NE(sharing, nullptr);
  EXPECT_EQ(sharing->low, kMessage + kCompute);
  EXPECT_EQ(sharing->high, kMessage * 2 + kCompute);
  EXPECT_DOUBLE_EQ(range_without_models(interval, sharing->high).least, factor(sharing->low, sharing->high));
  expect_all(interval, sharing->high);
}

/// Returns the number of tasks that are replayed to find the range, and the range.
std::pair<std::uint64_t, Range<Duration>> counted(const Capture& capture, const Cluster& cluster, const char* network) {
  Predictor predictor(capture, cluster, *find_network_model(network));
  const Plan plan = predictor.plan();
  const Prediction prediction = predictor.predict(plan);
  std::uint64_t total = 0;
  ReplayMeter meter({}, [&total](std::uint64_t, std::uint64_t expected) { total = expected; });
  Range<Duration> interval = interval_of(predictor, plan, prediction, prediction, meter);
  return {total, std::move(interval)};
}

TEST(IntervalTheory, AReplayThatWouldBeThePredictionIsNotMade) {
  const Capture capture = two_senders();
  const std::uint64_t tasks = capture.dag.task_count();
  // The prediction uses fair sharing. For the range, the capture and the scenario are each replayed with serial sharing
  // and with 0.5.
  EXPECT_EQ(counted(capture, gigabyte_star(3), "maxmin").first, 4 * tasks);
  // The model fifo serves the first message to arrive, whatever `sharing` is.
  const auto [fifo_tasks, fifo] = counted(capture, gigabyte_star(3), "fifo");
  EXPECT_EQ(fifo_tasks, 0U);
  const RangeSource<Duration>* const sharing = find(fifo, "sharing");
  ASSERT_NE(sharing, nullptr);
  EXPECT_EQ(sharing->low, sharing->high);
  EXPECT_EQ(sharing->low, kMessage + kCompute);
}

TEST(IntervalTheory, SharingThatIsKnownHasNoRange) {
  const Range<Duration> interval =
      answer(two_senders(), gigabyte_star(3), [](Plan& plan) { plan.sharing_known = true; });
  EXPECT_EQ(find(interval, "sharing"), nullptr);
  const Factors range = range_without_models(interval, kMessage * 2 + kCompute);
  EXPECT_EQ(range.least, 1);
  EXPECT_EQ(range.most, 1);
}

/// Makes a capture of a rank with one lane (thread) and steps of the given lengths in milliseconds. Each step has a
/// collective of `exchange`, whose other ranks were not captured, and a wait of `wait` without a recorded reason. The
/// rest of the step is compute.
struct OneRank {
  std::vector<std::int64_t> lengths{10, 10, 10};
  Duration wait{};
  Duration exchange{};

  [[nodiscard]] Capture capture() const {
    DagBuilder builder;
    Capture capture;
    const LaneId lane = builder.add_lane({.name = "host"});
    TaskId before;
    Time now{};
    const auto add = [&](TaskKind kind, Duration duration) {
      const TaskId task = builder.add_task(
          {.kind = kind, .name = builder.intern("t"), .lane = lane, .duration = duration, .hint = now});
      capture.recording.start.push_back(now);
      capture.recording.finish.push_back(now + duration);
      now += duration;
      return task;
    };
    for (std::size_t step = 0; step < lengths.size(); ++step) {
      const TaskId compute = add(TaskKind::kOperator, milliseconds{lengths[step]} - wait - exchange);
      if (before.valid()) builder.add_edge(before, compute, EdgeKind::kProgram, wait);
      if (before.valid() && wait > Duration{}) capture.recording.unexplained.push_back({compute, wait, "host thread"});
      before = compute;
      if (exchange > Duration{}) {
        before = add(TaskKind::kCollective, exchange);
        builder.add_edge(compute, before, EdgeKind::kProgram);
      }
      const auto number = static_cast<std::int32_t>(step);
      capture.recording.step.resize(capture.recording.start.size(), number);
      capture.recording.steps.push_back({0, number, compute, step + 1 < lengths.size(), true});
      now += wait;
    }
    capture.recording.ranks = {0};
    capture.dag = std::move(builder).build().dag;
    return capture;
  }
};

/// Doubles the duration of operators.
void double_compute(Plan& plan) {
  plan.add_rule(Plan::Turn::kFactors, [](const Capture& capture, std::vector<Duration>& durations) {
    for (std::size_t i = 0; i < durations.size(); ++i) {
      if (capture.dag.kind(TaskId{i}) == TaskKind::kOperator) durations[i] *= 2;
    }
  });
}

TEST(IntervalTheory, StepsThatDifferMakeARangeThatHoldsThemAll) {
  const Range<Duration> interval = answer(OneRank{.lengths = {9, 10, 12}}.capture(), {});
  const RangeSource<Duration>* const steps = find(interval, "steps");
  ASSERT_NE(steps, nullptr);  // tests/scenarios/answer/step_spread_test.cpp checks its width
  EXPECT_LE(steps->low, milliseconds{9});
  EXPECT_GE(steps->high, milliseconds{12});
  EXPECT_LE(interval.low, steps->low);
  EXPECT_GE(interval.high, steps->high);
}

TEST(IntervalTheory, WhereNothingIsUnknownOnlyTheModelsUsualErrorIsLeft) {
  const Range<Duration> interval = answer(OneRank{}.capture(), {}, double_compute);
  const Factors range = range_without_models(interval, milliseconds{20});
  EXPECT_EQ(range.least, 1);
  EXPECT_EQ(range.most, 1);
  expect_all(interval, milliseconds{20});
}

TEST(IntervalTheory, CollectivesWithoutTheirOtherRanksStayOrChangeAsTheRest) {
  // Of 10 ms, 4 ms are communication. The compute of 6 ms becomes 12 ms, which gives 16 ms in all, or 20 ms if the
  // communication doubles too.
  const Capture capture = OneRank{.exchange = milliseconds{4}}.capture();
  const Range<Duration> interval = answer(capture, {}, double_compute);
  const RangeSource<Duration>* const missing = find(interval, "missing ranks");
  ASSERT_NE(missing, nullptr);
  EXPECT_EQ(missing->low, milliseconds{16});
  EXPECT_EQ(missing->high, milliseconds{20});
  expect_all(interval, milliseconds{16});
  expect_no_width(find(answer(capture, {}), "missing ranks"));
}

TEST(IntervalTheory, UnexplainedWaitsStayOrChangeAsTheRest) {
  // Two of the three captured steps end where the next begins. Each of these iterations takes 10 ms, of which 3 ms are
  // waits. If waits do not change, doubling the compute of 7 ms gives 14 + 3 = 17 ms. If waits change as the other time
  // does, an iteration takes twice as long.
  const Capture capture = OneRank{.lengths = {10, 10, 13}, .wait = milliseconds{3}}.capture();
  const Range<Duration> interval = answer(capture, {}, double_compute);
  const RangeSource<Duration>* const waits = find(interval, "unexplained waits");
  ASSERT_NE(waits, nullptr);
  EXPECT_EQ(waits->low, milliseconds{17});
  EXPECT_EQ(waits->high, milliseconds{20});
  expect_no_width(find(answer(capture, {}), "unexplained waits"));
}

TEST(IntervalTheory, SourcesCombineAsIndependentOnes) {
  const Range<Duration> interval =
      answer(OneRank{.lengths = {9, 10, 12}, .exchange = milliseconds{4}}.capture(), {}, double_compute);
  const RangeSource<Duration>* const missing = find(interval, "missing ranks");
  ASSERT_TRUE(find(interval, "steps") != nullptr && missing != nullptr);
  expect_all(interval, missing->low);
}

TEST(IntervalTheory, AWayToShareThatTheCaptureSpeaksAgainstIsLeftOut) {
  // In the capture the first message took twice the time that it takes alone, so the senders shared fairly.
  Capture capture = two_senders();
  const Time shared{kMessage * 2};
  for (std::size_t i = 0; i < capture.dag.task_count(); ++i) {
    const bool message = capture.dag.kind(TaskId{i}) == TaskKind::kTransfer;
    capture.recording.start.push_back(message ? Time{} : shared);
    capture.recording.finish.push_back(message ? shared : shared + kCompute);
  }
  capture.recording.ranks = {0};
  const Range<Duration> interval = answer(capture, gigabyte_star(3));
  const RangeSource<Duration>* const sharing = find(interval, "sharing");
  ASSERT_NE(sharing, nullptr);
  EXPECT_EQ(sharing->low, kMessage * 2 + kCompute);
  EXPECT_EQ(sharing->high, kMessage * 2 + kCompute);
}

TEST(IntervalTheory, WorkersThatBeginTogetherAreInTheRangeOfDrift) {
  WorkloadMaker maker;
  maker.workers = 2;
  const Range<Duration> interval = answer(maker.capture(), gigabyte_star(3));
  const RangeSource<Duration>* const drift = find(interval, "drift");
  ASSERT_NE(drift, nullptr);
  // If the workers start together, both pushes share the server's link, and so do both answers. Headers take 0.1 us
  // each.
  const double together = static_cast<double>((kForward + kBackward + kUpdate + kMessage * 4).count());
  EXPECT_LE(static_cast<double>(drift->low.count()), together + 1'000);
  EXPECT_GE(static_cast<double>(drift->high.count()), together);
}

/// The three captured workers compute 1, 2 and 3 times as long as the maker's default. The fourth is a copy of the
/// middle one, and is assumed to be as slow as the slowest at most.
TEST(IntervalTheory, ACopyIsAsSlowAsTheSlowestAtMost) {
  WorkloadMaker maker;
  maker.workers = 3;
  maker.scale = {1, 2, 3};
  const Range<Duration> interval = answer(maker.capture(), gigabyte_star(5), [](Plan& plan) { plan.job.workers = 4; });
  const RangeSource<Duration>* const copies = find(interval, "copies");
  ASSERT_NE(copies, nullptr);
  const Duration compute = (kForward + kBackward + kUpdate) * 3;
  EXPECT_GE(copies->low, compute);
  EXPECT_LE(copies->high, compute + kMessage * 8 + milliseconds{1});
}

TEST(IntervalTheory, AWorkerThatWasNotCapturedIsNamedThoughNothingChanges) {
  WorkloadMaker maker;
  Capture capture = maker.capture();
  PsWorkload workload = *capture.parameter_server;
  workload.job.workers = 2;  // the number in job.yaml may exceed the captured workers
  capture.parameter_server = std::make_shared<const PsWorkload>(workload);
  const Range<Duration> interval = answer(capture, gigabyte_star(3));
  const RangeSource<Duration>* const copies = find(interval, "copies");
  ASSERT_NE(copies, nullptr);
  EXPECT_NE(copies->reason.find("one worker was captured"), std::string::npos);
  EXPECT_NE(Predictor(capture, gigabyte_star(3), *find_network_model("maxmin")).plan().assumptions, Assumptions{});
}

}  // namespace
}  // namespace stepsim::scenarios
