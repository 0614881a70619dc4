// What is no gain: changes that cannot be told from none, that change nothing, or that make it worse. For people;
// programs find them in "advice".

#include "scenarios/advice/advice_document.h"

namespace stepsim::scenarios {
namespace {

std::vector<sim::Section> advice_no_gains_sections(const AdviceFindings& findings) {
  std::vector<sim::Section> sections;
  const auto add = [&](std::string title, Verdict verdict) {
    const std::vector<const Tried*> tried = best_with(findings, {verdict}, false);
    if (!tried.empty()) sections.push_back({.title = std::move(title), .table = table_of(tried)});
  };
  add("Within its range: cannot be told from no change", Verdict::kUnsure);
  add("Makes it worse", Verdict::kWorse);
  sim::Section nothing{.title = "Changes nothing"};
  for (const Tried* const tried : best_with(findings, {Verdict::kNothing}, false))
    nothing.sentences.emplace_back(to_text(tried->candidate.settings) + ": " + tried->candidate.what);
  sections.push_back(std::move(nothing));
  return sections;
}

}  // namespace

extern const AdviceReport no_gains_advice_report;
const AdviceReport no_gains_advice_report{.id = "no gains", .sections = advice_no_gains_sections};

}  // namespace stepsim::scenarios
