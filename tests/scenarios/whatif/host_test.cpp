#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <utility>

#include "tests/scenarios/gpu_job.h"
#include "tests/scenarios/sample_questions.h"

namespace stepsim::testing {
namespace {

/// Returns a job whose host launches twice, in 3 ms each, and whose device computes for 1 ms after each launch.
Question host_bound() {
  GpuJob job("NVIDIA A100-SXM4-40GB");
  for (int i = 0; i < 2; ++i)
    (void)job.launch("kernel", TaskKind::kKernel, std::chrono::milliseconds{3}, std::chrono::milliseconds{1});
  return std::move(job).question();
}

TEST(HostWhatIf, HostWorkTakesAFactorOfItsTimeAndTheDeviceItsOwn) {
  const Question question = host_bound();
  EXPECT_EQ(question.iteration(), std::chrono::milliseconds{7});
  EXPECT_EQ(question.iteration({"host.scale=0.5"}), std::chrono::milliseconds{4});
  EXPECT_EQ(question.iteration({"host.scale=2"}), std::chrono::milliseconds{13});
  // If the host takes no time, the device computes without a pause.
  EXPECT_EQ(question.iteration({"host.scale=0"}), std::chrono::milliseconds{2});
}

/// The host frees memory for 5 ms, then launches for 3 ms a kernel of 1 ms: a faster CPU shortens only the launch.
TEST(HostWhatIf, LongCallsThatLaunchNothingKeepTheirTimesUnlessSelected) {
  GpuJob job;
  (void)job.call("cudaFree", std::chrono::milliseconds{5});
  (void)job.launch("kernel", TaskKind::kKernel, std::chrono::milliseconds{3}, std::chrono::milliseconds{1});
  const Question question = std::move(job).question();
  EXPECT_EQ(question.iteration({"host.scale=0"}), std::chrono::milliseconds{5 + 1});
  EXPECT_EQ(question.iteration({"host{name=cudaFree}.scale=0"}), std::chrono::milliseconds{3 + 1});
}

TEST(HostWhatIf, OneChangesNothing) {
  const Question question = host_bound();
  EXPECT_EQ(question.predicted({"host.scale=1"}).timeline.finish, question.predicted({}).timeline.finish);
}

/// Returns host_bound() in which 2 ms of each launch's 3 ms are a pause.
Question pausing() {
  GpuJob job("NVIDIA A100-SXM4-40GB");
  for (int i = 0; i < 2; ++i)
    (void)job.launch("kernel", TaskKind::kKernel, std::chrono::milliseconds{3}, std::chrono::milliseconds{1});
  Capture capture = std::move(job).capture();
  for (const TaskId task : capture.dag.tasks()) {
    if (capture.dag.name(task) == "cudaLaunchKernel")
      capture.recording.pauses.push_back({task, std::chrono::milliseconds{2}});
  }
  return Question(std::move(capture));
}

TEST(HostWhatIf, PausesTakeAFactorOfTheTimeThatTheyAdded) {
  const Question question = pausing();
  EXPECT_EQ(question.iteration({"host.pauses=0"}), std::chrono::milliseconds{1 + 1 + 1});
  EXPECT_EQ(question.iteration({"host.pauses=0.5"}), std::chrono::milliseconds{2 + 2 + 1});
  EXPECT_EQ(question.iteration({"host.pauses=2"}), std::chrono::milliseconds{5 + 5 + 1});
  EXPECT_EQ(question.predicted({"host.pauses=1"}).timeline.finish, question.predicted({}).timeline.finish);
  for (const auto& sets : {std::pair{"host.pauses=0", "host.scale=0.5"}, {"host.scale=0.5", "host.pauses=0"}})
    EXPECT_EQ(question.iteration({sets.first, sets.second}), std::chrono::microseconds{500 + 1000 + 1000});
}

TEST(HostWhatIf, OnlySelectedPausesMove) {
  EXPECT_EQ(pausing().iteration({"host{rank=0}.pauses=0"}), std::chrono::milliseconds{1 + 1 + 1});
  EXPECT_THAT(problem_of(pausing(), {"host{kind=kernel}.pauses=0"}), ::testing::HasSubstr("no pause"));
  EXPECT_EQ(host_bound().iteration({"host.pauses=0"}), std::chrono::milliseconds{7}) << "there are none";
}

TEST(HostWhatIf, OnlySelectedHostWorkMoves) {
  EXPECT_EQ(host_bound().iteration({"host{rank=0}.scale=2"}), std::chrono::milliseconds{13});
  EXPECT_THAT(problem_of(host_bound(), {"host{kind=kernel}.scale=2"}), ::testing::HasSubstr("no CPU work"));
}

}  // namespace
}  // namespace stepsim::testing
