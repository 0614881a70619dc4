// What each gain means: what one would do, what it applies to, what it assumes and leaves out. For people; programs
// find it in "advice".

#include <fmt/format.h>

#include "scenarios/advice/advice_document.h"

namespace stepsim::scenarios {
namespace {

std::string clauses(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
  return all;
}

sim::Sentence sentence_of(const Tried& tried) {
  std::string text = fmt::format("{}: {}", to_text(tried.candidate.settings), tried.candidate.what);
  if (!tried.applies_to.empty()) text += "; applies to " + clauses(tried.applies_to);
  std::string detail;
  if (!tried.assumptions.empty()) detail += "assumes: " + clauses(sentences_of(tried.assumptions)) + ". ";
  detail += "leaves out: " + clauses(tried.leaves_out);
  return {std::move(text), std::move(detail)};
}

std::vector<sim::Section> advice_meaning_sections(const AdviceFindings& findings) {
  sim::Section section{.title = "What these changes are, and what their predictions leave out"};
  for (const Tried* const tried : best_with(findings, {Verdict::kGain}, false))
    section.sentences.push_back(sentence_of(*tried));
  return {std::move(section)};
}

}  // namespace

extern const AdviceReport meaning_advice_report;
const AdviceReport meaning_advice_report{.id = "meaning", .sections = advice_meaning_sections};

}  // namespace stepsim::scenarios
