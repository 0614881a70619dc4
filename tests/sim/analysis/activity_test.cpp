#include "sim/analysis/activity.h"

#include <gtest/gtest.h>

#include "sim/analysis/summary.h"
#include "sim/engine/engine.h"
#include "sim/engine/machine.h"
#include "tests/sim/stepped_job.h"

namespace stepsim::sim {
namespace {

using testing::SteppedJob;

struct PartsAndIteration {
  IterationParts parts;
  Duration iteration{};
};

/// Makes steps that consist of a call of 10 ns and a kernel. The next step's call waits for the kernel. `kernels` has
/// the durations of the kernels in ns. Returns the parts of an iteration of the only rank, and the iteration.
PartsAndIteration iteration_of(const std::vector<std::int64_t>& kernels) {
  SteppedJob job;
  TaskId last{};
  int step = 0;
  for (const std::int64_t kernel : kernels) {
    const TaskId call = last.valid() ? job.call(step, 10, {last}) : job.call(step, 10);
    last = job.kernel(step++, kernel, {call});
  }
  const Capture capture = job.capture();
  const Timeline timeline = replay(capture.dag, Machine::as_recorded(capture));
  const Summary summary = summarize(capture, timeline);
  return {summary.parts, summary.iteration.replayed};
}

IterationParts parts_of(const std::vector<std::int64_t>& kernels) { return iteration_of(kernels).parts; }

TEST(IterationPartsTest, APartRunsWhileNoneBeforeItDoes) {
  const IterationParts parts = parts_of({90, 90, 90});
  EXPECT_EQ(parts.compute, Duration{90});
  EXPECT_EQ(parts.host, Duration{10});
  EXPECT_EQ(parts.sum(), Duration{100});
}

TEST(IterationPartsTest, OddStepsMoveNothing) {
  // The starts of the four steps are 100, 5010 and 120 ns apart; the middle one counts.
  const IterationParts parts = parts_of({90, 5000, 110, 1});
  EXPECT_EQ(parts.compute, Duration{110});
  EXPECT_EQ(parts.sum(), Duration{120});
}

TEST(IterationPartsTest, TheySumToTheIteration) {
  std::vector<std::int64_t> kernels;
  for (const std::int64_t kernel : {10, 30, 10, 31, 10, 20, 10, 7, 55, 13, 89, 2}) {
    kernels.push_back(kernel);
    const auto [parts, iteration] = iteration_of(kernels);
    EXPECT_EQ(parts.sum(), iteration) << kernels.size();
    EXPECT_LE(parts.idle, Duration{6}) << kernels.size();  // what is lost by rounding six parts
  }
}

TEST(IterationPartsTest, DeviceWorkBelongsToTheStepThatLaunchedIt) {
  // The device is more than three steps behind: a kernel of 35 ns was launched before the first step.
  SteppedJob job;
  (void)job.kernel(-1, 35, {});
  for (int step = 0; step < 6; ++step) (void)job.kernel(step, 8, {job.call(step, 10)});
  const Capture capture = job.capture();
  const Summary summary = summarize(capture, replay(capture.dag, Machine::as_recorded(capture)));
  EXPECT_EQ(summary.parts.compute, Duration{8});
  EXPECT_EQ(summary.parts.host, Duration{2});
  EXPECT_EQ(summary.parts.idle, Duration{0});
  EXPECT_EQ(summary.ranks.at(0).compute, Duration{8});
}

TEST(IterationPartsTest, WorkThatOtherStepsLaunchedKeepsTheDeviceBusy) {
  // The only step begins while the device has 100 ns of earlier work, which takes all of its time but its own kernel's.
  SteppedJob job;
  (void)job.kernel(-1, 100, {});
  (void)job.kernel(0, 20, {job.call(0, 10)});
  const Capture capture = job.capture();
  const Summary summary = summarize(capture, replay(capture.dag, Machine::as_recorded(capture)));
  EXPECT_EQ(summary.parts.compute, Duration{20});
  EXPECT_EQ(summary.parts.host, Duration{10});
  EXPECT_EQ(summary.parts.other_steps, Duration{90});
  EXPECT_EQ(summary.parts.idle, Duration{0});
  EXPECT_EQ(summary.ranks.at(0).device_busy, Duration{120});
}

TEST(IterationPartsTest, WorkLaunchedBetweenTwoStepsBelongsToTheOneBefore) {
  SteppedJob job;
  for (int step = 0; step < 6; ++step) {
    (void)job.kernel(step, 4, {job.call(step, 10)});
    (void)job.kernel(-1, 3, {job.call(-1, 2)});
  }
  const Capture capture = job.capture();
  const Summary summary = summarize(capture, replay(capture.dag, Machine::as_recorded(capture)));
  EXPECT_EQ(summary.parts.compute, Duration{7});
  EXPECT_EQ(summary.parts.sum(), Duration{12});
}

TEST(IterationPartsTest, AStepThatWaitsForLongIsNotTypical) {
  SteppedJob job;
  for (int step = 0; step < 6; ++step) {
    const TaskId transfer = job.kernel(step, step == 0 ? 4'000 : 2, {job.call(step, 10)}, 0, "stream 20");
    (void)job.call(step, 1, {transfer});
  }
  const Capture capture = job.capture();
  const Summary summary = summarize(capture, replay(capture.dag, Machine::as_recorded(capture)));
  EXPECT_EQ(summary.ranks.at(0).compute, Duration{2});
  EXPECT_EQ(summary.iteration.replayed, Duration{13});
}

TEST(IterationPartsTest, OneStepIsAllThereIs) { EXPECT_EQ(parts_of({70}).compute, Duration{70}); }

}  // namespace
}  // namespace stepsim::sim
