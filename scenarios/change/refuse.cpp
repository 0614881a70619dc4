#include "scenarios/change/refuse.h"

#include "model/base/cannot_answer.h"

namespace stepsim::scenarios {

void cannot_answer(const YamlField& field, std::string_view problem) {
  throw CannotAnswer({*field.file, {}, field.value->line}, problem);
}

void refuse_as_recorded(const YamlField& field, const Plan& plan, std::string_view problem) {
  if (plan.cluster.links.empty()) cannot_answer(field, problem);
  field.fail(problem);
}

}  // namespace stepsim::scenarios
