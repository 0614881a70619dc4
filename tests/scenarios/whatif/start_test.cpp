// Tests when ranks begin, for a step that waits for the last rank.

#include <gtest/gtest.h>

#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/model/rewrite/parameter_server/workload_maker.h"
#include "tests/scenarios/sample_questions.h"

namespace stepsim::testing {
namespace {

using std::chrono::microseconds;

constexpr Duration kLate = microseconds{5000};
/// The time of a step: 40 ms of backward, two rounds of 20 us plus 1.3 MB at 1 GB/s, and 1 ms of optimizer.
constexpr Duration kStep = microseconds{41'000 + 2 * (20 + 1300)};

/// Returns one step of DataParallelJob in which rank 1 begins kLate after rank 0.
Question late_question() {
  Capture capture = DataParallelJob{.steps = 1}.capture();
  for (std::size_t i = 0; i < capture.dag.task_count(); ++i) {
    if (capture.dag.lane(TaskId{i}).rank != 1) continue;
    capture.recording.start[i] += kLate;
    capture.recording.finish[i] += kLate;
  }
  return Question(std::move(capture), switch_of(2, 1e9, Duration{10'000}), "maxmin");
}

Duration delayed(const Question& question, const std::string& set) {
  return question.iteration({"comm.algorithm=ring", set});
}

TEST(StartWhatIf, TheFirstRankWaitsAsLongAsTheLastIsLate) {
  const Question question = late_question();
  EXPECT_EQ(question.iteration({"comm.algorithm=ring"}), kStep + kLate);
  EXPECT_EQ(delayed(question, "start{rank=1}.delay=0us"), kStep);
  EXPECT_EQ(delayed(question, "start{rank=1}.delay=0.5x"), kStep + kLate / 2);
  EXPECT_EQ(delayed(question, "start{rank=1}.delay=9ms"), kStep + microseconds{9000});
}

TEST(StartWhatIf, WithoutASelectionAllBeginTogether) { EXPECT_EQ(delayed(late_question(), "start.delay=0us"), kStep); }

TEST(StartWhatIf, ARankThatIsLateAnywayMayBeginLater) {
  EXPECT_EQ(delayed(late_question(), "start{rank=0}.delay=5ms"), kStep);
}

TEST(StartWhatIf, IsRefusedWhereRanksDoNotBeginAsCaptured) {
  EXPECT_NE(problem_of(parameter_server_question(), {"start.delay=0us"}).find("do not start together"),
            std::string::npos);
  EXPECT_NE(problem_of(gpu_question(), {"start.delay=0us"}).find("traces of all ranks"), std::string::npos);
}

}  // namespace
}  // namespace stepsim::testing
