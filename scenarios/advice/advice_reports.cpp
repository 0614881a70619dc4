// The parts of the advice, in order. Fields appear in JSON, sections in the text report.

#include "scenarios/advice/advice_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "model/base/text.h"
#include "scenarios/answer/baseline.h"
#include "scenarios/answer/effect_fields.h"
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

// --- what would help, the largest gain first; JSON also lists everything that was tried.
//
//     Best changes
//     change                     --set                        needs    step time      from        to    effect
//     change the partition size  comm.partition_bytes=125KiB  setting   501.2 ms  489.7 ms  513.3 ms   -5.80 %
//
// The tables have one row per setting, for its best value. A sentence below lists all values. Settings and code come
// first, because they cost less than hardware. Changes whose range includes no change follow, unless they are small.

constexpr auto kPredicted = std::to_array<Field<Tried>>({
    {"takes", at<&Tried::candidate, &Candidate::effort>, {"needs", Use::kHelp}},
    {"what", at<&Tried::candidate, &Candidate::what>},
    {"verdict", at<&Tried::verdict>},
    {"best_of_its_values", at<&Tried::best>},
    {"iteration_ns", at<&Tried::iteration, &Range<Duration>::mid>, {"step time", Use::kHelp}},
    {"low_ns", at<&Tried::iteration, &Range<Duration>::low>, {"from", Use::kExtra}},
    {"high_ns", at<&Tried::iteration, &Range<Duration>::high>, {"to", Use::kExtra}},
});
const Range<double>* mean_effect(const Tried& tried) { return tried.mean_change ? &*tried.mean_change : nullptr; }

constexpr auto kTried = std::to_array<Field<Tried>>({
    {"", at<&Tried::candidate, &Candidate::what>, {.title = "change", .sentences = true}},
    {"", [](const Tried& tried) { return to_text(tried.candidate.settings); }, {"--set"}},
    {"set", [](const Tried& tried) { return entries_of(tried.candidate.settings); }},
    {"", at<>, kPredicted},
    {"change", at<&Tried::change, &Range<double>::mid>, {"effect", Use::kMain, Form::kChange}},
    {"low_change", at<&Tried::change, &Range<double>::low>, {"best case", Use::kDetail, Form::kChange}},
    {"high_change", at<&Tried::change, &Range<double>::high>, {"worst case", Use::kDetail, Form::kChange}},
    {"",
     [](const Tried& tried) { return tried.mean_change ? std::optional{tried.mean_change->mid} : std::nullopt; },
     {"effect on the mean", Use::kMain, Form::kChange},
     sim::kIfAny},
    {"mean_effect", at<mean_effect>, kRelativeChange, sim::kIfAny},
    {"applies_to", at<&Tried::applies_to>},
    {"assumptions", [](const Tried& tried) { return sentences_of(tried.assumptions); }},
    {"leaves_out", at<&Tried::leaves_out>},
    {"note", [](const Tried& tried) { return tried.note.empty() ? nullptr : &tried.note; }, {}, sim::kIfAny},
});

/// The data of one row for spreadsheets: a tried change, and the iteration without it.
struct TriedLine {
  const Tried* tried;
  Duration baseline;
};
constexpr auto kTriedLine = std::to_array<Field<TriedLine>>({
    {"set", [](const TriedLine& line) { return to_text(line.tried->candidate.settings); }},
    {"", at<&TriedLine::tried>, kPredicted},
    {"baseline_ns", at<&TriedLine::baseline>},
    {"ratio", [](const TriedLine& line) { return 1 + line.tried->change.mid; }},
    {"low_ratio", [](const TriedLine& line) { return 1 + line.tried->change.low; }},
    {"high_ratio", [](const TriedLine& line) { return 1 + line.tried->change.high; }},
});

const Advice& advice_in(const AdviceFindings& findings) { return findings.advice; }

constexpr auto kGains = std::to_array<Field<AdviceFindings>>({
    {"capture", at<advice_in, &Advice::trust>, sim::kCaptureTrust, sim::kLineAfter},
    {"baseline", at<advice_in, &Advice::baseline>, kBaseline, sim::kLineAfter},
    {"advice", at<advice_in, &Advice::tried>, kTried, sim::kItemLines},
});

bool needs_hardware(const Tried& tried) { return tried.candidate.effort == Effort::kHardware; }

/// Returns the best candidates of each family (the values of one setting) that are `meant`, at most findings.rows.
/// Those that need hardware come last.
template <class Predicate>
std::vector<const Tried*> best_of(const AdviceFindings& findings, Predicate meant) {
  std::vector<const Tried*> chosen;
  for (const Tried& tried : findings.advice.tried) {
    if (tried.best && meant(tried)) chosen.push_back(&tried);
  }
  std::stable_partition(chosen.begin(), chosen.end(), [](const Tried* tried) { return !needs_hardware(*tried); });
  chosen.resize(std::min(chosen.size(), findings.rows));
  return chosen;
}

bool is_limit(const Tried& tried) { return tried.candidate.effort == Effort::kLimit; }
bool is_gain(const Tried& tried) { return tried.verdict == Verdict::kGain && !is_limit(tried); }
bool is_uncertain(const Tried& tried) { return tried.verdict == Verdict::kUnsure && !is_limit(tried); }

/// Returns a section with a table of `tried`; nothing if there are none.
Sections table_section(std::string title, const std::vector<const Tried*>& tried) {
  if (tried.empty()) return {};
  return {{.title = std::move(title), .table = sim::table_of(kTried, tried)}};
}

/// Returns all tried values of one setting (a family of candidates) with the change of the iteration, the best first:
/// "comm.partition_bytes=500KiB -0.4 %; comm.partition_bytes=2MiB +0.1 %". Empty if there is only one value.
std::string values_of(const Advice& advice, std::size_t family) {
  std::string text;
  std::size_t values = 0;
  for (const Tried& tried : advice.tried) {
    if (tried.candidate.family != family) continue;
    text += fmt::format("{}{} {}", values == 0 ? "" : "; ", to_text(tried.candidate.settings),
                        sim::signed_percent(tried.leading().mid));
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
  const auto add = [&](std::string title, auto meant) {
    for (sim::Section& section : table_section(std::move(title), best_of(findings, meant)))
      sections.push_back(std::move(section));
  };
  add("Best changes", [](const Tried& tried) { return is_gain(tried) && !needs_hardware(tried); });
  add("With other hardware", [](const Tried& tried) { return is_gain(tried) && needs_hardware(tried); });
  add("Uncertain: the range includes no change",
      [](const Tried& tried) { return is_uncertain(tried) && is_worth_a_look(tried); });
  return sections;
}

Sections families_sections(const AdviceFindings& findings) {
  return {{.title = "All values tried of each setting", .sentences = families(findings)}};
}

// --- the largest gains combined. They do not add up, because time that one saves cannot be saved again by another.

std::vector<Setting> settings_of(const Advice& advice, const Together& together) {
  std::vector<Setting> settings;
  for (const std::size_t one : together.tried) {
    const std::vector<Setting>& more = advice.tried[one].candidate.settings;
    settings.insert(settings.end(), more.begin(), more.end());
  }
  return settings;
}

sim::Sentence sentence_of(const Advice& advice, const Together& together) {
  const auto action = [&advice](std::size_t one) {
    const std::string& what = advice.tried[one].candidate.what;
    return what.substr(0, what.find(" ("));
  };
  const std::string set =
      fmt::format("{} [{}]", joined(together.tried, action, "; "), to_text(settings_of(advice, together)));
  const Outcome& outcome = together.outcome;
  if (!outcome.iteration) return fmt::format("{}: cannot be combined: {}", set, outcome.problem);
  const Tried& largest = advice.tried[together.tried.front()];
  return fmt::format("{}: step time {}, {} (sum of the separate effects: {}){}", set,
                     with_range(outcome.iteration->mid, outcome.iteration->low, outcome.iteration->high),
                     sim::signed_percent(together.change.mid), sim::signed_percent(together.sum),
                     outcome.iteration->mid < largest.iteration.mid
                         ? ""
                         : fmt::format("; {} alone saves as much", to_text(largest.candidate.settings)));
}

Sections together_sections(const AdviceFindings& findings) {
  sim::Section section{.title = "Best changes combined"};
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
    {"iteration_ns", [](const TogetherLine& l) { return step_of(l.together->outcome, &Range<Duration>::mid); }},
    {"low_ns",
     [](const TogetherLine& l) { return step_of(l.together->outcome, &Range<Duration>::low); },
     {},
     sim::kIfAny},
    {"high_ns",
     [](const TogetherLine& l) { return step_of(l.together->outcome, &Range<Duration>::high); },
     {},
     sim::kIfAny},
    {"change", [](const TogetherLine& l) { return l.if_predicted(l.together->change.mid); }, {}, sim::kIfAny},
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

// --- changes that nobody can make, as upper bounds: the most that work on a part of the step can save

Sections limits_sections(const AdviceFindings& findings) {
  const auto is_worse = [](const Tried& tried) { return tried.verdict == Verdict::kWorse; };
  const auto limits = best_of(findings, [&](const Tried& tried) { return is_limit(tried) && !is_worse(tried); });
  const auto worse = best_of(findings, [&](const Tried& tried) { return is_limit(tried) && is_worse(tried); });
  if (limits.empty() && worse.empty()) return {};
  sim::Section section{.title = "Upper bounds: the most that work on each part could save"};
  if (!limits.empty()) section.table = sim::table_of(kTried, limits, {.without = {"needs"}});
  for (const Tried* const tried : worse) {
    section.sentences.emplace_back(
        fmt::format("No bound from {}: without this work the step takes {} longer, because the rest then runs in "
                    "another order.",
                    to_text(tried->candidate.settings), sim::percent(tried->change.mid)));
  }
  return {std::move(section)};
}

// --- changes without gain: within the uncertainty, without effect, or with a longer iteration

Sections no_gains_sections(const AdviceFindings& findings) {
  const auto with = [&](Verdict verdict) {
    return best_of(findings, [verdict](const Tried& tried) { return tried.verdict == verdict && !is_limit(tried); });
  };
  Sections sections = table_section("No significant effect", best_of(findings, [](const Tried& tried) {
                                      return is_uncertain(tried) && !is_worth_a_look(tried);
                                    }));
  for (sim::Section& slower : table_section("Slower", with(Verdict::kWorse))) sections.push_back(std::move(slower));
  sim::Section nothing{.title = "No effect"};
  for (const Tried* const tried : with(Verdict::kNothing)) nothing.sentences.emplace_back(name_of(tried->candidate));
  sections.push_back(std::move(nothing));
  return sections;
}

// --- the meaning of each gain: what to do, what it applies to, what it assumes and leaves out

sim::Sentence meaning_of(const Tried& tried) {
  std::string text = name_of(tried.candidate);
  if (!tried.applies_to.empty()) text += "; applies to " + joined(tried.applies_to, std::identity{}, "; ");
  if (!tried.note.empty()) text += "; " + tried.note;
  std::string detail;
  if (!tried.assumptions.empty())
    detail += "assumptions: " + joined(sentences_of(tried.assumptions), std::identity{}, " ") + " ";
  detail += "not modelled: " + joined(tried.leaves_out, std::identity{}, "; ");
  return {std::move(text), std::move(detail)};
}

Sections meaning_sections(const AdviceFindings& findings) {
  sim::Section section{.title = "The best changes explained"};
  for (const Tried* const tried : best_of(findings, is_gain)) section.sentences.push_back(meaning_of(*tried));
  return {std::move(section)};
}

// --- calls of the driver that no faster CPU shortens

constexpr auto kLongCall = std::to_array<Field<LongCalls>>({
    {"name", at<&LongCalls::name>},
    {"calls", at<&LongCalls::calls>},
    {"total_ns", at<&LongCalls::total>},
    {"longest_ns", at<&LongCalls::longest>},
    {"share_of_cpu_work", at<&LongCalls::share>},
    {"remedy", at<&LongCalls::remedy>},
});
constexpr auto kLongCalls = std::to_array<Field<AdviceFindings>>(
    {{"long_calls", at<advice_in, &Advice::long_calls>, kLongCall, sim::kItemLines}});

Sections long_calls_sections(const AdviceFindings& findings) {
  sim::Section section{.title = "Not shortened by a faster CPU"};
  for (const LongCalls& calls : findings.advice.long_calls) {
    section.sentences.emplace_back(fmt::format(
        "{}: {}, {} in total, up to {} each ({} of CPU work); {}", calls.name, counted(calls.calls, "call"),
        stepsim::to_text(calls.total), stepsim::to_text(calls.longest), sim::percent(calls.share), calls.remedy));
  }
  return {std::move(section)};
}

// --- changes that do not apply to this job, and why

constexpr auto kLeftOut = std::to_array<Field<LeftOut>>({
    {"changes", at<&LeftOut::changes>},
    {"reason", at<&LeftOut::reason>},
});
constexpr auto kAllLeftOut =
    std::to_array<Field<AdviceFindings>>({{"left_out", at<advice_in, &Advice::left_out>, kLeftOut, sim::kItemLines}});

/// Returns the reason for leaving out a change without its "; expected ..." part, so that it fits on one line. JSON has
/// the whole reason.
std::string in_short(const std::string& reason) { return reason.substr(0, reason.find("; expected ")); }

Sections left_out_sections(const AdviceFindings& findings) {
  sim::Section section{.title = "Not applicable to this job"};
  for (const LeftOut& left_out : findings.advice.left_out)
    section.sentences.emplace_back(fmt::format("{}: {}", joined(left_out.changes), in_short(left_out.reason)));
  return {std::move(section)};
}

// --- how transfers were timed, and the assumptions of all predictions

constexpr auto kModel = std::to_array<Field<Advice>>({{"model", at<&Advice::network>}});
constexpr auto kNetwork = std::to_array<Field<AdviceFindings>>({{"network", at<advice_in>, kModel}});

constexpr auto kAssumptions = std::to_array<Field<AdviceFindings>>({
    {"assumptions", [](const AdviceFindings& findings) { return sentences_of(findings.advice.assumptions); }},
});

Sections assumptions_sections(const AdviceFindings& findings) {
  return {sim::assumptions_section(findings.advice.assumptions)};
}

}  // namespace

bool is_worth_a_look(const Tried& tried) noexcept {
  constexpr double kLeast = 0.01;
  return std::abs(tried.leading().mid) >= kLeast;
}

sim::Table rows_of(const Advice& advice) {
  std::vector<TriedLine> lines;
  for (const Tried& tried : advice.tried) lines.push_back({&tried, advice.baseline.iteration});
  return sim::table_of(kTriedLine, lines, {.without = {"best_of_its_values"}, .for_programs = true});
}

std::span<const AdviceReport> advice_reports() {
  static constexpr auto kReports = std::to_array<AdviceReport>({
      {.id = "advice", .sections = gains_sections, .fields = kGains},
      {.id = "long calls", .sections = long_calls_sections, .fields = kLongCalls},
      {.id = "limits", .sections = limits_sections},
      {.id = "together", .sections = together_sections, .fields = kTogethers},
      {.id = "meaning", .sections = meaning_sections},
      {.id = "assumptions", .sections = assumptions_sections},
      {.id = "values", .sections = families_sections},
      {.id = "no gains", .sections = no_gains_sections},
      {.id = "left out", .sections = left_out_sections, .fields = kAllLeftOut},
      {.id = "network", .fields = kNetwork},
      {.id = "assumed", .fields = kAssumptions},
  });
  return kReports;
}

}  // namespace stepsim::scenarios
