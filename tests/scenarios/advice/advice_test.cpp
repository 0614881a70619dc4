#include "scenarios/advice/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ingest/config/config.h"
#include "model/base/error.h"
#include "scenarios/advice/advice_document.h"
#include "sim/output/json_writer.h"
#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/scenarios/gpu_job.h"
#include "tests/scenarios/sample_questions.h"
#include "tests/thrown_by.h"

namespace stepsim::scenarios::advice_test {
namespace {

using std::chrono::microseconds;
using stepsim::testing::Question;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kThreads[] = {2, 7};

/// Returns the sample questions for which advice takes less than a second.
std::vector<stepsim::testing::NamedQuestion> small_questions() {
  auto questions = stepsim::testing::sample_questions();
  std::erase_if(questions, [](const auto& named) { return named.name == "byteps"; });
  return questions;
}

Advice advice_on(const Question& question, int threads = 2) {
  return advise(question.predictor(), nullptr, {.threads = threads});
}

std::string all_of(const Advice& advice) {
  const AdviceFindings findings{advice, 100};
  const sim::Provenance provenance;
  const sim::Document document = advice_document(findings, provenance);
  sim::JsonWriter json;
  document.json(json);
  return sim::to_text(document) + json.take();
}

const Tried& find(const Advice& advice, const std::string& settings) {
  const auto found = std::find_if(advice.tried.begin(), advice.tried.end(), [&settings](const Tried& tried) {
    return to_text(tried.candidate.settings) == settings;
  });
  if (found == advice.tried.end()) throw std::runtime_error(settings + " was not predicted");
  return *found;
}

Duration iteration_of(const Question& question, const std::vector<Setting>& settings) {
  Scenario scenario;
  for (const Setting& setting : settings) add_set(scenario, setting.key + "=" + setting.value);
  return question.predicted(scenario).iteration;
}

TEST(AdviceTest, EveryChangeIsPredictedAsItsSetWouldBe) {
  for (const auto& [name, question] : stepsim::testing::sample_questions()) {
    const Advice advice = advice_on(question);
    EXPECT_EQ(advice.baseline.iteration, question.iteration()) << name;
    for (const Tried& tried : advice.tried) {
      EXPECT_EQ(tried.iteration.mid, iteration_of(question, tried.candidate.settings))
          << name << ": " << to_text(tried.candidate.settings);
    }
    for (const Together& together : advice.together) {
      std::vector<Setting> settings;
      for (const std::size_t one : together.tried) {
        const auto& more = advice.tried[one].candidate.settings;
        settings.insert(settings.end(), more.begin(), more.end());
      }
      EXPECT_EQ(together.outcome.iteration->mid, iteration_of(question, settings)) << name;
    }
  }
}

/// The captured job takes 54 ms: 34 ms of waits for data and 20 ms of work. A loader that takes half of the time saves
/// 17 ms. A processor that takes 0.7 of the time saves 6 ms.
TEST(AdviceTest, WhoWaitsForItsDataLoaderIsAdvisedOnThatAndNotOnAProcessor) {
  const Advice advice = advice_on(stepsim::testing::loading_question({4, 30}));
  const Tried& loader = find(advice, "loader.scale=0.5");
  EXPECT_EQ(loader.iteration.mid, std::chrono::milliseconds{37});
  EXPECT_EQ(find(advice, "host.scale=0.7").iteration.mid, std::chrono::milliseconds{48});
  EXPECT_EQ(to_text(advice.tried.front().candidate.settings).substr(0, 7), "loader.");
  EXPECT_THAT(all_of(advice), HasSubstr("[loader.scale=0.5]: step time 37 ms ("));
}

/// Before the launch of each of two kernels, the CPU works for 3 ms. A faster CPU saves 0.9 ms of it. A free of 94 ms
/// before them takes most of the CPU's time, and no faster CPU shortens it.
TEST(AdviceTest, AFreeIsNamedAndNotAnsweredByAFasterProcessor) {
  stepsim::testing::GpuJob job;
  (void)job.call("cudaFree", std::chrono::milliseconds{94});
  for (int i = 0; i < 2; ++i)
    (void)job.launch("kernel", TaskKind::kKernel, std::chrono::milliseconds{3}, std::chrono::milliseconds{1});
  const Advice advice = advice_on(std::move(job).question());
  EXPECT_EQ(find(advice, "host.scale=0.7").iteration.mid, Duration{94'000'000 + 2 * 2'100'000 + 1'000'000});
  ASSERT_EQ(advice.long_calls.size(), 1U);
  EXPECT_EQ(advice.long_calls.front().name, "cudaFree");
  EXPECT_DOUBLE_EQ(advice.long_calls.front().share, 0.94);
  EXPECT_THAT(all_of(advice), HasSubstr("94.0 % of the CPU work is cudaFree: a free waits for the device"));
}

/// Returns advice with one change of the code and one of hardware, each with its effect and the same range around it.
Advice two_changes(double code, double hardware, double range) {
  Advice advice;
  advice.baseline.iteration = std::chrono::milliseconds{100};
  const auto add = [&](Effort effort, double by) {
    Tried& tried = advice.tried.emplace_back();
    tried.candidate = {effort, effort == Effort::kCode ? "write it" : "buy it", {{"key", "1"}}, advice.tried.size()};
    tried.iteration.mid = std::chrono::milliseconds{100 + std::lround(100 * by)};
    tried.change = {by - range, by, by + range};
    tried.verdict = by + range < 0 ? Verdict::kGain : Verdict::kUnsure;
    tried.best = true;
  };
  add(Effort::kHardware, hardware);
  add(Effort::kCode, code);
  return advice;
}

TEST(AdviceTest, SettingsAndCodeComeBeforeHardware) {
  const std::string text = all_of(two_changes(-0.1, -0.3, 0.05));
  EXPECT_THAT(text, ::testing::StartsWith("Do this first: write it [key=1]: step time 90 ms"));
  EXPECT_THAT(text, HasSubstr(". With other hardware: buy it [key=1]: -30.0 % (-35.0 % to -25.0 %)"));
  EXPECT_LT(text.find("Best changes\n"), text.find("With other hardware\n"));
  EXPECT_THAT(all_of(two_changes(-0.3, -0.1, 0.05)), Not(HasSubstr(". With other hardware")));
}

TEST(AdviceTest, ALargeEffectWhoseRangeIncludesNoChangeIsUncertainAndNotHidden) {
  const std::string text = all_of(two_changes(-0.27, -0.004, 0.3));
  EXPECT_THAT(text, HasSubstr("Uncertain, because the range includes no change: write it [key=1]: -27.0 %"));
  const auto uncertain = text.find("Uncertain: the range includes no change\n");
  const auto small = text.find("No significant effect\n");
  ASSERT_NE(uncertain, std::string::npos);
  ASSERT_NE(small, std::string::npos);
  EXPECT_NE(text.substr(uncertain, small - uncertain).find("write it"), std::string::npos);
  EXPECT_EQ(text.substr(uncertain, small - uncertain).find("buy it"), std::string::npos);
}

TEST(AdviceTest, TheNumberOfThreadsChangesNothing) {
  for (const auto& [name, question] : small_questions()) {
    const std::string alone = all_of(advice_on(question, 1));
    for (const int threads : kThreads) EXPECT_EQ(all_of(advice_on(question, threads)), alone) << name;
  }
}

TEST(AdviceTest, TheShortestComesFirstAndEachFamilyHasOneBest) {
  for (const auto& [name, question] : small_questions()) {
    const Advice advice = advice_on(question);
    EXPECT_TRUE(std::is_sorted(advice.tried.begin(), advice.tried.end(), [](const Tried& a, const Tried& b) {
      return a.iteration.mid < b.iteration.mid;
    })) << name;
    std::set<std::size_t> families;
    for (const Tried& tried : advice.tried)
      EXPECT_EQ(tried.best, families.insert(tried.candidate.family).second) << to_text(tried.candidate.settings);
  }
}

TEST(AdviceTest, AVerdictFollowsFromTheRangeOfTheChange) {
  for (const auto& [name, question] : small_questions()) {
    for (const Tried& tried : advice_on(question).tried) {
      SCOPED_TRACE(name + ": " + to_text(tried.candidate.settings));
      EXPECT_LE(tried.change.low, tried.change.mid);
      EXPECT_GE(tried.change.high, tried.change.mid);
      EXPECT_LE(tried.iteration.low, tried.iteration.mid);
      EXPECT_GE(tried.iteration.high, tried.iteration.mid);
      switch (tried.verdict) {
        case Verdict::kGain: EXPECT_LT(tried.change.high, 0); break;
        case Verdict::kWorse: EXPECT_GT(tried.change.low, 0); break;
        case Verdict::kNothing: EXPECT_NEAR(tried.change.mid, 0, 0.0005); break;
        case Verdict::kUnsure:
          EXPECT_LE(tried.change.low, 0);
          EXPECT_GE(tried.change.high, 0);
          break;
      }
    }
  }
}

TEST(AdviceTest, ClosedFormsOfAJobOfTwoRanks) {
  // In each step of sample_capture, rank 1 computes for 150 us and arrives last at a collective. The collective and the
  // work after it take another 60 us.
  const Advice advice = advice_on(stepsim::testing::streams_question());
  EXPECT_EQ(advice.baseline.iteration, microseconds{210});
  EXPECT_EQ(find(advice, "compute.scale=0.5").iteration.mid, microseconds{75 + 60});
  EXPECT_EQ(find(advice, "compute.scale=0").iteration.mid, microseconds{60});
  EXPECT_EQ(find(advice, "compute{rank=1}.scale=0.667").iteration.mid, Duration{100'050 + 60'000});
  EXPECT_EQ(find(advice, "compute.scale=0").candidate.effort, Effort::kLimit);
  EXPECT_EQ(find(advice, "compute.scale=0.5").verdict, Verdict::kGain);
}

TEST(AdviceTest, TogetherAreGainsThatCanBeCarriedOutAndDoNotCollide) {
  for (const auto& [name, question] : small_questions()) {
    const Advice advice = advice_on(question);
    for (const Together& together : advice.together) {
      std::set<std::string> keys;
      double sum = 0;
      EXPECT_GE(together.tried.size(), 2U) << name;
      EXPECT_LE(together.tried.size(), 3U) << name;
      for (const std::size_t one : together.tried) {
        const Tried& tried = advice.tried[one];
        EXPECT_EQ(tried.verdict, Verdict::kGain) << name;
        EXPECT_NE(tried.candidate.effort, Effort::kLimit) << name;
        for (const Setting& setting : tried.candidate.settings) EXPECT_TRUE(keys.insert(setting.key).second) << name;
        sum += tried.change.mid;
      }
      EXPECT_DOUBLE_EQ(together.sum, sum) << name;
    }
  }
}

TEST(AdviceTest, LinksAreNotMadeFasterTwice) {
  const Question question(stepsim::testing::DataParallelJob{.ranks = 4}.capture(),
                          ingest::parse_cluster("hosts: 2\ndevices: 2\nnic: {bandwidth: 1Gb/s}\nnvlink: {bandwidth: "
                                                "10GB/s}\n",
                                                "cluster.yaml"),
                          "maxmin");
  const Advice advice = advice_on(question);
  EXPECT_EQ(find(advice, "network.bandwidth=2x").verdict, Verdict::kGain);
  EXPECT_EQ(find(advice, "network.between=2x").verdict, Verdict::kGain);
  ASSERT_FALSE(advice.together.empty());
  for (const Together& together : advice.together) {
    const auto faster_links = std::count_if(together.tried.begin(), together.tried.end(), [&](std::size_t one) {
      const std::string& key = advice.tried[one].candidate.settings.front().key;
      return key == "network.bandwidth" || key == "network.between";
    });
    EXPECT_LE(faster_links, 1);
  }
}

TEST(AdviceTest, WhatIsRefusedIsLeftOutWithItsSentence) {
  const std::string text = all_of(advice_on(stepsim::testing::byteps_question()));
  EXPECT_THAT(text, HasSubstr("- launch.overhead=0us: the capture has no launches of device work\n"));
  EXPECT_THAT(text, HasSubstr("the capture has no launches of device work; expected a trace with CPU and CUDA"));
  EXPECT_THAT(text, Not(HasSubstr("advise:1")));
}

TEST(AdviceTest, AJobThatTakesNoTimeHasNothingToSave) {
  stepsim::testing::GpuJob job;
  job.launch("kernel", TaskKind::kKernel, Duration{}, Duration{});
  const Question question = std::move(job).question();
  EXPECT_THAT(stepsim::testing::thrown_by<CannotAnswer>([&] { return advice_on(question); }),
              HasSubstr("takes no time, so no change can save any"));
}

TEST(AdviceTest, StopsWhenAsked) {
  const std::atomic<bool> stop{true};
  const auto question = stepsim::testing::streams_question();
  EXPECT_THROW((void)advise(question.predictor(), nullptr, {.threads = 2, .stop = &stop}), Interrupted);
}

TEST(AdviceTest, TellsOfEveryPrediction) {
  const auto question = stepsim::testing::streams_question();
  std::uint64_t calls = 0;
  std::uint64_t last = 0;
  const Advice advice =
      advise(question.predictor(), nullptr, {.threads = 2, .progress = [&](std::uint64_t done, std::uint64_t total) {
                                               EXPECT_LE(done, total);
                                               ++calls;
                                               last = done;
                                             }});
  EXPECT_GE(calls, advice.tried.size());
  EXPECT_GT(last, 0U);
}

}  // namespace
}  // namespace stepsim::scenarios::advice_test
