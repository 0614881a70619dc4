#include "scenarios/advice/advice_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/answer/baseline.h"
#include "sim/report/table.h"

namespace stepsim::scenarios {
namespace {

using stepsim::to_text;

/// Returns the largest gain that can be carried out, or null if there is none. If `with_hardware` is false, considers
/// only changes that need no other hardware.
const Tried* largest_gain(const Advice& advice, bool with_hardware) {
  const auto found = std::find_if(advice.tried.begin(), advice.tried.end(), [with_hardware](const Tried& tried) {
    const Effort effort = tried.candidate.effort;
    return tried.verdict == Verdict::kGain && effort != Effort::kLimit &&
           (with_hardware || effort != Effort::kHardware);
  });
  return found == advice.tried.end() ? nullptr : &*found;
}

/// Returns "links with twice the bandwidth [network.bandwidth=2x]".
std::string name_of(const Tried& tried) {
  return fmt::format("{} [{}]", tried.candidate.what, to_text(tried.candidate.settings));
}

std::string best_text(const Advice& advice) {
  const Tried* const best = largest_gain(advice, true);
  if (best == nullptr) {
    return fmt::format("None of the {} changes tried saves a significant part of the step time of {}",
                       advice.tried.size(), to_text(advice.baseline.iteration));
  }
  std::string text = fmt::format("Best of {} changes: {}: step time {}, {}", advice.tried.size(), name_of(*best),
                                 with_range(best->iteration, best->low, best->high),
                                 against_baseline(best->iteration, advice.baseline.iteration));
  if (!best->note.empty()) text += "; " + best->note;
  const Tried* const without = largest_gain(advice, false);
  if (without == best) return text;
  return text + (without == nullptr ? std::string(". Without new hardware nothing saves a significant part")
                                    : fmt::format(". Best without new hardware: {}: {}", name_of(*without),
                                                  sim::signed_percent(without->change.by)));
}

std::string headline(const Advice& advice) {
  return fmt::format("{}. {}", best_text(advice), trust_text(advice.baseline, advice.assumptions));
}

}  // namespace

sim::Document advice_document(const AdviceFindings& findings, const sim::Provenance& provenance) {
  sim::Document document{.warning = findings.advice.trust.warning,
                         .headline = headline(findings.advice),
                         .caution = findings.advice.trust.caution};
  sim::add_sections(document, advice_reports(), findings);
  document.rows = [&findings] { return rows_of(findings.advice); };
  document.json = [&findings, &provenance](sim::JsonWriter& json) {
    sim::write_object(json, "stepsim.advise/1", advice_reports(), findings, provenance);
  };
  return document;
}

sim::AnswerSchema advice_schema() { return sim::schema_of("stepsim.advise/1", advice_reports()); }

}  // namespace stepsim::scenarios
