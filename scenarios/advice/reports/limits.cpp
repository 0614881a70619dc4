// What nobody can do, as a measure of what work on a part of the step can save at most. For people; programs find it in
// "advice".

#include "scenarios/advice/advice_document.h"

namespace stepsim::scenarios {
namespace {

std::vector<sim::Section> advice_limits_sections(const AdviceFindings& findings) {
  const auto limits = best_with(findings, {Verdict::kGain, Verdict::kUnsure, Verdict::kNothing, Verdict::kWorse}, true);
  if (limits.empty()) return {};
  return {{.title = "Limits: what all work on a part could save at most", .table = table_of(limits)}};
}

}  // namespace

extern const AdviceReport limits_advice_report;
const AdviceReport limits_advice_report{.id = "limits", .sections = advice_limits_sections};

}  // namespace stepsim::scenarios
