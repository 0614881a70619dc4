#include "sim/check/checkup.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/base/text.h"
#include "sim/check/findings.h"
#include "sim/check/recorded.h"
#include "sim/report/headline.h"

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

/// True if the sentence about lost data, which comes first, already has this finding.
bool is_loss(const Finding& finding, const Diagnostics& diagnostics) {
  const auto& entries = diagnostics.entries();
  return std::any_of(entries.begin(), entries.end(), [&finding](const Diagnostics::Entry& entry) {
    return entry.name == finding.name && entry.severity == Severity::kDataLoss;
  });
}

/// True if answers to one of the `asked` questions may be wrong because of a finding.
bool weakens(const Finding& finding, Questions asked) {
  return finding.cost <= Cost::kWeakens && !(finding.weakens & asked).empty();
}

/// Returns what part of the input could not be used, and why answers to the `asked` questions are unreliable.
std::string unreliable_answers(const Capture& capture, const Checkup& checkup, Questions asked,
                               const std::function<bool(const Finding&)>& counts) {
  std::string lost = caution_of(capture.diagnostics);
  Questions affected;
  std::vector<std::string> problems;
  for (const Finding& finding : checkup.findings) {
    if (!weakens(finding, asked) || is_loss(finding, capture.diagnostics) || (counts && !counts(finding))) continue;
    affected = affected | (finding.weakens & asked);
    problems.push_back(fmt::format("{} ({})", shown(finding.sentence), finding.name));
  }
  if (problems.empty()) return lost;
  std::vector<std::string> words;
  for (const Question question : kQuestions) {
    if (affected.has(question) && question != Question::kReplay) words.emplace_back(to_text(question));
  }
  const std::string unreliable =
      fmt::format("{} unreliable: {}",
                  words.empty() ? "Answers about this capture are"
                                : fmt::format("Predictions of {} changes are", enumerated(words, "and")),
                  fmt::join(problems, "; "));
  return lost.empty() ? unreliable + "; 'stepsim check' explains the consequences."
                      : fmt::format("{} {}.", lost, unreliable);
}

}  // namespace

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

Checkup checkup_of(const Capture& capture, const ReplayCheck* replay) {
  return check(
      {.contents = capture.contents, .diagnostics = capture.diagnostics, .capture = &capture, .replay = replay});
}

CaptureTrust trust_in(const Capture& capture, const Checkup& checkup, Questions asked,
                      const std::function<bool(const Finding&)>& counts) {
  CaptureTrust trust{checkup.verdict, warning_of(capture), unreliable_answers(capture, checkup, asked, counts)};
  for (const Finding& finding : checkup.findings) {
    if (weakens(finding, asked)) add_item(trust.findings, finding.name);
  }
  return trust;
}

}  // namespace stepsim::sim
