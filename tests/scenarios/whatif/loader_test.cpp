// Tests steps that wait for data-loading processes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "scenarios/answer/interval.h"
#include "scenarios/answer/learn_from_capture.h"
#include "scenarios/answer/predict.h"
#include "tests/scenarios/gpu_job.h"
#include "tests/scenarios/sample_questions.h"

namespace stepsim::testing {
namespace {

using std::chrono::milliseconds;

TEST(LoaderWhatIf, ScaleIsOfTheWaitsAlone) {
  const Question question = loading_question({4, 6});
  EXPECT_EQ(question.iteration(), milliseconds{30});
  EXPECT_EQ(question.iteration({"loader.scale=0.5"}), milliseconds{25});
  EXPECT_EQ(question.iteration({"loader.scale=0"}), milliseconds{20});
  EXPECT_EQ(question.iteration({"loader.scale=2"}), milliseconds{40});
}

TEST(LoaderWhatIf, NoFasterProcessorShortensAWaitForOtherProcesses) {
  const Question question = loading_question({4, 6});
  EXPECT_EQ(question.iteration({"host.scale=0"}), milliseconds{10});
  EXPECT_EQ(question.iteration({"host.scale=0.5"}), milliseconds{20});
  EXPECT_EQ(question.iteration({"compute.scale=0.5"}), milliseconds{20}) << "a job without a device computes there";
  EXPECT_EQ(question.iteration({"compute{kind=loader}.scale=0.5"}), milliseconds{25}) << "who selects it means it";
}

/// The second step's batch took 40 ms: 10 ms of the previous step's work and 30 ms of waiting. With twice as many
/// processes it takes 20 ms less. The first step's batch took 14 ms, because the work before it was as long as that
/// after the last batch. 7 ms less are more than its wait of 4 ms; the other 3 ms help the second batch.
TEST(LoaderWhatIf, MoreProcessesTakeTheirShareOfTheTimeForABatch) {
  const Question question = loading_question({4, 30});
  EXPECT_EQ(question.iteration(), milliseconds{54});
  EXPECT_EQ(question.iteration({"loader.workers=2x"}), milliseconds{54 - 4 - 20 - 3});
  EXPECT_EQ(question.iteration({"loader.workers=4x"}), milliseconds{54 - 4 - 30});
  EXPECT_EQ(question.iteration({"loader.workers=0.5x"}), milliseconds{54 + 14 + 40});
}

/// With twice as many processes, the second batch, the first one that was waited for, takes 11 ms instead of 10 + 10 +
/// 2 ms, where the first 10 are those after the last batch. So it is ready 9 ms before it is needed. The third batch,
/// which took 10 + 30 ms, starts these 9 ms earlier and takes 20 ms less.
TEST(LoaderWhatIf, ABatchThatComesEarlyHelpsTheNextOne) {
  const Question question = loading_question({0, 2, 30});
  EXPECT_EQ(question.iteration({"loader.workers=2x"}), milliseconds{10 + 10 + 10 + 30 - 20 - 9});
}

/// The profiler takes 3 ms of the 10 ms of work of each step. Batches arrive when they did in the capture, so without
/// it each wait is 3 ms longer. The work before the first wait was not captured, so the last step's 3 ms count for it.
TEST(LoaderWhatIf, BatchesArriveAtTheSameTimesWithoutTheProfiler) {
  Capture capture = loading_capture({4, 6, 30});
  capture.recording.events.resize(capture.dag.task_count());
  for (const TaskId task : capture.dag.tasks())
    capture.recording.events[task.index()] = capture.dag.kind(task) == TaskKind::kHost ? 1'000 : 0;
  capture.job.profiler_cost = std::chrono::microseconds{3};
  const Question question(std::move(capture));
  scenarios::ReplayMeter meter;
  scenarios::take_out_profiler(question.builder(), meter);
  EXPECT_EQ(question.iteration(), milliseconds{70}) << "as captured";
  EXPECT_EQ(question.iteration({"loader.scale=0"}), milliseconds{21});
  EXPECT_EQ(question.iteration({"loader.workers=4x"}), milliseconds{21}) << "three quarters are more than the waits";
}

TEST(LoaderWhatIf, ANumberOfProcessesNeedsTheCapturedOne) {
  EXPECT_EQ(loading_question({4, 30}, 3).iteration({"loader.workers=6"}), milliseconds{27});
  EXPECT_EQ(loading_question({4, 30}, 3).iteration({"loader.workers=3"}), milliseconds{54});
  EXPECT_THAT(problem_of(loading_question({4, 30}), {"loader.workers=6"}),
              ::testing::HasSubstr("expected job.yaml's loader_workers, or a factor such as 2x"));
}

TEST(LoaderWhatIf, NothingIsSaidOfALoaderThatNobodyWaitsFor) {
  EXPECT_THAT(problem_of(loading_question({0, 0}), {"loader.scale=0.5"}),
              ::testing::HasSubstr("no wait of 100 us or more for data-loading processes"));
  EXPECT_THAT(problem_of(loading_question({0, 4}), {"loader{name=work}.scale=0.5"}),
              ::testing::HasSubstr("has no wait for data-loading processes"));
  EXPECT_EQ(problem_of(loading_question({0, 0}), {"loader.scale=1"}), "taken");
  GpuJob itself;
  (void)itself.launch("kernel", TaskKind::kKernel, milliseconds{1}, milliseconds{1});
  (void)itself.launch("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", TaskKind::kHost, {}, {});
  EXPECT_THAT(problem_of(std::move(itself).question(), {"loader.workers=2x"}),
              ::testing::HasSubstr("expected compute{name=DataLoader}.scale"));
}

/// Returns the source "loader" of an answer's range, or nothing if the range does not have it.
std::optional<scenarios::RangeSource<Duration>> range_by_loader(const Question& question, const std::string& set) {
  scenarios::Scenario scenario;
  scenarios::add_set(scenario, set);
  scenarios::Plan plan = question.predictor().plan();
  const scenarios::Prediction baseline = question.predictor().predict(plan);
  scenarios::apply_all(scenario.changes, plan);
  scenarios::ReplayMeter meter;
  const scenarios::Range<Duration> range =
      scenarios::interval_of(question.predictor(), plan, baseline, question.predictor().predict(plan), meter);
  for (const scenarios::RangeSource<Duration>& source : range.sources) {
    if (source.name == "loader") return source;
  }
  return std::nullopt;
}

TEST(LoaderWhatIf, ALoaderThatSetsThePaceMayLeaveNothingOfWhatOtherChangesSave) {
  const Question question = loading_question({4, 6});
  const auto faster = range_by_loader(question, "host.scale=0.5");
  ASSERT_TRUE(faster);
  EXPECT_EQ(faster->low, milliseconds{20});
  EXPECT_EQ(faster->high, milliseconds{30}) << "as captured";
  const auto slower = range_by_loader(question, "host.scale=1.25");
  ASSERT_TRUE(slower);
  EXPECT_EQ(slower->low, milliseconds{30}) << "25 ms of work, but no less than captured";
  EXPECT_EQ(slower->high, milliseconds{35});
  const auto workers = range_by_loader(question, "loader.workers=2x");
  ASSERT_TRUE(workers);
  EXPECT_EQ(workers->high, milliseconds{30}) << "more of them save nothing if something else limits them";
  EXPECT_FALSE(range_by_loader(question, "loader.scale=0.5")) << "the user says what the waits are";
  EXPECT_FALSE(range_by_loader(question, "host.scale=1"));
}

TEST(LoaderWhatIf, ALoaderThatIsHardlyWaitedForWidensNothing) {
  EXPECT_FALSE(range_by_loader(loading_question({0, 1}), "host.scale=0.5")) << "1 of 21 ms";
}

}  // namespace
}  // namespace stepsim::testing
