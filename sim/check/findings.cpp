#include "sim/check/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "model/base/known_diagnostics.h"
#include "model/base/text.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/pauses.h"
#include "sim/analysis/where_to_look.h"
#include "sim/check/problems.h"
#include "sim/check/recorded.h"
#include "sim/report/headline.h"
#include "sim/report/table.h"

namespace stepsim::sim {
namespace {

using enum Question;

/// The cost of a diagnostic, if its severity alone does not determine it.
struct KnownCost {
  std::string_view name;
  Cost cost;
  Questions weakens;
};

constexpr auto kKnownCosts = std::to_array<KnownCost>({
    // Most of the work was not recorded.
    {diagnostic("launches_without_device_work").name, Cost::kPrevents, Questions::all()},
    {diagnostic("device_not_recorded").name, Cost::kPrevents, Questions::all()},
    {diagnostic("sampled_operators").name, Cost::kPrevents, Questions::all()},
    {diagnostic("missing table: CUPTI_ACTIVITY_KIND_KERNEL").name, Cost::kPrevents, {kDevice, kNetwork, kRanks}},
    // Ranks could not be joined.
    {diagnostic("ranks_not_merged").name, Cost::kPrevents, {kNetwork, kRanks}},
    {diagnostic("collective_ends_disagree").name, Cost::kWeakens, {kNetwork, kRanks}},
    {diagnostic("rooted_ends_apart").name, Cost::kBlurs, {kNetwork, kRanks}},
    {diagnostic("unmatched_collective").name, Cost::kWeakens, {kNetwork, kRanks}},
    {diagnostic("unmatched_host_collective").name, Cost::kBlurs, {kHost, kNetwork}},
    {diagnostic("clock_unmatched").name, Cost::kWeakens, {kNetwork, kRanks}},
    {diagnostic("element_type_assumed").name, Cost::kBlurs, {kNetwork}},
    {diagnostic("several_processes").name, Cost::kBlurs, {kRanks}},
    {diagnostic("bad_base_time").name, Cost::kBlurs, {kRanks}},
    // Dependencies are inferred or wrong.
    {diagnostic("inferred_stream_wait").name, Cost::kBlurs, {kHost, kDevice, kNetwork}},
    {diagnostic("inferred_host_wait").name, Cost::kBlurs, {kHost, kDevice, kNetwork}},
    {diagnostic("unresolved_sync_event").name, Cost::kBlurs, {kHost, kDevice, kNetwork}},
    {diagnostic("event_not_recorded").name, Cost::kBlurs, {kHost, kDevice, kNetwork}},
    {diagnostic("missing table: CUPTI_ACTIVITY_KIND_SYNCHRONIZATION").name, Cost::kBlurs, {kHost, kDevice, kNetwork}},
    {diagnostic("polling").name, Cost::kBlurs, {kHost, kDevice}},
    {diagnostic("unexplained_blocking_call").name, Cost::kBlurs, {kDevice}},
    {diagnostic("release_by_time").name, Cost::kBlurs, {kHost, kDevice, kNetwork}},
    {diagnostic("dependency_against_time").name, Cost::kBlurs, {kHost, kDevice, kNetwork}},
    {diagnostic("edge_contradicted").name, Cost::kBlurs, {kReplay}},
    {diagnostic("mistimed_device_work").name, Cost::kBlurs, Questions::all()},
    {diagnostic("device_work_cut_short").name, Cost::kBlurs, {kReplay, kDevice}},
    {diagnostic("overlapping_device_work").name, Cost::kBlurs, {kDevice}},
    {diagnostic("ambiguous_launch").name, Cost::kBlurs, {kHost}},
    // Tasks cannot be identified.
    {diagnostic("missing table: CUPTI_ACTIVITY_KIND_RUNTIME").name, Cost::kPrevents, {kHost}},
    {diagnostic("missing table: NVTX_EVENTS").name, Cost::kBlurs, {kReplay}},
    {diagnostic("missing table: StringIds").name, Cost::kWeakens, {kDevice, kNetwork}},
    {diagnostic("whole_graphs").name, Cost::kWeakens, {kDevice}},
    {diagnostic("spans_between_events").name, Cost::kWeakens, {kReplay, kDevice}},
    {diagnostic("rows_of_operators").name, Cost::kBlurs, {kHost}},
    {diagnostic("no_duration").name, Cost::kBlurs, {kReplay}},
    {diagnostic("negative_duration").name, Cost::kBlurs, {kReplay}},
    // Steps are unclear.
    {diagnostic("overlapping_steps").name, Cost::kBlurs, {kReplay}},
    {diagnostic("incomplete_step").name, Cost::kBlurs, {kReplay}},
    {diagnostic("operator_without_step").name, Cost::kBlurs, {kReplay}},
    {diagnostic("open_range").name, Cost::kBlurs, {kReplay}},
    // Other files in the folder, and records that no answer needs.
    {diagnostic("deep_annotation").name, Cost::kNothing, {}},
    {diagnostic("own_export_not_used").name, Cost::kNothing, {}},
    {diagnostic("odd_json").name, Cost::kNothing, {}},
    {diagnostic("member_ignored").name, Cost::kNothing, {}},
    {diagnostic("column not written:").name, Cost::kNothing, {}},
    {diagnostic("missing table: TARGET_INFO_SESSION_START_TIME").name, Cost::kNothing, {}},
    {diagnostic("duplicate_record").name, Cost::kNothing, {}},
});

/// True if another finding reports the same: "no_launches" reports work without a launch, and "no_sync_events" reports
/// inferred waits if no waits were recorded.
bool is_covered_by_other_finding(std::string_view name, bool waits_recorded) {
  const bool inferred =
      name == diagnostic("inferred_stream_wait").name || name == diagnostic("inferred_host_wait").name;
  return name == diagnostic("device_work_without_launch").name || (inferred && !waits_recorded);
}

const Diagnostic* find_diagnostic(std::string_view name) {
  for (const std::span<const Diagnostic> table : kDiagnosticTables) {
    for (const Diagnostic& known : table) {
      if (known.goes_on ? name.starts_with(known.name) : name == known.name) return &known;
    }
  }
  return nullptr;
}

/// True if `name` is a diagnostic of lost data that can make every answer untrustworthy (essential_loss()).
bool is_essential(std::string_view name) {
  return name == diagnostic("lost_kernels").name || name == diagnostic("mistimed_device_work").name ||
         name == diagnostic("truncated_file").name;
}

KnownCost cost_of(const Diagnostics::Entry& entry, bool lost_essentials) {
  if (lost_essentials && is_essential(entry.name)) return {entry.name, Cost::kPrevents, Questions::all()};
  const auto* const known = std::find_if(kKnownCosts.begin(), kKnownCosts.end(), [&entry](const KnownCost& cost) {
    return entry.name == cost.name || (cost.name.ends_with(':') && entry.name.starts_with(cost.name));
  });
  if (known != kKnownCosts.end()) return *known;
  if (entry.severity == Severity::kDataLoss) return {entry.name, Cost::kWeakens, Questions::all()};
  return {entry.name, Cost::kBlurs, Questions::all()};
}

/// Returns the share in a detail such as "12 % of the span": 0.12. Returns nothing if the detail has another form.
std::optional<double> share_in(std::string_view detail) {
  constexpr std::string_view kOfSpan = " % of the span";
  if (!detail.ends_with(kOfSpan)) return std::nullopt;
  double percent = 0;
  for (const char c : detail.substr(0, detail.size() - kOfSpan.size())) {
    if (c < '0' || c > '9') return std::nullopt;
    percent = 10 * percent + (c - '0');
  }
  return percent / 100;
}

/// Removes the full stop, so that the sentence can become part of another one.
std::string without_stop(std::string_view sentence) {
  return std::string(sentence.ends_with('.') ? sentence.substr(0, sentence.size() - 1) : sentence);
}

/// Splits a remedy into two parts at a colon: what was found, and what to do, which begins with a verb. The second part
/// is empty if there is nothing to do.
std::pair<std::string_view, std::string_view> parts_of(std::string_view remedy) {
  constexpr auto kVerbs = std::to_array<std::string_view>({"record ", "pass ", "export ", "give ", "write ", "copy ",
                                                           "repair ", "let ", "mark ", "name ", "number ", "make ",
                                                           "move ", "put ", "start ", "open ", "split "});
  for (std::size_t colon = remedy.find(": "); colon != std::string_view::npos; colon = remedy.find(": ", colon + 1)) {
    const std::string_view what_to_do = remedy.substr(colon + 2);
    const bool is_verb = std::any_of(kVerbs.begin(), kVerbs.end(),
                                     [what_to_do](std::string_view verb) { return what_to_do.starts_with(verb); });
    if (is_verb) return {remedy.substr(0, colon), what_to_do};
  }
  return {remedy, {}};
}

Finding finding_of(const Diagnostics::Entry& entry, bool lost_essentials) {
  const KnownCost cost = cost_of(entry, lost_essentials);
  const Diagnostic* const known = find_diagnostic(entry.name);
  const auto [what, what_to_do] = parts_of(entry.remedy);
  std::string sentence(what);
  if (!entry.detail.empty()) sentence += fmt::format(" ({})", entry.detail);
  const bool mended_by = known != nullptr && !known->mend.empty();
  return {.name = entry.name,
          .cost = cost.cost,
          .weakens = cost.weakens,
          .count = entry.count,
          .share = share_in(entry.detail),
          .sentence = std::move(sentence),
          .effect = known == nullptr ? std::string() : std::string(known->effect),
          .remedy = mended_by ? without_stop(known->mend) : std::string(what_to_do)};
}

using enum Question;

// Limits of the error of the replayed iteration, as a share of the measured one. A replay of recorded durations keeps
// every wait, so any error means that the graph is wrong.
constexpr double kReplayOff = 0.02;
constexpr double kReplayUseless = 0.2;
// A capture is good up to this error of the perturbation test; README and docs/guides/trust.md say so.
constexpr double kTestOff = 0.05;
// From this mean difference of steps, as much as a step itself, none is typical, however well they predict each other.
constexpr double kStepsApart = 1;
constexpr double kUnexplained = 0.05;
// From this share of the critical path, what a capture does not show weighs more than most changes that one asks about.
constexpr double kMuchOfAPath = 0.2;
// A profiler that slows the job by less than this share is not reported as a problem, because the steps of one job
// differ by as much anyway.
constexpr double kSlowed = 0.02;

void add_error(const ReplayCheck& replay, std::vector<Finding>& findings) {
  const double error = std::abs(replay.summary.iteration.error);
  if (error < kReplayOff) return;
  findings.push_back({.name = problem("replay_off"),
                      .cost = error < kReplayUseless ? Cost::kWeakens : Cost::kPrevents,
                      .weakens = Questions::all(),
                      .share = error,
                      .sentence = fmt::format("the replay is {} off the captured iteration, so dependencies are "
                                              "missing or wrong",
                                              percent(error)),
                      .effect = "What-ifs are at least as far off.",
                      .remedy = "fix the other problems listed here, worst first, and record again",
                      .in_range = "model"});
}

void add_test(const ReplayCheck& replay, std::vector<Finding>& findings) {
  if (!replay.perturbation) return;
  const Perturbation& test = *replay.perturbation;
  if (test.error < kTestOff) return;
  const std::string_view what = test.between_ranks ? "rank" : "step";
  findings.push_back(
      {.name = problem("graph_test_off"),
       .cost = Cost::kWeakens,
       .weakens = Questions::all(),
       .count = test.steps,
       .share = test.error,
       .sentence = fmt::format("one {0}'s graph predicts the others {1} off on average (the {0}s differ by {2})", what,
                               percent(test.error), percent(test.difference)),
       .effect = "Some dependencies are unknown, so waits do not change correctly when durations do.",
       .remedy = "record more steps, and the waits (see no_sync_events); leave warm-up steps out by --steps"});
}

void add_steps_apart(const ReplayCheck& replay, std::vector<Finding>& findings) {
  if (!replay.perturbation || replay.perturbation->between_ranks || replay.perturbation->difference < kStepsApart)
    return;
  findings.push_back({.name = problem("steps_apart"),
                      .cost = Cost::kWeakens,
                      .weakens = {kReplay},
                      .count = replay.perturbation->steps,
                      .share = replay.perturbation->difference,
                      .sentence = fmt::format("the captured steps differ by {} on average, so none is typical",
                                              percent(replay.perturbation->difference)),
                      .effect = "Step times are those of one of them; what-ifs also give the mean.",
                      .remedy = "leave warm-up steps out by --steps, or record more steps"});
}

void add_repetition(const ReplayCheck& replay, std::vector<Finding>& findings) {
  if (!replay.contradicted_repetition) return;
  const Duration captured = replay.summary.iteration.replayed;
  findings.push_back({.name = problem("repetition_contradicted"),
                      .cost = Cost::kWeakens,
                      .weakens = {kHost, kDevice, kNetwork, kRanks},
                      .share = std::abs(ratio(*replay.contradicted_repetition - captured, captured)),
                      .sentence = fmt::format("the captured steps take {}, but {} when each is repeated until it is "
                                              "steady, which is more than they differ",
                                              to_text(captured), to_text(*replay.contradicted_repetition)),
                      .effect = "What-ifs use the distances between captured steps; their range includes the repeated "
                                "step.",
                      .remedy = "record all ranks, or more steps",
                      .in_range = "repetition"});
}

void add_unexplained(const ReplayCheck& replay, std::vector<Finding>& findings) {
  const CriticalPath& path = replay.path.path;
  const double share = ratio(path.unexplained, path.length);
  if (share < kUnexplained) return;
  findings.push_back({.name = problem("unexplained_wait"),
                      .cost = share < 0.5 ? Cost::kBlurs : Cost::kWeakens,
                      .weakens = share < 0.5 ? Questions{kHost, kDevice, kNetwork, kRanks} : Questions::all(),
                      .share = share,
                      .sentence = percent(share) + " of the critical path is unexplained waiting",
                      .effect = "No what-if can shorten it.",
                      .remedy = "record what is missing, see the other problems here: waits, ranks, threads",
                      .in_range = "unexplained waits"});
}

void add_late_start(const ReplayCheck& replay, std::vector<Finding>& findings) {
  const CriticalPath& path = replay.path.path;
  const PathTask* const late = path.tasks.empty() ? nullptr : late_start_on(path);
  if (late == nullptr) return;
  const double share = ratio(late->wait, path.length);
  if (share < kUnexplained) return;
  findings.push_back(
      {.name = problem("late_start"),
       .cost = share < kMuchOfAPath ? Cost::kBlurs : Cost::kWeakens,
       .weakens = Questions::all(),
       .share = share,
       .sentence =
           fmt::format("ranks start {} apart, which is {} of the critical path", to_text(late->wait), percent(share)),
       .effect = "The step includes this wait, which no what-if shortens, and what others wait for a late "
                 "rank counts as waiting for ranks.",
       .remedy = "record three steps, of all ranks"});
}

void add_silence(const ReplayCheck& replay, std::vector<Finding>& findings) {
  const CriticalPath& path = replay.path.path;
  const double share = ratio(path.silent, path.length);
  if (share < kUnexplained) return;
  const bool mostly = share > 0.5;
  findings.push_back({.name = problem("silent_host"),
                      .cost = mostly ? Cost::kWeakens : Cost::kBlurs,
                      .weakens = mostly ? Questions{kReplay, kHost, kDevice} : Questions{kHost},
                      .share = share,
                      .sentence = percent(share) + " of the critical path is CPU time without events",
                      .effect =
                          "It may be work, which a faster CPU shortens, or waiting for something that was not recorded "
                          "(data, files, other processes), which it does not shorten.",
                      .remedy = "mark this part of the program with torch.profiler.record_function"});
}

/// Adds a finding for pauses in the captured steps. The share is that of the rank that pauses most.
void add_pauses(const Capture& capture, std::vector<Finding>& findings) {
  const std::vector<RankPauses> ranks = pauses_of(capture);
  if (ranks.empty()) return;
  const RankPauses& worst = ranks.front();
  std::size_t count = 0;
  for (const RankPauses& rank : ranks) count += rank.count;
  const double share = worst.share();
  findings.push_back(
      {.name = problem("pauses"),
       .cost = share < kManyPauses    ? Cost::kNothing
               : share < kMuchOfAPath ? Cost::kBlurs
                                      : Cost::kWeakens,
       .weakens = share < kManyPauses ? Questions{} : Questions::all(),
       .count = count,
       .share = share,
       .sentence = fmt::format("threads of rank {} did not run in {}, {} of its {}: operators that launch nothing and "
                               "wait for nothing took 50 times their usual time",
                               worst.rank, counted(worst.count, "pause"), to_text(worst.time), to_text(worst.recorded)),
       .effect = "Pauses count as CPU work, but a faster CPU or GPU does not shorten them, and other steps pause at "
                 "other times. Other processes on the same cores, garbage collection and page faults cause them.",
       .remedy = "give each process cores of its own (taskset, OMP_NUM_THREADS) and collect garbage between steps "
                 "(gc.disable()); --set host.pauses=0 predicts steps without pauses",
       .in_range = "pauses"});
}

void add_slowing(const Capture& capture, const ReplayCheck& replay, std::vector<Finding>& findings) {
  const std::optional<Slowing> slowing = slowing_of(capture, replay.summary);
  if (!slowing) return;
  const bool slowed = slowing->is_seen() && slowing->share() >= kSlowed;
  findings.push_back(
      {.name = problem("profiler_slowing"),
       .cost = slowed ? Cost::kBlurs : Cost::kNothing,
       .weakens = slowed ? Questions{kReplay, kHost} : Questions{},
       .share = std::max(0.0, slowing->share()),
       .sentence = to_text(*slowing),
       .effect = slowed ? "The replay shows the slowed steps; what-ifs and sweeps subtract the slowdown from the CPU "
                          "work as far as events were counted."
                        : "None.",
       .remedy = slowed ? "record less: without stacks, modules and memory" : ""});
}

}  // namespace

std::string_view to_text(Question question) noexcept {
  switch (question) {
    case Question::kReplay: return "replay";
    case Question::kHost: return "host";
    case Question::kDevice: return "device";
    case Question::kNetwork: return "network";
    case Question::kRanks: return "ranks";
  }
  return "";
}

std::string to_text(Questions questions) {
  if (questions.empty()) return "-";
  if (questions.count() == static_cast<int>(kQuestionCount)) return "all";
  std::string text;
  for (const Question question : kQuestions) {
    if (questions.has(question)) add_item(text, to_text(question));
  }
  return text;
}

std::string_view to_text(Cost cost) noexcept {
  switch (cost) {
    case Cost::kPrevents: return "prevents";
    case Cost::kExposes: return "exposes";
    case Cost::kWeakens: return "weakens";
    case Cost::kBlurs: return "blurs";
    case Cost::kNothing: return "note";
  }
  return "";
}

bool is_modelled_step(const Examined& examined) {
  return examined.capture != nullptr && has_modelled_times(*examined.capture) &&
         !examined.capture->recording.start.empty();
}

std::vector<Finding> diagnostic_findings(const Examined& examined) {
  std::vector<Finding> findings;
  const bool waits_recorded = recorded_of(examined.contents).sum.syncs > 0;
  const bool lost_essentials = examined.capture != nullptr && !essential_loss(*examined.capture).empty();
  for (const Diagnostics::Entry& entry : examined.diagnostics.entries()) {
    if (entry.severity != Severity::kInfo && !is_covered_by_other_finding(entry.name, waits_recorded))
      findings.push_back(finding_of(entry, lost_essentials));
  }
  return findings;
}

std::vector<Finding> replay_findings(const Examined& examined) {
  std::vector<Finding> findings;
  if (examined.replay == nullptr || !examined.replay->summary.measured) return findings;
  add_error(*examined.replay, findings);
  add_test(*examined.replay, findings);
  add_steps_apart(*examined.replay, findings);
  add_repetition(*examined.replay, findings);
  add_unexplained(*examined.replay, findings);
  add_late_start(*examined.replay, findings);
  add_silence(*examined.replay, findings);
  if (examined.capture == nullptr) return findings;
  add_pauses(*examined.capture, findings);
  add_slowing(*examined.capture, *examined.replay, findings);
  return findings;
}

std::vector<Finding> privacy_findings(const Examined& examined) {
  std::vector<Finding> findings;
  Finding person{
      .name = problem("private_content"),
      .cost = Cost::kNothing,
      .weakens = {},
      .effect =
          "No effect on answers. Anyone who gets the files can read it. Text, timelines and JSON have "
          "names of hosts and files, pages and pictures names of files; with --anonymous, no output has them.",
      .remedy = fmt::format("before you share them: {}", how_to_share(examined.contents))};
  for (const PrivateContent& content : examined.contents.private_parts) {
    if (content.secret) {
      findings.push_back(
          {.name = problem("secret"),
           .cost = Cost::kExposes,
           .weakens = {},
           .count = content.count,
           .sentence = fmt::format("{}, first at {}", content.kind, content.first),
           .effect = "Anyone who gets the file can use it.",
           .remedy = fmt::format("revoke it if you shared the file; {}", how_to_share(examined.contents))});
    } else {
      person.count += content.count;
      add_item(person.sentence, fmt::format("{} ({})", content.kind, content.count));
    }
  }
  if (person.count > 0) findings.push_back(std::move(person));
  return findings;
}

}  // namespace stepsim::sim
