// Tests kernels during communication, where a sum of a few terms or a separate simulation gives the answer.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "model/calibration/interference.h"
#include "model/job/dag_builder.h"
#include "scenarios/answer/interval.h"
#include "scenarios/answer/learn_from_capture.h"
#include "tests/model/rewrite/transformer_job.h"
#include "tests/scenarios/interfered_job.h"
#include "tests/scenarios/question.h"

namespace stepsim::testing {
namespace {

using std::chrono::milliseconds;

/// Returns a capture of a kernel of 10 ms that took 15 ms: a collective of 10 ms began with it and halved its speed.
Capture half_overlapped() {
  DagBuilder builder;
  const auto add = [&](TaskKind kind, const std::string& name, Duration duration) {
    const LaneId lane = builder.add_lane({.name = name, .kind = LaneKind::kStream, .device = 0});
    (void)builder.add_task({.kind = kind, .name = builder.intern(name), .lane = lane, .duration = duration});
  };
  add(TaskKind::kKernel, "sgemm", milliseconds{15});
  add(TaskKind::kCollective, "ncclAllReduce", milliseconds{10});
  Capture capture;
  capture.dag = std::move(builder).build().dag;
  return capture;
}

Question with_slowdown(Capture capture, Slowdown slowdown) {
  Question question(std::move(capture));
  question.settings().interference = scenarios::interference_with({slowdown}, question.predictor());
  return question;
}

Question doubled() { return with_slowdown(half_overlapped(), {KernelClass::kGemm, 7, 2.0, 1.5, 3.0}); }

TEST(InterferenceTheory, NothingChangesWhereNothingIsAsked) {
  EXPECT_EQ(doubled().iteration(), milliseconds{15});
  EXPECT_EQ(doubled().iteration({"network.bandwidth=1x"}), milliseconds{15});
}

TEST(InterferenceTheory, AKernelThatNothingRunsBesideTakesItsTimeAlone) {
  EXPECT_EQ(doubled().iteration({"network.bandwidth=1e9x"}), milliseconds{10});
  EXPECT_EQ(doubled().iteration({"remove{kind=collective}.share=1"}), milliseconds{10});
}

TEST(InterferenceTheory, DurationFollowsFromWhatRunsBeside) {
  // The collective now takes 5 ms, during which 2.5 ms of the kernel's 10 ms of work are done. 7.5 ms remain.
  EXPECT_EQ(doubled().iteration({"network.bandwidth=2x"}), Duration{12'500'000});
  // The collective lasts longer than the kernel, so all of the kernel's work runs at half the speed.
  EXPECT_EQ(doubled().predicted({"network.bandwidth=0.5x"}).slowed.front().after, milliseconds{20});
  // Of 20 ms of work, 5 ms are done during the collective's 10 ms, at half the speed, and 15 ms after it.
  EXPECT_EQ(doubled().iteration({"compute{kind=kernel}.scale=2"}), milliseconds{25});
}

TEST(InterferenceTheory, ClassesWithoutEvidenceKeepTheirTimes) {
  const Question question = with_slowdown(half_overlapped(), {KernelClass::kAttention, 7, 2.0, 1.5, 3.0});
  EXPECT_EQ(question.iteration({"network.bandwidth=1e9x"}), milliseconds{15});
  EXPECT_TRUE(question.predicted({"network.bandwidth=1e9x"}).slowed.empty());
}

// Replicas reduce gradients beside the rest of the backward pass. The link is so slow that the first reduction outlasts
// the pass, so every kernel after its begin runs beside it. The capture has no communication to learn from.
TEST(InterferenceTheory, AddedCommunicationSlowsTheKernelsBesideIt) {
  constexpr TransformerJob kJob{.batch = 4, .sequence = 512, .hidden = 1024, .heads = 16, .kernel = Duration{100'000}};
  Cluster one_host;
  one_host.hosts.push_back({"0"});
  one_host.endpoints.push_back({HostId{0}, {}});
  for (const bool wanted : {true, false}) {
    const Question question(kJob.capture(), one_host, "maxmin");
    scenarios::learn_interference(question.builder(), wanted, {});
    const scenarios::Prediction prediction = question.predicted({"parallel.data=2", "cluster.inside=1Mb/s"});
    const Dag& dag = prediction.graph->dag;
    Time first = Time::max();
    for (const TaskId task : dag.tasks()) {
      if (dag.kind(task) == TaskKind::kCollective) first = std::min(first, prediction.timeline.start[task.index()]);
    }
    std::size_t beside = 0;
    for (const TaskId task : dag.tasks()) {
      if (!is_stream_kernel(dag, task)) continue;
      const Time start = prediction.timeline.start[task.index()];
      const Time finish = prediction.timeline.finish[task.index()];
      const bool is_beside = start >= first && dag.name(task) != "aten::_foreach_add_";  // it waits for the reductions
      EXPECT_EQ(finish - start, Duration{is_beside && wanted ? 120'000 : 100'000});
      beside += is_beside ? 1 : 0;
    }
    EXPECT_GT(beside, kBackwardCalls);
    EXPECT_EQ(question.iteration(), Question(kJob.capture()).iteration());  // of one device
  }
}

/// Returns a chain of kernels during a chain of collectives. The times of the collectives do not depend on the kernels,
/// but each kernel's time can be computed only after that of the previous kernel.
Capture long_chain() {
  DagBuilder builder;
  const auto add = [&](TaskKind kind, const std::string& name, Duration duration, Duration lag) {
    const LaneId lane = builder.add_lane({.name = name, .kind = LaneKind::kStream, .device = 0});
    TaskId before;
    for (int i = 0; i < 60; ++i) {
      const TaskId task =
          builder.add_task({.kind = kind, .name = builder.intern(name), .lane = lane, .duration = duration});
      if (before.valid()) builder.add_edge(before, task, EdgeKind::kStream, lag);
      before = task;
    }
  };
  add(TaskKind::kKernel, "sgemm", milliseconds{15}, {});
  add(TaskKind::kCollective, "ncclAllReduce", milliseconds{20}, milliseconds{13});
  Capture capture;
  capture.dag = std::move(builder).build().dag;
  return capture;
}

TEST(InterferenceTheory, WhatDoesNotSettleIsSaid) {
  // The prediction repeats the replay, at most 20 times, until the times of the slowed kernels settle. A separate
  // calculation shows that these times still change by several percent per replay after 20 replays.
  const Question chain = with_slowdown(long_chain(), {KernelClass::kGemm, 7, 5.0, 4.0, 6.0});
  EXPECT_GT(chain.predicted({"compute{kind=kernel}.scale=0.7"}).unsettled, 0.01);
  EXPECT_EQ(chain.predicted({"compute{kind=kernel}.scale=1"}).unsettled, 0);
  EXPECT_EQ(doubled().predicted({"network.bandwidth=2x"}).unsettled, 0);
}

const scenarios::RangeSource<Duration>* interference_source(const scenarios::Range<Duration>& interval) {
  const auto found = std::find_if(interval.sources.begin(), interval.sources.end(),
                                  [](const auto& source) { return source.name == "interference"; });
  return found == interval.sources.end() ? nullptr : &*found;
}

scenarios::Range<Duration> range_of(const Question& question, const std::string& set) {
  scenarios::Scenario scenario;
  scenarios::add_set(scenario, set);
  scenarios::Plan plan = question.predictor().plan();
  scenario.changes.front().apply(plan);
  const scenarios::Prediction baseline = question.predictor().predict(question.predictor().plan());
  const scenarios::Prediction predicted = question.predictor().predict(plan);
  scenarios::ReplayMeter meter;
  return scenarios::interval_of(question.predictor(), plan, baseline, predicted, meter);
}

TEST(InterferenceTheory, RangeGoesFromTheLeastSlowingToTheMost) {
  // The kernel took 15 ms, 10 ms of them during communication. If that slows it by a factor of 3 to 1.5, it takes
  // between 5 + 10 / 3 = 8 1/3 ms and 5 + 10 / 1.5 = 11 2/3 ms alone.
  const scenarios::Range<Duration> range = range_of(doubled(), "network.bandwidth=1e9x");
  const scenarios::RangeSource<Duration>* const source = interference_source(range);
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(source->low, Duration{8'333'333});
  EXPECT_EQ(source->high, Duration{11'666'667});
}

TEST(InterferenceTheory, RangeHasNoSourceWhereNothingMoves) {
  EXPECT_EQ(interference_source(range_of(doubled(), "network.bandwidth=1x")), nullptr);
}

Duration whole(const scenarios::Prediction& prediction) {
  return *std::max_element(prediction.timeline.finish.begin(), prediction.timeline.finish.end()) - Time{};
}

double error(Duration predicted, Duration truth) {
  return static_cast<double>((predicted - truth).count()) / static_cast<double>(truth.count());
}

/// Predicts a run whose collectives take `factor` times as long, from the captured run of `base`. Returns the relative
/// error of the prediction.
double error_of_prediction(const InterferedJob& base, double factor, bool interference) {
  InterferedJob other = base;
  other.collective = scenarios::scaled(base.collective, factor);
  const Question question(base.capture());
  scenarios::learn_interference(question.builder(), interference, {});
  const std::string set = "network.bandwidth=" + std::to_string(1 / factor) + "x";
  return error(whole(question.predicted({set})), other.length());
}

TEST(InterferenceTruth, CapturedRunIsReplayedToTheNanosecondAndNeutralQuestionsKeepIt) {
  const InterferedJob job;
  for (const bool interference : {true, false}) {
    const Question question(job.capture());
    scenarios::learn_interference(question.builder(), interference, {});
    for (const char* const neutral : {"compute.scale=1", "network.bandwidth=1x", "insert.duration=0us", "fuse.most=1",
                                      "remove.share=0", "straggler.factor=1", "launch.overhead=1x"})
      EXPECT_EQ(whole(question.predicted({neutral})), job.length()) << neutral;
  }
}

TEST(InterferenceTruth, AnswerDoesNotDependOnThreads) {
  const Question question(InterferedJob{.factor = 2.5}.capture());
  scenarios::learn_interference(question.builder(), true, {});
  scenarios::Plan plan = question.predictor().plan();
  plan.recorded_transfers = 0.3;
  const scenarios::Prediction one = question.predictor().predict(plan);
  const scenarios::Prediction four = question.predictor().predict(plan, {.threads = 4, .grain = {1, 1}});
  EXPECT_EQ(one.timeline.finish, four.timeline.finish);
}

std::string assumed(const Capture& capture, bool wanted) {
  const Question question(Capture{capture});
  scenarios::learn_interference(question.builder(), wanted, {});
  std::string ids;
  for (const Assumption& assumption : question.predictor().plan().assumptions) ids += assumption.id;
  return ids;
}

TEST(InterferenceTruth, WhatIsDoneIsAnAssumption) {
  EXPECT_EQ(assumed(InterferedJob{}.capture(), true), "interference");
  EXPECT_EQ(assumed(InterferedJob{}.capture(), false), "interference_off");
  // If all steps overlap in the same way, interference cannot be measured.
  EXPECT_EQ(assumed(InterferedJob{.late = {Duration{0}, Duration{0}}}.capture(), true), "interference_unknown");
  EXPECT_EQ(assumed(Capture{}, true), "");
}

TEST(InterferenceTruth, SlowdownIsFoundInTheCapture) {
  for (const double factor : {1.1, 1.4, 2.5}) {
    const std::vector<Slowdown> found = evident_slowdowns(InterferedJob{.factor = factor}.capture());
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NEAR(found[0].factor, factor, 0.01);
  }
}

TEST(InterferenceTruth, AnotherOverlapIsPredictedOnlyWithIt) {
  for (const double slowing : {1.1, 1.4, 2.5}) {
    for (const double factor : {1e-6, 0.25, 0.5, 2.0}) {
      const InterferedJob job{.factor = slowing};
      const double with = std::abs(error_of_prediction(job, factor, true));
      const double without = std::abs(error_of_prediction(job, factor, false));
      EXPECT_LT(with, 0.002) << slowing << ' ' << factor;
      EXPECT_GT(without, 5 * with) << slowing << ' ' << factor;
    }
  }
}

}  // namespace
}  // namespace stepsim::testing
