// Tests the what-ifs `launch` and `fuse` on a stream with a few kernels.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/base/error.h"
#include "tests/scenarios/gpu_job.h"
#include "tests/scenarios/sample_questions.h"
#include "tests/sim/dag_maker.h"

namespace stepsim::testing {
namespace {

using std::chrono::microseconds;

/// Returns three kernels of 2 us, which are launched by calls of 5 us and run at least 1 us apart. The host is the
/// bottleneck, and the last kernel ends at 3 * 5 + 2 us.
GpuJob three_kernels() {
  GpuJob job;
  for (const char* const name : {"first", "second", "third"})
    (void)job.launch(name, TaskKind::kKernel, microseconds{5}, microseconds{2}, microseconds{1});
  return job;
}

TEST(LaunchWhatIf, SetsOrScalesTheHostsTimeForEachLaunch) {
  const Question question = three_kernels().question();
  EXPECT_EQ(question.iteration(), microseconds{3 * 5 + 2});
  EXPECT_EQ(question.iteration({"launch.overhead=2x"}), microseconds{3 * 10 + 2});
  EXPECT_EQ(question.iteration({"launch.overhead=4us"}), microseconds{3 * 4 + 2});
}

TEST(LaunchWhatIf, WithoutOverheadOnlyTheStreamTakesTime) {
  EXPECT_EQ(three_kernels().question().iteration({"launch.overhead=0us"}), microseconds{3 * 2 + 2 * 1});
}

/// The call copies a pageable buffer into a staging buffer. That takes 40 us, which the overhead of launches does not
/// change.
TEST(LaunchWhatIf, ACallThatWaitsForTheCopyThatItStartsIsNoLaunch) {
  GpuJob job;
  (void)job.launch("first", TaskKind::kKernel, microseconds{5}, microseconds{2});
  const TaskId copy =
      job.launch("Memcpy HtoD (Pageable -> Device)", TaskKind::kCopy, microseconds{40}, microseconds{9});
  (void)job.launch("second", TaskKind::kKernel, microseconds{5}, microseconds{2});
  job.waits_for(copy);
  const Question question = std::move(job).question();
  EXPECT_EQ(question.iteration(), microseconds{5 + 40 + 9 + 5 + 2});
  EXPECT_EQ(question.iteration({"launch.overhead=0us"}), microseconds{40 + 9 + 2});
}

/// The first launch of a kernel also loads its code, which takes 5 ms here. Only the usual launch time changes.
TEST(LaunchWhatIf, WhatACallTakesBeyondALaunchStays) {
  GpuJob job;
  (void)job.launch("first", TaskKind::kKernel, microseconds{5'100}, microseconds{2});
  EXPECT_EQ(std::move(job).question().iteration({"launch.overhead=0.5x"}), microseconds{5'000 + 50 + 2});
}

TEST(LaunchWhatIf, RefusesACaptureWithoutLaunches) {
  EXPECT_THAT([] { (void)data_parallel_question().iteration({"launch.overhead=0us"}); },
              ::testing::ThrowsMessage<InputError>(::testing::HasSubstr("has no launches of device work")));
}

TEST(FuseWhatIf, ARunOfKernelsTakesOneLaunchAndNoPauses) {
  EXPECT_EQ(three_kernels().question().predicted(std::string_view("changes: [{fuse: {}}]")).iteration,
            microseconds{5 + 3 * 2});
}

TEST(FuseWhatIf, FusesAtMostTheGivenNumber) {
  // The first two kernels are fused and end at 5 + 4 us. The third kernel starts after its launch, at 10 us.
  EXPECT_EQ(three_kernels().question().iteration({"fuse.most=2"}), microseconds{10 + 2});
}

TEST(FuseWhatIf, OnlySelectedKernelsAreFused) {
  // The first kernel stays alone. The other two are fused and start with the second launch, at 2 * 5 us.
  EXPECT_EQ(three_kernels().question().iteration({"fuse{name=second|third}.most=9"}), microseconds{2 * 5 + 2 * 2});
}

TEST(FuseWhatIf, AKernelThatOthersWaitForEndsItsRun) {
  GpuJob job;
  const TaskId first = job.launch("first", TaskKind::kKernel, microseconds{1}, microseconds{10});
  (void)job.launch("second", TaskKind::kKernel, microseconds{1}, microseconds{10});
  const TaskId other =
      job.builder().add_task({.kind = TaskKind::kKernel,
                              .name = job.builder().intern("other"),
                              .lane = job.builder().add_lane({.name = "stream 8", .kind = LaneKind::kStream}),
                              .duration = microseconds{50}});
  job.builder().add_edge(first, other, EdgeKind::kSync);
  EXPECT_EQ(std::move(job).question().iteration({"fuse.most=9"}), microseconds{1 + 10 + 50});
}

TEST(FuseWhatIf, TheFusedTasksAreOneTask) {
  const Question question = three_kernels().question();
  EXPECT_EQ(question.predicted(std::string_view("changes: [{fuse: {}}]")).graph->dag.task_count(),
            question.capture().dag.task_count() - 2);
}

}  // namespace
}  // namespace stepsim::testing
