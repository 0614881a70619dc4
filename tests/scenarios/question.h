#ifndef STEPSIM_TESTS_SCENARIOS_QUESTION_H
#define STEPSIM_TESTS_SCENARIOS_QUESTION_H

#include <exception>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "scenarios/answer/predict.h"
#include "scenarios/question/scenario.h"
#include "tests/thrown_by.h"

namespace stepsim::testing {

/// A capture, its cluster and a network model: the input of a prediction.
class Question {
 public:
  explicit Question(Capture capture, Cluster cluster = {}, std::string_view network = "recorded")
      : capture_(std::make_unique<const Capture>(std::move(capture))),
        builder_(std::make_unique<scenarios::PredictorBuilder>(*capture_, std::move(cluster),
                                                               *find_network_model(network))) {}

  [[nodiscard]] const Capture& capture() const { return *capture_; }
  [[nodiscard]] scenarios::PredictorBuilder& builder() const { return *builder_; }
  [[nodiscard]] scenarios::PredictorSettings& settings() const { return builder_->settings(); }
  [[nodiscard]] scenarios::Predictor& predictor() const { return builder_->predictor(); }

  [[nodiscard]] scenarios::Prediction predicted(const scenarios::Scenario& scenario) const {
    scenarios::Plan plan = predictor().plan();
    scenarios::apply_all(scenario.changes, plan);
    return predictor().predict(plan);
  }
  [[nodiscard]] scenarios::Prediction predicted(std::initializer_list<std::string> sets) const {
    scenarios::Scenario scenario;
    for (const std::string& set : sets) scenarios::add_set(scenario, set);
    return predicted(scenario);
  }
  /// Predicts the scenario in the text of a scenario file.
  [[nodiscard]] scenarios::Prediction predicted(std::string_view yaml) const {
    return predicted(scenarios::parse_scenario(yaml, "test.yaml"));
  }
  [[nodiscard]] Duration iteration(std::initializer_list<std::string> sets = {}) const {
    return predicted(sets).iteration;
  }

 private:
  std::unique_ptr<const Capture> capture_;
  std::unique_ptr<scenarios::PredictorBuilder> builder_;
};

/// Returns the message with which a question is refused; "taken" if it is answered.
inline std::string problem_of(const Question& question, std::initializer_list<std::string> sets) {
  return thrown_by<std::exception>([&] { return question.predicted(sets); });
}

}  // namespace stepsim::testing

#endif
