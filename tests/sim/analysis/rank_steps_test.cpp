#include "sim/analysis/rank_steps.h"

#include <gtest/gtest.h>

#include "sim/engine/engine.h"
#include "tests/sim/dag_maker.h"

namespace stepsim::sim::rank_steps_test {
namespace {

using stepsim::testing::DagMaker;

constexpr std::int64_t kHost = 100;
constexpr std::int64_t kSteps = 4;

/// Returns a capture of a thread that launches one kernel per step and waits for nothing: step k is launched from 100 k
/// to 100 (k + 1) ns. Kernels took `recorded` ns and are replayed with `replayed` ns.
Capture launching_ahead(std::int64_t recorded, std::int64_t replayed) {
  DagMaker maker;
  const LaneId thread = maker.lane(0);
  const LaneId stream = maker.builder.add_lane({.name = "stream 7", .rank = 0, .kind = LaneKind::kStream});
  std::vector<TaskId> launches;
  std::vector<TaskId> kernels;
  for (std::int64_t k = 0; k < kSteps; ++k) {
    launches.push_back(maker.task(thread, kHost));
    kernels.push_back(maker.task(stream, replayed, {launches.back()}, "", TaskKind::kKernel));
    if (k == 0) continue;
    maker.builder.add_edge(launches[launches.size() - 2], launches.back(), EdgeKind::kProgram);
    maker.builder.add_edge(kernels[kernels.size() - 2], kernels.back(), EdgeKind::kStream);
  }
  Capture capture;
  capture.dag = maker.build();
  Recording& recording = capture.recording;
  recording.start.resize(2 * kSteps);
  recording.finish.resize(2 * kSteps);
  recording.step.resize(2 * kSteps);
  std::int64_t device_free = 0;
  for (std::int64_t k = 0; k < kSteps; ++k) {
    const auto at = [](std::int64_t time) { return Time{Duration{time}}; };
    const auto place = static_cast<std::size_t>(k);
    const std::int64_t begin = std::max(kHost * (k + 1), device_free);
    device_free = begin + recorded;
    const TaskId launch = maker.new_id(launches[place]);
    const TaskId kernel = maker.new_id(kernels[place]);
    recording.start[launch.index()] = at(kHost * k);
    recording.finish[launch.index()] = at(kHost * (k + 1));
    recording.start[kernel.index()] = at(begin);
    recording.finish[kernel.index()] = at(device_free);
    recording.step[launch.index()] = recording.step[kernel.index()] = static_cast<std::int32_t>(k);
    recording.steps.push_back({.rank = 0, .number = k, .first = launch, .next_follows = k + 1 < kSteps});
  }
  recording.ranks = {0};
  return capture;
}

RankSteps steps_of(const Capture& capture) {
  const Timeline timeline = replay(capture.dag, Machine::as_recorded(capture));
  return rank_steps(capture.dag, capture.recording, timeline).at(0);
}

TEST(RankStepsTest, TheSlowerOfHostAndDeviceSetsThePace) {
  for (const std::int64_t recorded : {1, 60, 99, 100, 101, 250, 10'000}) {
    for (const std::int64_t replayed : {1, 60, 99, 100, 101, 250, 10'000}) {
      const RankSteps rank = steps_of(launching_ahead(recorded, replayed));
      EXPECT_EQ(rank.iteration.measured, Duration{std::max(kHost, recorded)}) << replayed;
      EXPECT_EQ(rank.iteration.replayed, Duration{std::max(kHost, replayed)}) << recorded;
      // Unless the device is slower than the host, steps start and complete at the host's pace.
      EXPECT_EQ(rank.pace, 100 * replayed > 101 * kHost ? Pace::kDevice : Pace::kBoth) << replayed;
    }
  }
}

TEST(RankStepsTest, AtTheDevicesPaceAStepIsFromTheCompletionBeforeToItsOwn) {
  const RankSteps rank = steps_of(launching_ahead(130, 150));
  ASSERT_EQ(rank.steps.size(), 3U);  // the first step has no predecessor to measure from
  EXPECT_EQ(rank.whole, 4U);
  for (std::size_t i = 0; i < rank.steps.size(); ++i) {
    EXPECT_EQ(rank.steps[i].step, i + 1);
    EXPECT_EQ(rank.steps[i].time.measured, Duration{130});
    EXPECT_EQ(rank.steps[i].time.replayed, Duration{150});
    EXPECT_EQ(rank.steps[i].begin, Time{Duration{kHost + 150 * static_cast<std::int64_t>(i + 1)}});
  }
}

/// The last step is launched from 300 to 400 ns. It counts from the end of the previous step's kernel at 360 ns to the
/// end of its own kernel at 460 ns.
TEST(RankStepsTest, AtTheHostsPaceAStepIsFromItsStartToTheNextOnes) {
  const RankSteps rank = steps_of(launching_ahead(60, 60));
  ASSERT_EQ(rank.steps.size(), 4U);
  for (const TimedStep& step : rank.steps) {
    EXPECT_EQ(step.time.replayed, Duration{kHost});
    EXPECT_EQ(step.begin, Time{Duration{step.step == 3 ? 360 : kHost * static_cast<std::int64_t>(step.step)}});
  }
}

/// The host takes 100, 100 and 300 ns for the steps, and the device 10 ns each. The starts of the steps are 100 ns
/// apart and their completions 100 and 300 ns, but the device only waits for the host.
TEST(RankStepsTest, ALongLastStepOfTheHostDoesNotMakeTheDeviceSlow) {
  DagMaker maker;
  const LaneId thread = maker.lane(0);
  const LaneId stream = maker.builder.add_lane({.name = "stream 7", .rank = 0, .kind = LaneKind::kStream});
  std::vector<TaskId> calls;
  std::vector<TaskId> kernels;
  for (const std::int64_t host : {100, 100, 300}) {
    const TaskId call = maker.task(thread, host, {}, "", TaskKind::kRuntime);
    if (!calls.empty()) maker.builder.add_edge(calls.back(), call, EdgeKind::kProgram);
    calls.push_back(call);
    kernels.push_back(maker.task(stream, 10, {}, "", TaskKind::kKernel));
    maker.builder.add_edge(call, kernels.back(), EdgeKind::kLaunch);
  }
  Capture capture;
  capture.dag = maker.build();
  Recording& recording = capture.recording;
  recording.step.resize(6);
  for (std::size_t k = 0; k < 3; ++k) {
    const TaskId call = maker.new_id(calls[k]);
    recording.step[call.index()] = recording.step[maker.new_id(kernels[k]).index()] = static_cast<std::int32_t>(k);
    recording.steps.push_back(
        {.rank = 0, .number = static_cast<std::int64_t>(k), .first = call, .next_follows = k + 1 < 3});
  }
  const Timeline timeline = replay(capture.dag, Machine::as_recorded(capture));
  recording.start = timeline.start;
  recording.finish = timeline.finish;

  const RankSteps rank = rank_steps(capture.dag, recording, timeline).at(0);

  EXPECT_EQ(rank.pace, Pace::kHost);
  EXPECT_EQ(rank.iteration.replayed, Duration{100});
  EXPECT_EQ(rank.iteration.measured, Duration{100});
  EXPECT_EQ(rank.steps.size(), 3U);
}

/// The last step begins while the device still works on earlier steps.
TEST(RankStepsTest, TheLastStepDoesNotCountWhatTheDeviceHadLeftToDo) {
  const RankSteps rank = steps_of(launching_ahead(130, 100));
  ASSERT_EQ(rank.steps.size(), 4U);
  // The end of its kernel completes a step. In the recording, steps 2 and 3 complete at 490 and 620 ns, which are 130
  // ns apart. In the replay, they complete at 400 and 500 ns. The launch of step 3 begins at 300 ns in both, but the
  // step counts only from the completion of step 2 on.
  EXPECT_EQ(rank.steps[3].time.measured, Duration{130});
  EXPECT_EQ(rank.steps[3].time.replayed, Duration{100});
  EXPECT_EQ(rank.steps[3].begin, Time{Duration{400}});
}

/// A kernel of step 0 runs on a separate stream until step 2, so steps 0 and 1 complete when it ends.
TEST(RankStepsTest, NoStepIsCompleteBeforeTheOneBefore) {
  constexpr std::int64_t kLong = 170;
  DagMaker maker;
  const LaneId thread = maker.lane(0);
  const LaneId stream = maker.builder.add_lane({.name = "stream 7", .rank = 0, .kind = LaneKind::kStream});
  const LaneId side = maker.builder.add_lane({.name = "stream 20", .rank = 0, .kind = LaneKind::kStream});
  std::vector<TaskId> calls;
  std::vector<TaskId> kernels;
  for (std::int64_t k = 0; k < 3; ++k) {
    const TaskId call = maker.task(thread, kHost);
    if (k > 0) maker.builder.add_edge(calls.back(), call, EdgeKind::kProgram);
    calls.push_back(call);
    kernels.push_back(maker.task(stream, 10, {calls.back()}, "", TaskKind::kKernel));
  }
  const TaskId long_one = maker.task(side, kLong, {calls[0]}, "", TaskKind::kKernel);
  Capture capture;
  capture.dag = maker.build();
  Recording& recording = capture.recording;
  recording.step.resize(7);
  for (std::size_t k = 0; k < 3; ++k) {
    const TaskId call = maker.new_id(calls[k]);
    recording.step[call.index()] = recording.step[maker.new_id(kernels[k]).index()] = static_cast<std::int32_t>(k);
    recording.steps.push_back(
        {.rank = 0, .number = static_cast<std::int64_t>(k), .first = call, .next_follows = k + 1 < 3});
  }
  recording.step[maker.new_id(long_one).index()] = 0;
  const Timeline timeline = replay(capture.dag, Machine::as_recorded(capture));
  recording.start = timeline.start;
  recording.finish = timeline.finish;

  const RankSteps rank = rank_steps(capture.dag, recording, timeline).at(0);

  // Step 0 completes at 270 ns, with its long kernel. So step 1 completes then too, although its own kernel ends at 210
  // ns. Step 2 completes at 310 ns. Completions are 0 and 40 ns apart, so the host with its 100 ns is slower. The last
  // step begins at 270 ns, not at 200 ns.
  EXPECT_EQ(rank.pace, Pace::kHost);
  EXPECT_EQ(rank.iteration.replayed, Duration{kHost});
  ASSERT_EQ(rank.steps.size(), 3U);
  EXPECT_EQ(rank.steps[2].begin, Time{Duration{kHost + kLong}});
  EXPECT_EQ(rank.steps[2].time.replayed, Duration{310 - (kHost + kLong)});
}

/// Two ranks whose devices complete a step every 110 ns. Their hosts, which run ahead, begin one every 112 and every
/// 125 ns.
TEST(RankStepsTest, RanksThatMeetHaveThePaceOfTheirDevicesWhereTheLeadsOfTheirHostsChange) {
  for (const bool meet : {true, false}) {
    DagMaker maker;
    std::vector<TaskId> calls;
    std::vector<TaskId> kernels;
    for (const Rank rank : {0, 1}) {
      const LaneId thread = maker.lane(rank);
      const LaneId stream = maker.builder.add_lane({.name = "stream 7", .rank = rank, .kind = LaneKind::kStream});
      for (std::int64_t k = 0; k < kSteps; ++k) {
        calls.push_back(maker.task(thread, 1));
        kernels.push_back(maker.task(stream, 50, {calls.back()}, "", TaskKind::kKernel));
      }
    }
    for (std::size_t k = 0; meet && k < kSteps; ++k) maker.rendezvous({kernels[k], kernels[kSteps + k]});
    Capture capture;
    capture.dag = maker.build();
    Recording& recording = capture.recording;
    const auto at = [](std::int64_t time) { return Time{Duration{time}}; };
    recording.start.resize(4 * kSteps);
    recording.finish.resize(4 * kSteps);
    recording.step.resize(4 * kSteps);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const auto k = static_cast<std::int64_t>(i) % kSteps;
      const TaskId call = maker.new_id(calls[i]);
      const TaskId kernel = maker.new_id(kernels[i]);
      const Rank rank = capture.dag.lane(call).rank;
      recording.start[call.index()] = at((rank == 0 ? 112 : 125) * k);
      recording.finish[call.index()] = recording.start[call.index()] + Duration{1};
      recording.start[kernel.index()] = at(450 + 110 * k);
      recording.finish[kernel.index()] = at(500 + 110 * k);
      recording.step[call.index()] = recording.step[kernel.index()] = static_cast<std::int32_t>(i);
      recording.steps.push_back({.rank = rank, .number = k, .first = call, .next_follows = k + 1 < kSteps});
    }
    Timeline as_recorded;
    as_recorded.start = recording.start;
    as_recorded.finish = recording.finish;
    const auto ranks = rank_steps(capture.dag, recording, as_recorded);
    for (const Rank rank : {0, 1}) {
      const RankSteps& steps = ranks.at(rank);
      const Duration host{rank == 0 ? 112 : 125};
      EXPECT_EQ(steps.iteration.measured, meet ? Duration{110} : host);
      EXPECT_EQ(steps.iteration.replayed, meet ? Duration{110} : host);
      EXPECT_EQ(steps.pace, meet ? Pace::kDevice : Pace::kHost);
      EXPECT_EQ(steps.leads_change, meet);
    }
  }
}

TEST(RankStepsTest, WithoutDeviceWorkThereIsNoPaceToCompare) {
  DagMaker maker;
  const TaskId task = maker.task(maker.lane(0), 10);
  Capture capture;
  capture.dag = maker.build();
  capture.recording.start = {Time{}};
  capture.recording.finish = {Time{Duration{10}}};
  capture.recording.step = {0};
  capture.recording.steps = {{.rank = 0, .number = 1, .first = maker.new_id(task)}};
  const RankSteps rank = steps_of(capture);
  EXPECT_EQ(rank.pace, std::nullopt);
  EXPECT_EQ(rank.iteration.replayed, Duration{10});
}

}  // namespace
}  // namespace stepsim::sim::rank_steps_test
