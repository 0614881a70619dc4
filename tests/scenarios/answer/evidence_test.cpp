#include "scenarios/answer/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/model/rewrite/transformer_job.h"
#include "tests/scenarios/question.h"

namespace stepsim::scenarios {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Returns a plan of a job on one GPU, as captured.
const Plan& captured() {
  static const testing::Question question(testing::TransformerJob{}.capture());
  static const Plan plan = question.predictor().plan();
  return plan;
}

AnswerEvidence about(std::set<AnswerKind> kinds, Plan plan = captured()) {
  plan.kinds = std::move(kinds);
  return evidence_for(plan);
}

TEST(EvidenceTest, TheTableHasARowForEachRegimeAndForEachKind) {
  std::set<std::tuple<std::string_view, std::string_view, std::string_view, std::string_view, std::string_view>> seen;
  std::set<std::string_view> questions;
  for (const Evidence& row : evidence()) {
    EXPECT_TRUE(seen.emplace(row.question, row.devices, row.base, row.hosts, row.mode).second) << row.question;
    EXPECT_GT(row.rows, 0U);
    EXPECT_GE(row.rows, row.sources);
    EXPECT_GE(row.error, 0);
    EXPECT_GE(row.median, 0);
    EXPECT_GT(row.factor, 0);
    questions.insert(row.question);
  }
  for (const AnswerKindName& kind : kAnswerKinds) {
    EXPECT_TRUE(kind.question.empty() || questions.contains(kind.question)) << kind.question;
  }
}

TEST(EvidenceTest, TheRowIsThatOfTheRegime) {
  const AnswerEvidence found = about({AnswerKind::kDevice});
  EXPECT_EQ(found.row->question, "device");
  EXPECT_EQ(found.row->devices, "GPU");
  EXPECT_EQ(found.row->base, "captured");
  EXPECT_EQ(found.row->hosts, "one");
  EXPECT_EQ(found.row->mode, "training");
  EXPECT_THAT(found.sentence(), StartsWith("Answers of this kind (another GPU, captured step, one host, training)"));
}

TEST(EvidenceTest, AJobWithoutGpusIsOfAnotherKind) {
  const testing::Question question(testing::DataParallelJob{}.capture());
  const AnswerEvidence found = about({AnswerKind::kRanks}, question.predictor().plan());
  EXPECT_EQ(found.row->devices, "CPU");
  const AnswerEvidence device = about({AnswerKind::kDevice}, question.predictor().plan());
  EXPECT_FALSE(device.is_measured());
  EXPECT_EQ(device.row->devices, "");
  EXPECT_THAT(device.sentence(), StartsWith("Nothing of this kind was measured (another GPU, job without GPUs, "));
}

TEST(EvidenceTest, OfSeveralKindsTheWorstCounts) {
  const AnswerEvidence device = about({AnswerKind::kDevice});
  const AnswerEvidence batch = about({AnswerKind::kBatch});
  ASSERT_NE(device.row->error, batch.row->error);
  const AnswerEvidence both = about({AnswerKind::kDevice, AnswerKind::kBatch});
  EXPECT_EQ(both.row, is_worse(device, batch) ? device.row : batch.row);
  EXPECT_EQ(both.row->error, std::max(device.row->error, batch.row->error));
  const AnswerEvidence unknown = about({AnswerKind::kDevice, AnswerKind::kNotMeasured});
  EXPECT_EQ(unknown.row->question, "");
  EXPECT_EQ(unknown.sentence(),
            "Nothing of this kind was measured (captured step, one host, training): the range is half as wide again as "
            "that of measured kinds.");
  EXPECT_EQ(both.factor, std::max(device.factor, batch.factor));
  EXPECT_EQ(unknown.factor, std::max(device.factor, evidence().back().factor));
  EXPECT_EQ(about({}).factor, 1) << "nothing changes";
}

TEST(EvidenceTest, WhatWasNeverMeasuredHasARangeHalfAsWideAgain) {
  const auto row = [](std::string_view question) {
    return *std::find_if(evidence().begin(), evidence().end(),
                         [question](const Evidence& one) { return one.question == question; });
  };
  for (const AnswerKindName& kind : kAnswerKinds) {
    const bool has_row = !kind.question.empty() && kind.question != "replay";
    EXPECT_TRUE(!has_row || row(kind.question).factor >= 1.5) << kind.question;
  }
  EXPECT_GE(row("").factor, 1.5);
}

TEST(EvidenceTest, AModelledStepWithoutAChangeHasTheRangeOfItsSources) {
  AnswerEvidence answer = about({});
  answer.base = "modelled";
  Evidence row = *answer.row;
  row.base = "";
  answer.row = &row;
  EXPECT_EQ(answer.sentence(), "Nothing of this kind was measured (no change, modelled step, one host, training).");
}

TEST(EvidenceTest, WhatChangesNothingIsNeverTheWorst) {
  const AnswerEvidence nothing = about({});
  const AnswerEvidence batch = about({AnswerKind::kBatch});
  EXPECT_TRUE(is_worse(batch, nothing));
  EXPECT_FALSE(is_worse(nothing, batch));
}

TEST(EvidenceTest, AnAnswerIsUnreliableIfMostOfItsKindWereFarOff) {
  AnswerEvidence answer = about({AnswerKind::kDevice});
  Evidence row = *answer.row;
  answer.row = &row;
  row.median = 0.19;
  EXPECT_FALSE(answer.is_unreliable());
  row.median = 0.21;
  EXPECT_TRUE(answer.is_unreliable());
  row.base = "";
  EXPECT_FALSE(answer.is_unreliable()) << "the row is of other steps";
}

TEST(EvidenceTest, ADividedJobIsOfTheKindOfItsDivision) {
  Plan plan = captured();
  const auto kind = [&plan](Parallelism parallelism) {
    plan.parallelism = std::move(parallelism);
    return about({AnswerKind::kNetworkRate}, plan).kind;
  };
  EXPECT_EQ(kind({}), AnswerKind::kNetworkRate);
  EXPECT_EQ(kind({.data = 2}), AnswerKind::kDataParallel) << "the links are those of the divided job";
  EXPECT_EQ(about({AnswerKind::kBuckets}, plan).kind, AnswerKind::kDataParallel) << "and so are the buckets";
  EXPECT_EQ(kind({.data = 2, .zero = 1}), AnswerKind::kZero);
  EXPECT_EQ(kind({.data = 2, .tensor = 2, .zero = 1}), AnswerKind::kTensorParallel);
  EXPECT_EQ(kind({.data = 2, .tensor = 2, .pipeline = 2}), AnswerKind::kPipeline);
  EXPECT_EQ(kind({.data = 2, .expert = 2}), AnswerKind::kExperts);
  plan.parallelism = {.recompute = Recompute::kLayers};
  EXPECT_EQ(about({}, plan).kind, AnswerKind::kRecomputation);
}

TEST(EvidenceTest, AnswersAboutOtherStepsAreNamedAsSuch) {
  const AnswerEvidence found = about({AnswerKind::kNetworkRate});
  EXPECT_FALSE(found.is_measured());
  EXPECT_EQ(found.row->base, "") << "no captured step of GPUs was measured with another network";
  EXPECT_THAT(found.sentence(), StartsWith("Nothing of this kind was measured (another network, captured step, "));
  EXPECT_THAT(found.sentence(), HasSubstr("Other answers about another network were "));
}

}  // namespace
}  // namespace stepsim::scenarios
