#include "sim/report/rank_steps.h"

#include <gtest/gtest.h>

#include "sim/engine/engine.h"
#include "tests/sim/dag_maker.h"

namespace stepsim::sim {
namespace {

using stepsim::testing::DagMaker;

constexpr std::int64_t kHost = 100;
constexpr std::int64_t kSteps = 4;

/// A thread that launches one kernel a step and waits for nothing: step k is launched from
/// 100 k to 100 (k + 1) ns. Kernels took `recorded` ns and are replayed with `replayed` ns.
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

MeasuredAndReplayed iteration_of(const Capture& capture) {
  const Timeline timeline = replay(capture.dag, Machine::as_recorded(capture));
  return longest_iteration(rank_steps(capture.dag, capture.recording, timeline));
}

TEST(RankStepsTest, TheSlowerOfHostAndDeviceSetsThePace) {
  for (const std::int64_t kernel : {1, 60, 99, 100, 101, 250, 10'000}) {
    const MeasuredAndReplayed iteration = iteration_of(launching_ahead(60, kernel));
    EXPECT_EQ(iteration.measured, Duration{kHost});
    EXPECT_EQ(iteration.replayed, Duration{std::max(kHost, kernel)}) << kernel;
  }
}

TEST(RankStepsTest, ADeviceThatFellBehindWhenRecordedCountsOnlyWhatIsMore) {
  EXPECT_EQ(iteration_of(launching_ahead(130, 130)).replayed, Duration{kHost});
  EXPECT_EQ(iteration_of(launching_ahead(130, 150)).replayed, Duration{kHost + 20});
  EXPECT_EQ(iteration_of(launching_ahead(130, 60)).replayed, Duration{kHost});
}

}  // namespace
}  // namespace stepsim::sim
