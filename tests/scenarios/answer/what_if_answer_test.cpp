#include "scenarios/answer/what_if_answer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/scenarios/sample_questions.h"

namespace stepsim::scenarios {
namespace {

WhatIfAnswer answered(const stepsim::testing::Question& question, const std::string& set) {
  Scenario scenario;
  add_set(scenario, set);
  ReplayMeter meter;
  return answer_of(question.predictor(), scenario, nullptr, meter);
}

TEST(WhatIfAnswerTest, LinksAreListedTheBusiestFirst) {
  const auto question = stepsim::testing::parameter_server_question();
  const WhatIfAnswer slower = answered(question, "network.bandwidth=0.5x");
  ASSERT_GE(slower.links.size(), 2U);
  const auto most = [](const LinkPair& link) { return std::max(link.baseline.busy, link.scenario.busy); };
  for (std::size_t i = 1; i < slower.links.size(); ++i) EXPECT_GE(most(slower.links[i - 1]), most(slower.links[i]));
  for (const LinkPair& link : slower.links) {
    EXPECT_FALSE(link.name.empty());
    EXPECT_GT(link.baseline.busy, 0) << link.name;
    EXPECT_GT(link.scenario.busy, 0) << link.name;
  }
}

TEST(WhatIfAnswerTest, AnswersKeepTheirChangesAndTheirCluster) {
  const auto question = stepsim::testing::data_parallel_question();
  const WhatIfAnswer answer = answered(question, "network.bandwidth=2x");
  ASSERT_EQ(answer.changes.size(), 1U);
  EXPECT_EQ(answer.changes[0], "network.bandwidth=2x");
  ASSERT_EQ(answer.selections.size(), 1U);
  const Cluster captured = question.predictor().plan().cluster;
  ASSERT_EQ(answer.cluster.links.size(), captured.links.size());
  EXPECT_DOUBLE_EQ(answer.cluster.links[0].bandwidth.bytes_per_second(),
                   2 * captured.links[0].bandwidth.bytes_per_second());
  EXPECT_LE(answer.interval.low, answer.scenario.prediction.iteration);
  EXPECT_LT(answer.scenario.prediction.iteration, answer.baseline.prediction.iteration);
}

}  // namespace
}  // namespace stepsim::scenarios
