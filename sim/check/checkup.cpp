#include "sim/check/checkup.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "sim/check/findings.h"
#include "sim/check/recorded.h"

namespace stepsim::sim {
namespace {

/// Removes questions that do not apply from a finding. If none remain, its cost becomes kNothing.
void keep_applicable(Finding& finding, Questions applicable) {
  if (finding.weakens.empty()) return;
  finding.weakens = finding.weakens & applicable;
  if (finding.weakens.empty()) finding.cost = Cost::kNothing;
}

/// Returns the verdict. `has_work` is true if the capture has something that commands can show.
Verdict verdict_of(const Checkup& checkup, bool has_work) {
  if (!has_work || checkup.cost_of(Question::kReplay) == Cost::kPrevents) return Verdict::kUnusable;
  for (const Question question : kQuestions) {
    if (checkup.cost_of(question) == Cost::kPrevents) return Verdict::kDoubtful;
  }
  return checkup.cost_of(Question::kReplay) == Cost::kWeakens ? Verdict::kDoubtful : Verdict::kGood;
}

}  // namespace

std::string_view to_text(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::kGood: return "good";
    case Verdict::kDoubtful: return "doubtful";
    case Verdict::kUnusable: return "unusable";
  }
  return "";
}

Cost Checkup::cost_of(Question question) const noexcept {
  Cost dearest = Cost::kNothing;
  for (const Finding& finding : findings) {
    if (finding.weakens.has(question)) dearest = std::min(dearest, finding.cost);
  }
  return dearest;
}

Checkup check(const Examined& examined) {
  Checkup checkup;
  checkup.applicable = examined.capture == nullptr ? Questions::all() : applicable_to(examined);
  for (const auto source :
       {other_job_findings, diagnostic_findings, recording_findings, replay_findings, privacy_findings}) {
    std::vector<Finding> found = source(examined);
    std::move(found.begin(), found.end(), std::back_inserter(checkup.findings));
  }
  for (Finding& finding : checkup.findings) keep_applicable(finding, checkup.applicable);
  std::stable_sort(checkup.findings.begin(), checkup.findings.end(), [](const Finding& a, const Finding& b) {
    return std::tuple(a.cost, -a.weakens.count(), -a.share.value_or(0)) <
           std::tuple(b.cost, -b.weakens.count(), -b.share.value_or(0));
  });
  checkup.verdict = verdict_of(checkup, examined.capture != nullptr || holds_profile(examined));
  return checkup;
}

}  // namespace stepsim::sim
