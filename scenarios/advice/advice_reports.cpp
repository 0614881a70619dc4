// The parts of advice, in their order: fields for programs, sections for people.

#include "scenarios/advice/advice_document.h"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <utility>

#include "model/base/text.h"
#include "scenarios/answer/baseline.h"
#include "scenarios/answer/sweep_document.h"
#include "sim/analysis/intervals.h"
#include "sim/report/common_fields.h"

namespace stepsim::scenarios {
namespace {

using sim::at;
using sim::Field;
using sim::Form;
using sim::Use;
using Sections = std::vector<sim::Section>;

// --- what would help, the largest gain first; for programs also all that was tried.
//
//     What would help, the largest gain first
//     change                       takes      iteration        from          to        by
//     network.bandwidth=2x         machine   253.183 ms  246.010 ms  260.035 ms  -52.42 %
//     comm.partition_bytes=125KiB  setting   501.203 ms  489.671 ms  513.335 ms   -5.80 %
//
// Of the values of one setting the best has a row; a sentence below has all of them.

constexpr auto kPredicted = std::to_array<Field<Tried>>({
    {"takes", at<&Tried::candidate, &Candidate::effort>, {"takes"}},
    {"what", at<&Tried::candidate, &Candidate::what>},
    {"verdict", at<&Tried::verdict>},
    {"best_of_its_values", at<&Tried::best>},
    {"iteration_ns", at<&Tried::iteration>, {"iteration"}},
    {"low_ns", at<&Tried::low>, {"from"}},
    {"high_ns", at<&Tried::high>, {"to"}},
});
constexpr auto kTried = std::to_array<Field<Tried>>({
    {"", [](const Tried& tried) { return to_text(tried.candidate.settings); }, {"change"}},
    {"set", [](const Tried& tried) { return entries_of(tried.candidate.settings); }},
    {"", at<>, kPredicted},
    {"change", at<&Tried::change, &RelativeChange::by>, {"by", Use::kMain, Form::kChange}},
    {"low_change", at<&Tried::change, &RelativeChange::low>, {"best case", Use::kMain, Form::kChange}},
    {"high_change", at<&Tried::change, &RelativeChange::high>, {"worst case", Use::kMain, Form::kChange}},
    {"applies_to", at<&Tried::applies_to>},
    {"assumptions", [](const Tried& tried) { return sentences_of(tried.assumptions); }},
    {"leaves_out", at<&Tried::leaves_out>},
    {"note", [](const Tried& tried) { return tried.note.empty() ? nullptr : &tried.note; }, {}, sim::kIfAny},
});

/// For spreadsheets.
struct TriedLine {
  const Tried* tried;
  Duration baseline;
};
constexpr auto kTriedLine = std::to_array<Field<TriedLine>>({
    {"set", [](const TriedLine& line) { return to_text(line.tried->candidate.settings); }},
    {"", at<&TriedLine::tried>, kPredicted},
    {"baseline_ns", at<&TriedLine::baseline>},
    {"ratio", [](const TriedLine& line) { return 1 + line.tried->change.by; }},
    {"low_ratio", [](const TriedLine& line) { return 1 + line.tried->change.low; }},
    {"high_ratio", [](const TriedLine& line) { return 1 + line.tried->change.high; }},
});

const Advice& advice_in(const AdviceFindings& findings) { return findings.advice; }

constexpr auto kGains = std::to_array<Field<AdviceFindings>>({
    {"baseline", at<advice_in, &Advice::baseline>, kBaseline, sim::kLineAfter},
    {"advice", at<advice_in, &Advice::tried>, kTried, sim::kItemLines},
});

/// The best of each family with one of these verdicts, up to findings.rows of them: limits alone, or all others.
std::vector<const Tried*> best_with(const AdviceFindings& findings, std::initializer_list<Verdict> verdicts,
                                    bool limits) {
  std::vector<const Tried*> chosen;
  for (const Tried& tried : findings.advice.tried) {
    const bool is_meant = std::find(verdicts.begin(), verdicts.end(), tried.verdict) != verdicts.end();
    if (chosen.size() == findings.rows) break;
    if (tried.best && is_meant && (tried.candidate.effort == Effort::kLimit) == limits) chosen.push_back(&tried);
  }
  return chosen;
}

/// "comm.partition_bytes=500KiB -0.4 %; comm.partition_bytes=2MiB +0.1 %": a family, the best first; empty where a
/// candidate is alone.
std::string values_of(const Advice& advice, std::size_t family) {
  std::string text;
  std::size_t values = 0;
  for (const Tried& tried : advice.tried) {
    if (tried.candidate.family != family) continue;
    text += fmt::format("{}{} {}", values == 0 ? "" : "; ", to_text(tried.candidate.settings),
                        sim::signed_percent(tried.change.by));
    ++values;
  }
  return values > 1 ? text : std::string();
}

std::vector<sim::Sentence> families(const AdviceFindings& findings) {
  std::vector<sim::Sentence> sentences;
  for (const Tried& tried : findings.advice.tried) {
    if (!tried.best) continue;
    if (std::string values = values_of(findings.advice, tried.candidate.family); !values.empty())
      sentences.emplace_back(std::move(values));
  }
  return sentences;
}

Sections gains_sections(const AdviceFindings& findings) {
  Sections sections;
  const std::vector<const Tried*> gains = best_with(findings, {Verdict::kGain}, false);
  if (!gains.empty())
    sections.push_back({.title = "What would help, the largest gain first", .table = sim::table_of(kTried, gains)});
  sections.push_back({.title = "All values that were tried of one setting", .sentences = families(findings)});
  return sections;
}

// --- the largest gains at once. They do not add up: what one saves the other cannot save again.

std::vector<Setting> settings_of(const Advice& advice, const Together& together) {
  std::vector<Setting> settings;
  for (const std::size_t one : together.tried) {
    const std::vector<Setting>& more = advice.tried[one].candidate.settings;
    settings.insert(settings.end(), more.begin(), more.end());
  }
  return settings;
}

sim::Sentence sentence_of(const Advice& advice, const Together& together) {
  const std::string set = to_text(settings_of(advice, together));
  const Outcome& outcome = together.outcome;
  if (!outcome.iteration) return fmt::format("{}: cannot be predicted together: {}", set, outcome.problem);
  const Tried& largest = advice.tried[together.tried.front()];
  return fmt::format("{}: {}, from {} to {} ({}); the changes alone add up to {}{}", set,
                     stepsim::to_text(*outcome.iteration), stepsim::to_text(outcome.low),
                     stepsim::to_text(outcome.high), sim::signed_percent(together.change.by),
                     sim::signed_percent(together.sum),
                     *outcome.iteration < largest.iteration
                         ? ""
                         : fmt::format(", and {} alone does as much", to_text(largest.candidate.settings)));
}

Sections together_sections(const AdviceFindings& findings) {
  sim::Section section{.title = "The best together"};
  for (const Together& together : findings.advice.together)
    section.sentences.push_back(sentence_of(findings.advice, together));
  return {std::move(section)};
}

struct TogetherLine {
  const Advice* advice;
  const Together* together;

  template <class Value>
  [[nodiscard]] std::optional<Value> if_predicted(const Value& value) const {
    return together->outcome.iteration ? std::optional{value} : std::nullopt;
  }
};
constexpr auto kTogether = std::to_array<Field<TogetherLine>>({
    {"set", [](const TogetherLine& line) { return entries_of(settings_of(*line.advice, *line.together)); }},
    {"iteration_ns", at<&TogetherLine::together, &Together::outcome, &Outcome::iteration>},
    {"low_ns", [](const TogetherLine& l) { return l.if_predicted(l.together->outcome.low); }, {}, sim::kIfAny},
    {"high_ns", [](const TogetherLine& l) { return l.if_predicted(l.together->outcome.high); }, {}, sim::kIfAny},
    {"change", [](const TogetherLine& l) { return l.if_predicted(l.together->change.by); }, {}, sim::kIfAny},
    {"low_change", [](const TogetherLine& l) { return l.if_predicted(l.together->change.low); }, {}, sim::kIfAny},
    {"high_change", [](const TogetherLine& l) { return l.if_predicted(l.together->change.high); }, {}, sim::kIfAny},
    {"problem",
     [](const TogetherLine& line) {
       return line.together->outcome.iteration ? nullptr : &line.together->outcome.problem;
     },
     {},
     sim::kIfAny},
    {"sum_of_changes", at<&TogetherLine::together, &Together::sum>},
});

std::vector<TogetherLine> together_lines(const AdviceFindings& findings) {
  std::vector<TogetherLine> lines;
  for (const Together& together : findings.advice.together) lines.push_back({&findings.advice, &together});
  return lines;
}
constexpr auto kTogethers =
    std::to_array<Field<AdviceFindings>>({{"together", at<together_lines>, kTogether, sim::kItemLines}});

// --- what nobody can do, as a measure of what work on a part of the step can save at most

Sections limits_sections(const AdviceFindings& findings) {
  const auto limits = best_with(findings, {Verdict::kGain, Verdict::kUnsure, Verdict::kNothing, Verdict::kWorse}, true);
  if (limits.empty()) return {};
  return {{.title = "Upper bounds: what all work on a part could save", .table = sim::table_of(kTried, limits)}};
}

// --- what is no gain: changes that cannot be told from none, that change nothing, or that make it worse

Sections no_gains_sections(const AdviceFindings& findings) {
  Sections sections;
  const auto add = [&](std::string title, Verdict verdict) {
    const std::vector<const Tried*> tried = best_with(findings, {verdict}, false);
    if (!tried.empty()) sections.push_back({.title = std::move(title), .table = sim::table_of(kTried, tried)});
  };
  add("No significant effect", Verdict::kUnsure);
  add("Makes it worse", Verdict::kWorse);
  sim::Section nothing{.title = "Changes nothing"};
  for (const Tried* const tried : best_with(findings, {Verdict::kNothing}, false))
    nothing.sentences.emplace_back(to_text(tried->candidate.settings) + ": " + tried->candidate.what);
  sections.push_back(std::move(nothing));
  return sections;
}

// --- what each gain means: what one would do, what it applies to, what it assumes and leaves out

sim::Sentence meaning_of(const Tried& tried) {
  std::string text = fmt::format("{}: {}", to_text(tried.candidate.settings), tried.candidate.what);
  if (!tried.applies_to.empty()) text += "; applies to " + joined(tried.applies_to, std::identity{}, "; ");
  if (!tried.note.empty()) text += "; " + tried.note;
  std::string detail;
  if (!tried.assumptions.empty())
    detail += "assumes: " + joined(sentences_of(tried.assumptions), std::identity{}, "; ") + ". ";
  detail += "leaves out: " + joined(tried.leaves_out, std::identity{}, "; ");
  return {std::move(text), std::move(detail)};
}

Sections meaning_sections(const AdviceFindings& findings) {
  sim::Section section{.title = "What these changes are, and what their predictions leave out"};
  for (const Tried* const tried : best_with(findings, {Verdict::kGain}, false))
    section.sentences.push_back(meaning_of(*tried));
  return {std::move(section)};
}

// --- what does not apply to this job, and why

constexpr auto kLeftOut = std::to_array<Field<LeftOut>>({
    {"changes", at<&LeftOut::changes>},
    {"reason", at<&LeftOut::reason>},
});
constexpr auto kAllLeftOut =
    std::to_array<Field<AdviceFindings>>({{"left_out", at<advice_in, &Advice::left_out>, kLeftOut, sim::kItemLines}});

/// A reason without what else would be expected, so that it is one line; JSON has it whole.
std::string in_short(const std::string& reason) { return reason.substr(0, reason.find("; expected ")); }

Sections left_out_sections(const AdviceFindings& findings) {
  sim::Section section{.title = "Does not apply to this job"};
  for (const LeftOut& left_out : findings.advice.left_out)
    section.sentences.emplace_back(fmt::format("{}: {}", joined(left_out.changes), in_short(left_out.reason)));
  return {std::move(section)};
}

// --- how transfers were timed, and all that every prediction rests on

constexpr auto kModel = std::to_array<Field<Advice>>({{"model", at<&Advice::network>}});
constexpr auto kNetwork = std::to_array<Field<AdviceFindings>>({{"network", at<advice_in>, kModel}});

constexpr auto kAssumptions = std::to_array<Field<AdviceFindings>>({
    {"assumptions", [](const AdviceFindings& findings) { return sentences_of(findings.advice.assumptions); }},
});

Sections assumptions_sections(const AdviceFindings& findings) {
  return {sim::assumptions_section(findings.advice.assumptions)};
}

}  // namespace

sim::Table rows_of(const Advice& advice) {
  std::vector<TriedLine> lines;
  for (const Tried& tried : advice.tried) lines.push_back({&tried, advice.baseline.iteration});
  return sim::table_of(kTriedLine, lines, {.without = {"best_of_its_values"}, .for_programs = true});
}

std::span<const AdviceReport> advice_reports() {
  static constexpr auto kReports = std::to_array<AdviceReport>({
      {.id = "advice", .sections = gains_sections, .fields = kGains},
      {.id = "together", .sections = together_sections, .fields = kTogethers},
      {.id = "limits", .sections = limits_sections},
      {.id = "no gains", .sections = no_gains_sections},
      {.id = "meaning", .sections = meaning_sections},
      {.id = "left out", .sections = left_out_sections, .fields = kAllLeftOut},
      {.id = "network", .fields = kNetwork},
      {.id = "assumptions", .sections = assumptions_sections, .fields = kAssumptions},
  });
  return kReports;
}

}  // namespace stepsim::scenarios
