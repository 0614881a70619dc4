#include "scenarios/answer/caution.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/text.h"

namespace stepsim::scenarios {

Caution::Caution(const Capture& capture, const sim::Checkup& checkup) : capture_(capture), checkup_(checkup) {}

void Caution::add(const std::vector<const Change*>& changes, const Plan& plan) {
  for (const Change* const change : changes) asked_ = asked_ | change->asks();
  const AnswerEvidence evidence = evidence_for(plan);
  if (!worst_ || is_worse(evidence, *worst_)) worst_ = evidence;
}

void Caution::add(const Range<Duration>& range) {
  for (const RangeSource<Duration>& source : range.sources) {
    if (width_of(source.low, source.high) > width_of(range.low, range.high) / 2) moving_.insert(source.name);
  }
}

bool Caution::depends_on_ranges() const {
  const std::vector<sim::Finding>& findings = checkup_.findings;
  return std::any_of(findings.begin(), findings.end(), [this](const sim::Finding& finding) {
    return finding.cost == sim::Cost::kWeakens && !finding.in_range.empty() && !(finding.weakens & asked_).empty();
  });
}

sim::CaptureTrust Caution::trust() const {
  sim::CaptureTrust trust = sim::trust_in(capture_, checkup_, asked_, [this](const sim::Finding& finding) {
    const auto worse = worse_findings();
    return finding.cost == sim::Cost::kPrevents || moving_.contains(finding.in_range) ||
           std::find(worse.begin(), worse.end(), finding.name) != worse.end();
  });
  if (!worst_) return trust;
  trust.evidence = worst_->sentence();
  if (worst_->is_unreliable()) {
    add_item(
        trust.caution,
        fmt::format("Answers of this kind are unreliable: half of those with a measured run were more than {:.0f} % "
                    "off.",
                    100 * worst_->row->median),
        " ");
  }
  return trust;
}

}  // namespace stepsim::scenarios
