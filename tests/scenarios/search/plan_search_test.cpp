// Tests the search for a plan against the simulation of all plans, on a transformer that was captured on one GPU.

#include "scenarios/search/plan_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "scenarios/search/plan_document.h"
#include "scenarios/search/plan_space.h"
#include "tests/scenarios/search/plan_question.h"

namespace stepsim::scenarios {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Question;
using testing::plans::kJob;
using testing::plans::question;
using testing::plans::scenario;
using testing::plans::times;

struct Searched {
  PlanFindings pruned;
  PlanFindings all;
};

/// Searches with and without bounds.
Searched searched(const PlanSpace& space, const std::vector<std::string>& sets) {
  const Question asked = question();
  const Scenario plans = scenario(asked, space, sets);
  const PlanSearchOptions every{.threads = 2, .prunes = false};
  const PlanSearchOptions some{.threads = 2};
  return {PlanSearch(asked.predictor(), plans, some).run({}, some),
          PlanSearch(asked.predictor(), plans, every).run({}, every)};
}

/// The networks and batches for which different plans are best.
struct Case {
  std::string nic;
  std::string inside;
  double batches;
  std::vector<std::string> sets;
};

const std::vector<std::string> kNothingDivided{"parallel.sequence=false", "parallel.zero=0", "parallel.recompute=none"};
const std::vector<std::string> kOneBucket{"comm.bucket_bytes=25MiB", "parallel.interleave=1",
                                          "parallel.microbatches=1,4"};

class PlanSearchTest : public ::testing::TestWithParam<Case> {};

TEST_P(PlanSearchTest, FindsTheBestOfAllPlansBecauseNoStepIsShorterThanItsBound) {
  std::vector<std::string> sets = GetParam().sets;
  sets.insert(sets.end(),
              {"cluster.gpus_per_host=4", "cluster.nic=" + GetParam().nic, "cluster.inside=" + GetParam().inside});
  const Searched found = searched({.devices = {16}, .gpus_per_host = 4, .batches = GetParam().batches}, sets);
  EXPECT_GT(found.all.states.size(), 150U);
  EXPECT_EQ(found.all.count(PlanState::kSimulated), found.all.states.size());
  EXPECT_EQ(times(found.pruned), times(found.all));
  EXPECT_LT(found.pruned.count(PlanState::kSimulated), found.all.states.size());
  for (std::size_t point = 0; point < found.all.states.size(); ++point) {
    EXPECT_GT(found.pruned.bounds[point], Duration{}) << point;
    EXPECT_LE(found.pruned.bounds[point], found.all.outcomes[point].iteration->mid) << point;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Networks, PlanSearchTest,
    ::testing::Values(Case{"400Gb/s", "NVLink4", 8, kNothingDivided}, Case{"10Gb/s", "NVLink4", 4, kNothingDivided},
                      Case{"400Gb/s", "16GB/s", 4, kNothingDivided}, Case{"1Gb/s", "1GB/s", 8, kNothingDivided},
                      Case{"400Gb/s", "16GB/s", 16, kOneBucket}, Case{"10Gb/s", "NVLink4", 16, kOneBucket}));

TEST(PlanSearchTest, PlansThatDifferOnlyInTheirBucketsAreListedOnce) {
  const Question asked = question();
  const auto best = [&](const std::string& buckets) {
    const Scenario plans = scenario(asked, {.devices = {4}, .gpus_per_host = 4, .batches = 4},
                                    {"comm.bucket_bytes=" + buckets, "parallel.zero=0", "parallel.interleave=1"});
    const PlanFindings found = PlanSearch(asked.predictor(), plans, {}).run({}, {});
    std::vector<Duration> steps;
    for (const RankedPlan& plan : found.best) steps.push_back(plan.outcome.iteration->mid);
    return steps;
  };
  const std::vector<Duration> some = best("1MiB");
  const std::vector<Duration> others = best("25MiB");
  const std::vector<Duration> all = best("1MiB,25MiB");
  ASSERT_EQ(all.size(), kBestPlans);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_LE(all[i], std::min(some[i], others[i])) << i;
  EXPECT_EQ(all.front(), std::min(some.front(), others.front()));
}

TEST(PlanSearchTest, EveryNumberOfDevicesHasItsBestPlan) {
  const Question asked = question();
  const auto best = [&](const std::vector<std::uint32_t>& devices) {
    const Scenario plans = scenario(asked, {.devices = devices, .gpus_per_host = 8, .batches = 8},
                                    {"cluster.gpus_per_host=8", "cluster.nic=100Gb/s"});
    return PlanSearch(asked.predictor(), plans, {}).run({}, {});
  };
  const PlanFindings together = best({2, 8});
  ASSERT_EQ(together.by_devices.size(), 2U);
  EXPECT_EQ(together.by_devices[0].outcome.iteration, best({2}).best.front().outcome.iteration);
  EXPECT_EQ(together.by_devices[1].outcome.iteration, best({8}).best.front().outcome.iteration);
}

/// Peaks in steps of a quarter.
int steps_of(const Outcome& outcome) {
  return static_cast<int>(std::log(static_cast<double>(outcome.memory->peak.mid.count())) / std::log(1.25));
}

TEST(PlanSearchTest, TheFrontIsThatOfAllPlans) {
  const Question asked = question();
  const Scenario plans = scenario(asked, {.devices = {2, 4}, .gpus_per_host = 8, .batches = 8},
                                  {"cluster.gpus_per_host=8", "comm.bucket_bytes=25MiB", "parallel.zero=0,3",
                                   "parallel.interleave=1", "parallel.sequence=false"});
  const PlanSearchOptions some{.threads = 2, .front = true};
  const PlanSearchOptions every{.threads = 2, .prunes = false, .front = true};
  const PlanFindings pruned = PlanSearch(asked.predictor(), plans, some).run({}, some);
  const PlanFindings all = PlanSearch(asked.predictor(), plans, every).run({}, every);
  EXPECT_LT(pruned.count(PlanState::kSimulated), all.count(PlanState::kSimulated));
  ASSERT_GT(all.front.size(), 4U);
  ASSERT_EQ(pruned.front.size(), all.front.size());
  for (std::size_t i = 0; i < all.front.size(); ++i) {
    EXPECT_EQ(pruned.front[i].point, all.front[i].point);
    EXPECT_EQ(pruned.front[i].outcome.iteration, all.front[i].outcome.iteration);
  }
  std::size_t unbeaten = 0;  // plans that none of all plans beats
  for (std::size_t point = 0; point < all.states.size(); ++point) {
    const auto costs = [&all](std::size_t one) {
      return std::tuple(all.devices[one], steps_of(all.outcomes[one]), all.outcomes[one].iteration->mid);
    };
    bool beaten = false;
    for (std::size_t other = 0; other < all.states.size() && !beaten; ++other) {
      const auto [d, m, t] = costs(point);
      const auto [e, n, u] = costs(other);
      beaten = e <= d && n <= m && u <= t && (costs(other) != costs(point) || other < point);
    }
    if (!beaten) ++unbeaten;
  }
  EXPECT_EQ(all.front.size(), unbeaten);
}

TEST(PlanSearchTest, PartsOfAStepSumToIt) {
  const Question asked = question();
  const Scenario plans = scenario(asked, {.devices = {8}, .gpus_per_host = 8, .batches = 8}, {});
  for (const RankedPlan& plan : PlanSearch(asked.predictor(), plans, {}).run({}, {}).best) {
    const StepParts& parts = plan.parts;
    EXPECT_EQ(parts.compute + parts.tensor + parts.pipeline + parts.data + parts.idle, plan.outcome.iteration->mid);
  }
}

TEST(PlanSearchTest, AStepWithoutStagesHasNoBubble) {
  const Question asked = question();
  for (const std::uint32_t stages : {1U, 2U}) {
    const Scenario plans = scenario(asked, {.devices = {4}, .gpus_per_host = 4, .batches = 4},
                                    {"parallel.interleave=1", "parallel.pipeline=" + std::to_string(stages)});
    for (const RankedPlan& plan : PlanSearch(asked.predictor(), plans, {}).run({}, {}).best) {
      EXPECT_EQ(plan.parts.has_stages, stages > 1);
      EXPECT_NE(plan.parts.limit(), stages > 1 ? "idle" : "bubble");
    }
  }
}

/// Returns the value of a setting of a plan.
std::string value_of(const Points& points, std::size_t point, const std::string& key) {
  for (const Setting& setting : points.at(point)) {
    if (setting.key == key) return setting.value;
  }
  return {};
}

// An H100 has 80 GiB, so replicas of a job of 90 GiB do not fit.
TEST(PlanSearchTest, PlansThatDoNotFitAreNotTried) {
  const Question asked = question(Bytes{std::int64_t{90} << 30});
  const Scenario plans =
      scenario(asked, {.devices = {8}, .gpus_per_host = 8, .batches = 8}, {"parallel.recompute=none"});
  PlanSearch search(asked.predictor(), plans, {});
  const PlanFindings findings = search.run({}, {});
  const Points& points = search.sweep().points();
  std::size_t replicas = 0;
  for (std::size_t point = 0; point < points.size(); ++point) {
    if (value_of(points, point, "parallel.data") != "8" || value_of(points, point, "parallel.microbatches") != "1")
      continue;
    ++replicas;
    EXPECT_EQ(findings.states[point], PlanState::kDoesNotFit) << to_text(points.at(point));
    EXPECT_FALSE(findings.outcomes[point].iteration);
  }
  EXPECT_GT(replicas, 0U);
  for (const RankedPlan& plan : findings.best) EXPECT_NE(findings.states[plan.point], PlanState::kDoesNotFit);
}

// Of 74 GiB on an H100 with 80, replicas may not fit, and plans that divide more do.
TEST(PlanSearchTest, OfPlansThatMayBeEquallyFastThoseThatFitComeFirst) {
  const Question asked = question(Bytes{std::int64_t{74} << 30});
  const Scenario plans = scenario(asked, {.devices = {8}, .gpus_per_host = 8, .batches = 8},
                                  {"parallel.recompute=none", "comm.bucket_bytes=25MiB", "parallel.sequence=false"});
  const PlanFindings all = PlanSearch(asked.predictor(), plans, {.prunes = false}).run({}, {.prunes = false});
  std::optional<std::size_t> fastest;
  std::optional<std::size_t> fitting;
  const auto take = [&all](std::size_t point, std::optional<std::size_t>& least) {
    if (!least || all.outcomes[point].iteration->mid < all.outcomes[*least].iteration->mid) least = point;
  };
  for (std::size_t point = 0; point < all.states.size(); ++point) {
    if (all.states[point] != PlanState::kSimulated) continue;
    take(point, fastest);
    if (all.outcomes[point].memory->fits() == Fit::kYes) take(point, fitting);
  }
  ASSERT_TRUE(fastest && fitting);
  ASSERT_NE(*fastest, *fitting);
  const std::vector<RankedPlan>& best = all.best;
  const auto listed = [&best](std::size_t point) {
    return std::find_if(best.begin(), best.end(), [point](const RankedPlan& plan) { return plan.point == point; });
  };
  ASSERT_NE(listed(*fastest), best.end());
  ASSERT_NE(listed(*fitting), best.end());
  EXPECT_EQ(listed(*fitting) < listed(*fastest),
            listed(*fitting)->outcome.iteration->low <= listed(*fastest)->outcome.iteration->high);
  EXPECT_EQ(all.by_devices.front().point, best.front().point);
  const PlanFindings pruned = PlanSearch(asked.predictor(), plans, {}).run({}, {});
  EXPECT_EQ(pruned.best.front().point, best.front().point);
  EXPECT_GT(pruned.count(PlanState::kCannotWin), 0U);
}

TEST(PlanSearchTest, IfNoPlanFitsTheAnswerSaysWhatIsNeeded) {
  const Question asked = question(Bytes{std::int64_t{90} << 30});
  const Scenario plans = scenario(asked, {.devices = {4}, .gpus_per_host = 8, .batches = 4},
                                  {"parallel.data=4", "parallel.microbatches=1", "parallel.zero=0",
                                   "parallel.recompute=none", "comm.bucket_bytes=25MiB,100MiB"});
  PlanSearch search(asked.predictor(), plans, {});
  EXPECT_THAT(stepsim::testing::thrown_by<CannotAnswer>([&] { return search.run({}, {}); }),
              AllOf(HasSubstr("none of 2 plans fits in memory"), HasSubstr("--global-batch")));
}

// Replicas that divide experts do the same work on fewer weights, and exchange tokens.
TEST(PlanSearchTest, FindsTheBestDivisionOfExperts) {
  testing::TransformerJob job = kJob;
  job.layers = 2;
  job.experts = 4;
  const Question asked = question(job);
  const Scenario plans = scenario(asked, {.devices = {4}, .gpus_per_host = 4, .batches = 4},
                                  {"parallel.recompute=none", "comm.bucket_bytes=25MiB", "parallel.microbatches=1"});
  PlanSearch search(asked.predictor(), plans, {});
  const PlanFindings pruned = search.run({}, {});
  const PlanFindings all = PlanSearch(asked.predictor(), plans, {.prunes = false}).run({}, {.prunes = false});
  EXPECT_EQ(times(pruned), times(all));
  std::size_t divided = 0;
  for (std::size_t point = 0; point < all.states.size(); ++point) {
    const std::string expert = value_of(search.sweep().points(), point, "parallel.expert");
    if (expert != "2" && expert != "4") continue;
    ++divided;
    ASSERT_EQ(all.states[point], PlanState::kSimulated) << all.outcomes[point].problem;
    EXPECT_GT(pruned.bounds[point], Duration{}) << to_text(search.sweep().points().at(point));
    EXPECT_LE(pruned.bounds[point], all.outcomes[point].iteration->mid) << to_text(search.sweep().points().at(point));
  }
  EXPECT_GT(divided, 0U);
}

// --- the space

/// Returns the values of a key in all plans, each once.
std::vector<std::string> values_of_key(const Points& points, const std::string& key) {
  std::vector<std::string> values;
  for (std::size_t point = 0; point < points.size(); ++point) {
    for (const Setting& setting : points.at(point)) {
      if (setting.key == key && std::find(values.begin(), values.end(), setting.value) == values.end())
        values.push_back(setting.value);
    }
  }
  return values;
}

PlanLimits limits(std::size_t layers) {
  return {.layers = layers, .divides_layers = true, .has_replicas = true, .samples = {}, .reasons = {}};
}

TEST(PlanSpaceTest, HasEveryDivisionOfTheDevices) {
  const Scenario plans = with_plans({}, {.devices = {6}, .gpus_per_host = 2, .batches = 6}, limits(3));
  const Points points = points_of(plans);
  std::vector<std::string> divisions;
  for (std::size_t point = 0; point < points.size(); ++point) {
    std::string text;
    for (const Setting& setting : points.at(point)) {
      if (setting.key == "parallel.tensor" || setting.key == "parallel.pipeline" || setting.key == "parallel.data")
        text += setting.value + " ";
    }
    if (divisions.empty() || divisions.back() != text) divisions.push_back(text);
  }
  EXPECT_THAT(divisions, ElementsAre("1 1 6 ", "1 2 3 ", "1 3 2 ", "2 1 3 ", "2 3 1 "));
}

// A replica has 12 batches, which 1, 2 and 4 divide.
TEST(PlanSpaceTest, MicrobatchesDivideTheSamplesOfAReplica) {
  const Scenario plans = with_plans({}, {.devices = {1}, .batches = 12}, limits(1));
  EXPECT_THAT(values_of_key(points_of(plans), "parallel.microbatches"), ElementsAre("1", "2", "4"));
  PlanLimits known = limits(1);
  known.samples = 2;
  const Scenario more = with_plans({}, {.devices = {1}, .batches = 12}, known);
  EXPECT_THAT(values_of_key(points_of(more), "parallel.microbatches"), ElementsAre("1", "2", "4", "8"));
}

// FULL_SHARD is ZeRO 3, which has no buckets. The plan shows it as the user wrote it.
TEST(PlanSpaceTest, WordsOfTheUserCountAsTheNumbersThatTheyStandFor) {
  Scenario asked;
  add_set(asked, "parallel.zero=FULL_SHARD,1");
  add_set(asked, "parallel.data=02");
  const Points points = points_of(with_plans(std::move(asked), {.devices = {2}, .batches = 2}, limits(1)));
  EXPECT_THAT(values_of_key(points, "parallel.zero"), ElementsAre("FULL_SHARD", "1"));
  EXPECT_THAT(values_of_key(points, "parallel.data"), ElementsAre("2"));
  for (std::size_t point = 0; point < points.size(); ++point) {
    EXPECT_EQ(value_of(points, point, "comm.bucket_bytes").empty(),
              value_of(points, point, "parallel.zero") == "FULL_SHARD");
  }
}

TEST(PlanSpaceTest, AWrongValueOfTheUserIsRefusedWhereItIsWritten) {
  Scenario asked;
  add_set(asked, "parallel.zero=x");
  EXPECT_THAT(stepsim::testing::thrown_by<InputError>([&] { return with_plans(asked, {.devices = {2}}, limits(1)); }),
              HasSubstr("--set parallel.zero=x:1: 'zero' is 'x'"));
}

TEST(PlanSpaceTest, ValuesOfTheUserAreTheOnlyOnes) {
  Scenario asked;
  for (const char* const set : {"parallel.tensor=4", "comm.bucket_bytes=1MiB,2MiB", "precision.to=bf16,fp8"})
    add_set(asked, set);
  const Points points = points_of(with_plans(asked, {.devices = {8}, .batches = 8}, limits(4)));
  EXPECT_THAT(values_of_key(points, "parallel.tensor"), ElementsAre("4"));
  EXPECT_THAT(values_of_key(points, "comm.bucket_bytes"), ElementsAre("1MiB", "2MiB"));
  EXPECT_THAT(values_of_key(points, "precision.to"), ElementsAre("bf16", "fp8"));
}

PlanLimits limits_of(const Capture& capture) {
  DividedStep step(capture);
  return plan_limits(step);
}

// A degree that the user asks for is a plan, which the capture then refuses with its reason.
TEST(PlanSpaceTest, DevicesOfALayerDivideItsHeads) {
  PlanLimits known = limits(1);
  known.key_heads = 2;
  EXPECT_THAT(values_of_key(points_of(with_plans({}, {.devices = {8}, .batches = 8}, known)), "parallel.tensor"),
              ElementsAre("1", "2"));
  Scenario asked;
  add_set(asked, "parallel.tensor=8");
  EXPECT_THAT(values_of_key(points_of(with_plans(asked, {.devices = {8}, .batches = 8}, known)), "parallel.tensor"),
              ElementsAre("8"));
  EXPECT_EQ(limits_of(kJob.capture()).key_heads, kJob.heads);
}

TEST(PlanSpaceTest, ReplicasDivideExpertsIfLayersAreWhole) {
  PlanLimits known = limits(1);
  known.experts = 6;
  const Points points = points_of(with_plans({}, {.devices = {4}, .gpus_per_host = 2, .batches = 4}, known));
  EXPECT_THAT(values_of_key(points, "parallel.expert"), ElementsAre("1", "2"));
  for (std::size_t point = 0; point < points.size(); ++point) {
    if (value_of(points, point, "parallel.tensor") == "1") continue;
    EXPECT_EQ(value_of(points, point, "parallel.expert"), "") << to_text(points.at(point));
  }
  EXPECT_EQ(limits_of(kJob.capture()).experts, 0U);
}

TEST(PlanSpaceTest, OneStageHasOnePart) {
  Scenario asked;
  add_set(asked, "parallel.interleave=1,3");
  const Points points = points_of(with_plans(asked, {.devices = {2}, .batches = 4}, limits(6)));
  std::vector<std::string> of_one_stage;
  for (std::size_t point = 0; point < points.size(); ++point) {
    if (value_of(points, point, "parallel.pipeline") == "1")
      of_one_stage.push_back(value_of(points, point, "parallel.interleave"));
  }
  EXPECT_THAT(of_one_stage, ::testing::Each("1"));
  EXPECT_THAT(values_of_key(points, "parallel.interleave"), ElementsAre("1", "3"));
}

TEST(PlanSpaceTest, TheSearchDecidesTheBatchOfAReplica) {
  Scenario asked;
  add_set(asked, "batch.scale=2");
  EXPECT_THAT(stepsim::testing::thrown_by<UsageError>(
                  [&] { return with_plans(asked, {.devices = {8}, .batches = 8}, limits(4)); }),
              HasSubstr("--global-batch"));
}

TEST(PlanSpaceTest, ACaptureLimitsThePlans) {
  const PlanLimits found = limits_of(kJob.capture());
  EXPECT_EQ(found.layers, 8U);
  EXPECT_TRUE(found.divides_layers);
  EXPECT_TRUE(found.has_replicas);
  Capture without_gradients = kJob.capture();
  without_gradients.gradients.clear();
  const PlanLimits fewer = limits_of(without_gradients);
  EXPECT_FALSE(fewer.has_replicas);
  EXPECT_THAT(fewer.reasons, ElementsAre(HasSubstr("gradients with sizes")));
}

}  // namespace
}  // namespace stepsim::scenarios
