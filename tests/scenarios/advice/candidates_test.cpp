#include "scenarios/advice/candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/scenarios/gpu_job.h"
#include "tests/scenarios/sample_questions.h"

namespace stepsim::scenarios {
namespace {

using std::chrono::microseconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::Not;

/// Returns the candidates of a job. `change` may modify its plan first.
template <class Change>
Candidates candidates_of(const stepsim::testing::Question& question, Change change) {
  Plan plan = question.predictor().plan();
  change(plan);
  const Prediction prediction = question.predictor().predict(question.predictor().plan());
  std::vector<TaskId> tasks;
  for (std::size_t i = 0; i < question.capture().dag.task_count(); ++i) tasks.emplace_back(i);
  return candidates_for(
      {plan, sim::summarize(*prediction.graph, prediction.timeline), sim::list_tasks(question.capture(), tasks)});
}

Candidates candidates_of(const stepsim::testing::Question& question) {
  return candidates_of(question, [](const Plan&) {});
}

std::vector<std::string> sets(const Candidates& candidates) {
  std::vector<std::string> texts;
  for (const Candidate& candidate : candidates.tried) texts.push_back(to_text(candidate.settings));
  return texts;
}

/// Returns the values that are tried for a single key.
std::vector<std::string> values_of(const Candidates& candidates, const std::string& key) {
  std::vector<std::string> values;
  for (const Candidate& candidate : candidates.tried) {
    if (candidate.settings.size() == 1 && candidate.settings.front().key == key)
      values.push_back(candidate.settings.front().value);
  }
  return values;
}

TEST(CandidatesTest, SizesAreHalvesAndDoublesOfTheJobsOwnTheNearestFirst) {
  const auto candidates = candidates_of(stepsim::testing::parameter_server_question(),
                                        [](Plan& plan) { plan.job.partition_bytes = Bytes{1'024'000}; });
  EXPECT_THAT(values_of(candidates, "comm.partition_bytes"),
              ElementsAre("500KiB", "2000KiB", "250KiB", "4000KiB", "125KiB"));
}

TEST(CandidatesTest, ASizeThatIsNoMultipleOfAKibibyteIsInBytes) {
  const auto candidates = candidates_of(stepsim::testing::parameter_server_question(),
                                        [](Plan& plan) { plan.job.partition_bytes = Bytes{1000}; });
  EXPECT_THAT(values_of(candidates, "comm.partition_bytes"), ElementsAre("500", "2000", "250", "4000", "125"));
}

TEST(CandidatesTest, BucketSizesAreWholeMebibytesOrKibibytes) {
  const auto candidates =
      candidates_of(stepsim::testing::streams_question(), [](Plan& plan) { plan.job.bucket_bytes = Bytes{1'576'964}; });
  EXPECT_THAT(values_of(candidates, "comm.bucket_bytes"), ElementsAre("770KiB", "3MiB", "385KiB", "6MiB", "193KiB"));
}

TEST(CandidatesTest, AJobThatLoadsItsDataItselfIsAskedForWorkerProcesses) {
  stepsim::testing::GpuJob job;
  (void)job.call("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", Duration{1000});
  (void)job.launch("kernel", TaskKind::kKernel, Duration{1000}, Duration{1000});
  const auto candidates = candidates_of(std::move(job).question());
  const auto found = std::find_if(candidates.tried.begin(), candidates.tried.end(), [](const Candidate& candidate) {
    return to_text(candidate.settings) == "compute{name=DataLoader}.scale=0";
  });
  ASSERT_NE(found, candidates.tried.end());
  EXPECT_EQ(found->effort, Effort::kSetting);
  EXPECT_THAT(found->what, ::testing::StartsWith("use worker processes for data loading (num_workers"));
}

TEST(CandidatesTest, LongCallsOfTheDriverAreNamedAndBoundedByOneAnother) {
  stepsim::testing::GpuJob job;
  (void)job.call("hipFree", std::chrono::milliseconds{68});
  (void)job.call("hipMalloc", std::chrono::milliseconds{1});  // not more than 1 ms
  (void)job.launch("kernel", TaskKind::kKernel, std::chrono::milliseconds{3}, Duration{1000});
  const auto candidates = candidates_of(std::move(job).question());
  EXPECT_THAT(sets(candidates), Contains("host{name=hipFree}.scale=0"));
  EXPECT_THAT(sets(candidates), Not(Contains("host{name=hipMalloc}.scale=0")));
  EXPECT_THAT(sets(candidates), Not(Contains("host{name=cudaLaunchKernel}.scale=0")));
}

TEST(CandidatesTest, ValuesOfOneSettingAreOneFamilyAndOthersAreNot) {
  const auto candidates = candidates_of(stepsim::testing::byteps_question());
  std::vector<std::size_t> families;
  for (const Candidate& candidate : candidates.tried) {
    if (candidate.settings.front().key == "comm.partition_bytes") families.push_back(candidate.family);
  }
  ASSERT_EQ(families.size(), 5U);
  EXPECT_EQ(std::count(families.begin(), families.end(), families.front()), 5);
  for (const Candidate& candidate : candidates.tried) {
    EXPECT_EQ(candidate.family == families.front(), candidate.settings.front().key == "comm.partition_bytes");
  }
}

TEST(CandidatesTest, WhatAJobDoesAlreadyIsNotTried) {
  const auto candidates = candidates_of(stepsim::testing::parameter_server_question(), [](Plan& plan) {
    plan.job.barrier = Barrier::kCross;
    plan.job.control = Control::kFirst;
  });
  EXPECT_THAT(sets(candidates), Not(Contains("comm.barrier=cross")));
  EXPECT_THAT(sets(candidates), Not(Contains("comm.control=first")));
}

TEST(CandidatesTest, AJobWithoutServersLeavesOutTheirSettingsForOneReason) {
  const auto candidates = candidates_of(stepsim::testing::streams_question());
  EXPECT_THAT(candidates.left_out,
              Contains(Field(&LeftOut::changes, ElementsAre("comm.partition_bytes", "comm.schedule", "comm.barrier",
                                                            "comm.control", "cluster.servers"))));
}

TEST(CandidatesTest, TheSlowestRankIsAskedForAtThePaceOfTheOthers) {
  // In each step of sample_capture, rank 0 computes for 100 us and rank 1 for 150 us. A factor of 0.667 makes them
  // equal.
  const auto candidates = candidates_of(stepsim::testing::streams_question());
  EXPECT_THAT(sets(candidates), Contains("compute{rank=1}.scale=0.667"));
}

TEST(CandidatesTest, TheLongestClassesOfKernelsAreAskedForOneByOne) {
  const auto candidates = candidates_of(stepsim::testing::streams_question());
  EXPECT_THAT(sets(candidates), Contains("compute{class=gemm}.scale=0.5"));
  EXPECT_THAT(sets(candidates), Not(Contains("compute{class=collective}.scale=0.5")));
}

TEST(CandidatesTest, AJobThatWaitsForItsDataLoaderIsAskedForAnotherOne) {
  const auto waiting = candidates_of(stepsim::testing::loading_question({4, 30}));
  EXPECT_THAT(sets(waiting), Contains("loader.scale=0.5"));
  EXPECT_THAT(sets(waiting), Contains("loader.workers=2x"));
  EXPECT_THAT(sets(waiting), Not(Contains("compute{name=DataLoader}.scale=0.5"))) << "it does not load itself";
  const auto others = candidates_of(stepsim::testing::loading_question({0, 0}));
  EXPECT_THAT(values_of(others, "loader.scale"), ElementsAre());
  EXPECT_THAT(others.left_out, Contains(Field(&LeftOut::changes, ElementsAre("loader.workers", "loader.scale"))));
}

TEST(CandidatesTest, EveryLeftOutChangeHasAReason) {
  for (const auto& [name, question] : stepsim::testing::sample_questions()) {
    for (const LeftOut& left_out : candidates_of(question).left_out) {
      EXPECT_FALSE(left_out.reason.empty()) << name;
      EXPECT_FALSE(left_out.changes.empty()) << name;
    }
  }
}

}  // namespace
}  // namespace stepsim::scenarios
