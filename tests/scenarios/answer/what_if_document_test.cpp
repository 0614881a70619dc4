#include "scenarios/answer/what_if_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "scenarios/answer/baseline.h"
#include "tests/scenarios/sample_questions.h"

namespace stepsim::scenarios {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class WhatIfDocumentTest : public ::testing::Test {
 protected:
  WhatIfDocumentTest() {
    Scenario scenario;
    add_set(scenario, "compute.scale=0.5");
    ReplayMeter meter;
    answer = answer_of(question_.predictor(), scenario, nullptr, meter);
  }

  [[nodiscard]] sim::Document document() const { return what_if_document(answer, {}); }

  WhatIfAnswer answer;

 private:
  stepsim::testing::Question question_ = stepsim::testing::streams_question();
};

TEST_F(WhatIfDocumentTest, IfStepsDifferTheHeadlineHasTheChangedMean) {
  answer.steps_differ = true;
  answer.baseline.summary.iteration.mean = milliseconds{20};
  answer.effect.mean.mid = -0.25;
  answer.effect.mean.low = -0.5;
  answer.effect.mean.high = 0;
  EXPECT_THAT(document().headline,
              HasSubstr("Step time " + with_range(milliseconds{15}, milliseconds{10}, milliseconds{20}) +
                        " on average, " + against_baseline(milliseconds{15}, milliseconds{20})));
}

TEST_F(WhatIfDocumentTest, ALongRunThatDiffersByLessThanOnePercentIsNotReported) {
  const auto sentences_if_captured_steps_take = [&](microseconds captured) {
    for (PredictionView* const view : {&answer.baseline, &answer.scenario}) {
      view->prediction.in_the_long_run = milliseconds{10};
      view->prediction.of_captured_steps = captured;
    }
    std::vector<std::string> texts;
    for (const sim::Section& section : document().sections) {
      for (const sim::Sentence& sentence : section.sentences) texts.push_back(sentence.text);
    }
    return texts;
  };
  const auto reported = Contains(HasSubstr("the captured steps on their own take"));
  for (const int close : {9'930, 10'000, 10'070})
    EXPECT_THAT(sentences_if_captured_steps_take(microseconds{close}), Not(reported));
  for (const int far : {9'800, 10'200}) EXPECT_THAT(sentences_if_captured_steps_take(microseconds{far}), reported);
}

}  // namespace
}  // namespace stepsim::scenarios
