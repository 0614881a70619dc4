#include "sim/analysis/activity.h"

#include <gtest/gtest.h>

#include "sim/engine/engine.h"
#include "sim/engine/machine.h"
#include "tests/sim/stepped_job.h"

namespace stepsim::sim {
namespace {

using testing::SteppedJob;

/// Makes steps that consist of a call of 10 ns and a kernel. The next step's call waits for the kernel. `kernels` has
/// the durations of the kernels in ns. Returns the parts of an iteration of the only rank.
IterationParts parts_of(const std::vector<std::int64_t>& kernels) {
  SteppedJob job;
  TaskId last{};
  int step = 0;
  for (const std::int64_t kernel : kernels) {
    const TaskId call = last.valid() ? job.call(step, 10, {last}) : job.call(step, 10);
    last = job.kernel(step++, kernel, {call});
  }
  const Capture capture = job.capture();
  const Timeline timeline = replay(capture.dag, Machine::as_recorded(capture));
  const auto ranks = rank_steps(capture.dag, capture.recording, timeline);
  return iteration_parts(capture.dag, timeline, 0, ranks.at(0));
}

TEST(IterationPartsTest, APartRunsWhileNoneBeforeItDoes) {
  const IterationParts parts = parts_of({90, 90, 90});
  EXPECT_EQ(parts.compute, Duration{90});
  EXPECT_EQ(parts.host, Duration{10});
  EXPECT_EQ(parts.sum(), Duration{100});
}

TEST(IterationPartsTest, OddStepsMoveNothing) {
  // The shortest and the longest of the four steps are left out, so compute is (90 + 110) / 2 ns.
  const IterationParts parts = parts_of({90, 5000, 110, 1});
  EXPECT_EQ(parts.compute, Duration{100});
  EXPECT_EQ(parts.sum(), Duration{110});
}

TEST(IterationPartsTest, OneStepIsAllThereIs) { EXPECT_EQ(parts_of({70}).compute, Duration{70}); }

}  // namespace
}  // namespace stepsim::sim
