#include "ingest/stitch/host_device/stitched_rank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "model/base/known_diagnostics.h"
#include "tests/ingest/trace_maker.h"

namespace stepsim::ingest {
namespace {

using ::testing::ElementsAre;
using testing::TraceMaker;

constexpr int kSteps = 3;
constexpr int kKernels = 200;
constexpr std::size_t kTasks = 400;

/// States which events of the k-th kernel of a step are recorded.
struct Kept {
  bool call = true;
  bool kernel = true;
};

/// Three steps of 200 launches each, alternating between two kernels.
struct Recorded {
  TraceMaker maker;
  Diagnostics diagnostics;

  explicit Recorded(const std::function<Kept(int step, int k)>& kept) {
    const TrackId thread = maker.thread("1");
    const TrackId stream = maker.stream(7);
    for (int step = 0; step < kSteps; ++step) {
      maker.add(EventKind::kAnnotation, "ProfilerStep#" + std::to_string(step), thread, step * 1000, 900);
      for (int k = 0; k < kKernels; ++k) {
        const auto [call, kernel] = kept(step, k);
        const double at = step * 1000 + 4 * k;
        const int correlation = step * kKernels + k;
        if (call) maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, at, 1, correlation);
        if (kernel) maker.add(EventKind::kKernel, k % 2 == 0 ? "even" : "odd", stream, at + 2, 1, correlation);
      }
    }
  }
  std::vector<bool> whole() {
    return whole_steps(arrange(maker.trace), std::vector<std::size_t>(kSteps, kTasks), diagnostics);
  }
};

TEST(WholeStepsTest, StepsWithAllTheirKernelsAreWhole) {
  Recorded recorded([](int, int) { return Kept{}; });
  EXPECT_THAT(recorded.whole(), ElementsAre(true, true, true));
  EXPECT_EQ(recorded.diagnostics.count_of("lost_kernels"), 0U);
}

TEST(WholeStepsTest, MoreThanOneLaunchInAHundredWithoutItsKernelSetsAStepAside) {
  // Steps 0, 1 and 2 lack 1, 2 and 3 of their 200 kernels.
  Recorded recorded([](int step, int k) { return Kept{.kernel = k >= step + 1}; });
  EXPECT_THAT(recorded.whole(), ElementsAre(true, true, false));
  EXPECT_EQ(recorded.diagnostics.count_of("lost_kernels"), 1U + 2U + 3U);
}

TEST(WholeStepsTest, WhatHadNotRunWhenTheRecordingEndedIsNotLost) {
  Recorded recorded([](int step, int k) { return Kept{.kernel = step < 2 || k < 100}; });
  EXPECT_THAT(recorded.whole(), ElementsAre(true, true, false));
  EXPECT_EQ(recorded.diagnostics.count_of("lost_kernels"), 0U);
}

TEST(WholeStepsTest, ACutFileIsJudgedByItsOtherSteps) {
  // The last step lost half of its launches, with their kernels.
  const auto kept = [](int step, int k) { return Kept{step < 2 || k < 100, step < 2 || k < 100}; };
  Recorded recorded(kept);
  EXPECT_THAT(recorded.whole(), ElementsAre(true, true, true));  // in a whole file, steps may do different work
  Recorded cut(kept);
  cut.diagnostics.count(diagnostic("truncated_file"), {});
  EXPECT_THAT(cut.whole(), ElementsAre(true, true, false));
  EXPECT_EQ(cut.diagnostics.count_of("lost_kernels"), 100U);
}

TEST(WholeStepsTest, StepsOfACutFileThatEachLackOtherKernelsAreAllSetAside) {
  Recorded halves([](int step, int k) { return Kept{true, (k % 2 == 0) == (step == 0)}; });
  halves.diagnostics.count(diagnostic("truncated_file"), {});
  EXPECT_THAT(halves.whole(), ElementsAre(false, false, false));
}

}  // namespace
}  // namespace stepsim::ingest
