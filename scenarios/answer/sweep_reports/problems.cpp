// The points without an iteration, and why. For people; programs find it in "points".

#include "scenarios/answer/sweep_document.h"

namespace stepsim::scenarios {
namespace {

std::vector<std::string> problems_of(const SweepAnswer& answer) {
  std::vector<std::string> problems;
  for (std::size_t point = 0; point < answer.outcomes.size(); ++point) {
    if (answer.outcomes[point].iteration) continue;
    problems.push_back(to_text(answer.head.points.at(point)) + ": " + answer.outcomes[point].problem);
  }
  return problems;
}

std::vector<sim::Section> sweep_problems_sections(const SweepAnswer& answer) {
  return {{.title = "Points without an answer", .sentences = sim::as_list(problems_of(answer))}};
}

}  // namespace

extern const SweepReport problems_sweep_report;
const SweepReport problems_sweep_report{.id = "problems", .sections = sweep_problems_sections};

}  // namespace stepsim::scenarios
