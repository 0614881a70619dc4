// The parts of the documents about a capture, in document order. Fields appear in JSON, sections in the text report.

#include "sim/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "model/base/text.h"
#include "model/calibration/interference.h"
#include "model/cost/network/network.h"
#include "model/job/group.h"
#include "sim/analysis/longest_path.h"
#include "sim/analysis/pauses.h"
#include "sim/analysis/rank_steps.h"
#include "sim/output/cluster_yaml.h"
#include "sim/report/common_fields.h"
#include "sim/report/headline.h"
#include "sim/report/path_sections.h"
#include "sim/report/rank_class.h"
#include "sim/report/throughput.h"

namespace stepsim::sim {
namespace {

using Sections = std::vector<Section>;

/// Like at<Members...>, but follows the members from findings.capture.
template <auto... Members>
struct OfCapture {
  decltype(auto) operator()(const Findings& findings) const { return at<Members...>(findings.capture); }
};
template <auto... Members>
inline constexpr OfCapture<Members...> of_capture{};  // NOLINT(readability-identifier-naming): reads as a function

std::size_t tasks_in(const Findings& findings) { return findings.capture.dag.task_count(); }
std::size_t edges_in(const Findings& findings) { return findings.capture.dag.edge_count(); }

/// Returns the ranks of the job, as far as known.
std::vector<Rank> ranks_in(const Findings& findings) {
  std::vector<Rank> ranks;
  for (const KnownRank& one : known_ranks(findings.capture)) ranks.push_back(one.rank);
  return ranks;
}

// --- size of the graph; the text report shows it in the headline and under Input

constexpr auto kSize = std::to_array<Field<Findings>>({
    {"tasks", at<tasks_in>},
    {"edges", at<edges_in>},
    {"ranks", at<ranks_in>},
});

constexpr auto kWritten = std::to_array<Field<Findings>>({
    {"output", at<&Findings::output>},
    {"tasks", at<tasks_in>},
    {"edges", at<edges_in>},
});

// --- comparison of measured and replayed times, by step and for the iteration:
//
//     rank  step     measured     replayed    error  against the other steps' median
//        0     4   105.112 ms   105.100 ms  -0.01 %   +0.40 %

template <class Value>
std::optional<Value> if_measured(const Summary& summary, Value value) {
  return summary.measured ? std::optional{value} : std::nullopt;
}

struct StepLine {
  const Summary* of;
  const StepReport* step;
};
/// Returns how much longer the step is than the median of the rank's other steps, of which held_out_error is the error.
constexpr auto kAgainstTheOthers = [](const StepLine& line) -> std::optional<double> {
  const std::optional<double>& error = line.step->held_out_error;
  return error && *error > -1 ? std::optional{1 / (1 + *error) - 1} : std::nullopt;
};
constexpr auto kStep = std::to_array<Field<StepLine>>({
    {"rank", at<&StepLine::step, &StepReport::rank>, {"rank", Use::kMain, Form::kId}},
    {"step", at<&StepLine::step, &StepReport::step>, {"step", Use::kMain, Form::kId}},
    {"", at<&StepLine::step, &StepReport::measured>, {"measured"}},
    {"measured_ns", [](const StepLine& line) { return if_measured(*line.of, line.step->measured); }},
    {"replayed_ns", at<&StepLine::step, &StepReport::replayed>, {"replayed"}},
    {"", at<&StepLine::step, &StepReport::error>, {"error", Use::kMain, Form::kChange}},
    {"error", [](const StepLine& line) { return if_measured(*line.of, line.step->error); }},
    {"", kAgainstTheOthers, {"against the other steps' median", Use::kMain, Form::kChange}},
    {"held_out_error", at<&StepLine::step, &StepReport::held_out_error>},
});

std::vector<StepLine> step_lines(const Findings& findings) {
  std::vector<StepLine> lines;
  for (const StepReport& step : findings.summary.steps) lines.push_back({&findings.summary, &step});
  return lines;
}

using RankAndStep = std::pair<Rank, std::int64_t>;
constexpr auto kSetAside = std::to_array<Field<RankAndStep>>({
    {"rank", at<&RankAndStep::first>},
    {"step", at<&RankAndStep::second>},
});

template <auto Member>
struct IfMeasured {
  auto operator()(const Summary& summary) const { return if_measured(summary, summary.iteration.*Member); }
};
constexpr auto kIteration = std::to_array<Field<Summary>>({
    {"measured_ns", IfMeasured<&IterationReport::measured>{}},
    {"replayed_ns", at<&Summary::iteration, &IterationReport::replayed>},
    {"mean_ns", IfMeasured<&IterationReport::mean>{}},
    {"pace", at<&Summary::iteration, &IterationReport::pace>},
    {"error", IfMeasured<&IterationReport::error>{}},
    {"mean_abs_error", IfMeasured<&IterationReport::mean_abs_error>{}},
    {"worst_abs_error", IfMeasured<&IterationReport::worst_abs_error>{}},
});

constexpr auto kPerturbation = std::to_array<Field<Perturbation>>({
    {"of", [](const Perturbation& test) -> std::string_view { return test.between_ranks ? "ranks" : "steps"; }},
    {"steps", at<&Perturbation::steps>},
    {"mean_abs_error", at<&Perturbation::error>},
    {"worst_abs_error", at<&Perturbation::worst_error>},
    {"mean_abs_difference", at<&Perturbation::difference>},
});

/// Fields that show how the graph was tested, and what its critical path is based on.
constexpr auto kTrust = std::to_array<Field<Findings>>({
    {"perturbation", at<&Findings::perturbation>, kPerturbation},
    {"path_unexplained_ns", at<&Findings::path, &IterationPath::path, &CriticalPath::unexplained>},
    {"path_silent_ns", at<&Findings::path, &IterationPath::path, &CriticalPath::silent>},
    {"path_paused_ns", at<&Findings::path, &IterationPath::path, &CriticalPath::paused>},
    {"path_hand_overs", at<&Findings::path, &IterationPath::path, &CriticalPath::hand_overs>},
    {"path_inferred_hand_overs", at<&Findings::path, &IterationPath::path, &CriticalPath::inferred>},
});

std::vector<CyclePart> limits_in(const Findings& findings) {
  if (!findings.steady) return {};
  return limits_of(findings.capture.dag, *findings.timeline, *findings.steady);
}

constexpr auto kLongRun = std::to_array<Field<Findings>>({
    {"iteration_ns", [](const Findings& found) { return found.steady->length; }},
    {"limited_by", at<limits_in>, kCyclePart},
});

CaptureHead head_of(const Findings& findings) { return {&findings.capture, &findings.trust}; }

constexpr auto kSteps = std::to_array<Field<Findings>>({
    {"capture", at<head_of>, kCaptureHead, kOnNewLine},
    {"steps", at<step_lines>, kStep, kRowLines},
    {"set_aside", at<&Findings::summary, &Summary::set_aside>, kSetAside},
    {"iteration", at<&Findings::summary>, kIteration, kOnNewLine},
    {"in_the_long_run", [](const Findings& found) { return found.steady ? &found : nullptr; }, kLongRun,
     kOnNewLine | kIfAny},
    {"trust", [](const Findings& found) { return found.summary.measured ? &found : nullptr; }, kTrust,
     kOnNewLine | kIfAny},
});

/// Returns the steps that have no row because no whole step is before them: "rank 0 step 10", or their number if they
/// are many.
std::string untimed_steps(const Findings& findings) {
  constexpr std::size_t kMostNamed = 8;
  std::set<std::pair<Rank, std::int64_t>> listed;
  for (const StepReport& step : findings.summary.steps) listed.emplace(step.rank, step.step);
  std::string names;
  std::size_t untimed = 0;
  for (const RecordedStep& step : findings.capture.recording.steps) {
    if (!step.marked || !is_used(step) || listed.contains({step.rank, step.number})) continue;
    if (++untimed <= kMostNamed) add_item(names, fmt::format("rank {} step {}", step.rank, step.number));
  }
  return untimed > kMostNamed ? counted(untimed, "step") : names;
}

Sections steps_sections(const Findings& findings) {
  const Summary& summary = findings.summary;
  Section section{.title = "Steps"};
  if (!summary.steps.empty()) section.table = table_of(kStep, step_lines(findings), {.compared = true});
  std::string set_aside;
  for (const auto& [rank, step] : summary.set_aside) add_item(set_aside, fmt::format("rank {} step {}", rank, step));
  if (summary.measured && !summary.steps.empty()) {
    section.sentences.emplace_back(
        fmt::format("Replay error: {} on average, {} at worst. A small one shows that nothing was lost while reading; "
                    "only the self-check tests the dependencies.",
                    percent(summary.iteration.mean_abs_error), percent(summary.iteration.worst_abs_error)));
  }
  if (const std::vector<CyclePart> limits = limits_in(findings); !limits.empty()) {
    section.sentences.emplace_back(fmt::format("In the long run a step takes {}, limited by {}.",
                                               to_text(findings.steady->length), to_text(limits)));
  }
  if (const std::string untimed = untimed_steps(findings); !untimed.empty()) {
    section.sentences.emplace_back(
        fmt::format("Not listed: {}. The GPU limits the pace, so a step is timed from the end of the one before, which "
                    "is missing.",
                    untimed));
  }
  if (!set_aside.empty()) section.sentences.emplace_back("Not counted, because the capture cuts them: " + set_aside);
  return {section};
}

// --- how transfers were timed, if not as recorded, and how accurately the hardware is known

constexpr auto kNetwork = std::to_array<Field<Findings>>({
    {"network",
     [](const Findings& found) {
       return NetworkView{found.network->name, found.calibration};
     },
     kNetworkView},
});

Sections network_sections(const Findings& findings) {
  const NetworkModel& model = *findings.network;
  if (model.make == nullptr) return {};
  Section section{.title = "Network",
                  .lead = fmt::format("{}: {}; it ignores {}.", model.name, model.summary, model.ignores)};
  if (findings.calibration != nullptr && !findings.calibration->fits.empty())
    section.table = table_of(kFit, findings.calibration->fits);
  return {section};
}

// --- samples per second, if job.yaml gives the batch size

/// Returns the job's iteration without recording if it is known, else the measured one, else the replayed one.
Duration iteration_of(const Findings& findings) {
  const IterationReport& iteration = findings.summary.iteration;
  if (findings.capture.job.measured_step) return *findings.capture.job.measured_step;
  return findings.summary.measured ? iteration.measured : iteration.replayed;
}

std::optional<Throughput> throughput_in(const Findings& findings) {
  const StepWork work = captured_work(findings.capture);
  return work.batch_size ? std::optional{throughput_of(work, iteration_of(findings))} : std::nullopt;
}

constexpr auto kThroughputMember = std::to_array<Field<Findings>>({{"throughput", at<throughput_in>, kThroughput}});

Sections throughput_sections(const Findings& findings) {
  const StepWork work = captured_work(findings.capture);
  if (!work.batch_size) return {};
  const Duration iteration = iteration_of(findings);
  return {{.title = "Throughput",
           .sentences = {
               fmt::format("{} {}, {} per device: each of {} takes {} in {}{}", rate_text(rate_in_all(work, iteration)),
                           unit_of(work), rate_text(rate_of_device(work, iteration)), counted(work.workers, "worker"),
                           counted(*work.batch_size, "sample"), stepsim::to_text(iteration), condition_of(work))}}};
}

// --- slowdown by the profiler, if job.yaml gives the time of a step without it

std::optional<Slowing> slowing_in(const Findings& findings) { return slowing_of(findings.capture, findings.summary); }

constexpr auto kSlowing = std::to_array<Field<Slowing>>({
    {"recorded_ns", at<&Slowing::recorded>},
    {"free_ns", at<&Slowing::free>},
    {"shortest_step_ns", at<&Slowing::shortest>},
    {"slowing", at<&Slowing::share>},
});
constexpr auto kProfiler = std::to_array<Field<Findings>>({{"profiler", at<slowing_in>, kSlowing}});

Sections slowing_sections(const Findings& findings) {
  const std::optional<Slowing> slowing = slowing_in(findings);
  if (!slowing) return {};
  std::string sentence = to_text(*slowing);
  sentence.front() = 'W';
  return {{.title = "The profiler", .sentences = {sentence}}};
}

// --- breakdown of each rank's iteration

constexpr auto kReplayBreakdown = std::to_array<Field<RankBreakdown>>({
    {"", at<>, kRankBreakdown},
    {"unexplained_ns", at<&RankBreakdown::unexplained>, {"unexplained", Use::kDetail}},
});
std::vector<RankClass> classes_in(const Findings& findings) {
  return rank_classes_of(findings.capture.dag, findings.summary);
}
constexpr auto kBreakdown = std::to_array<Field<Findings>>({
    {"breakdown", at<&Findings::summary, &Summary::ranks>, kReplayBreakdown, kRowLines},
    {"rank_classes", at<classes_in>, kRankClass, kRowLines | kIfAny},
    {"iteration_parts", at<&Findings::summary, &Summary::parts>, kIterationParts},
});

Sections breakdown_sections(const Findings& findings) {
  const std::vector<RankBreakdown>& ranks = findings.summary.ranks;
  Section section{.title = "Where the time of a step goes (replayed; columns overlap)",
                  .table = table_of(kReplayBreakdown, ranks)};
  const std::vector<RankClass> classes = classes_in(findings);
  if (!classes.empty()) add_classes(classes, section);
  const auto waits_for_ranks = [](const RankBreakdown& rank) { return rank.collective_wait > Duration{}; };
  if (std::any_of(ranks.begin(), ranks.end(), waits_for_ranks)) {
    section.sentences.emplace_back(
        "exposed transfer: data moves while the rank computes nothing; 'stats' adds the waiting for ranks to it and "
        "calls "
        "the sum exposed communication");
  }
  return {section};
}

// --- unexplained waits, by kind

constexpr auto kUnexplainedKind = std::to_array<Field<UnexplainedKind>>({
    {"kind", at<&UnexplainedKind::kind>},
    {"wait_ns", at<&UnexplainedKind::wait>},
    {"count", at<&UnexplainedKind::count>},
});
constexpr auto kUnexplained = std::to_array<Field<Findings>>({
    {"unexplained_wait_ns", at<&Findings::summary, &Summary::unexplained_wait>},
    {"unexplained", at<&Findings::summary, &Summary::unexplained>, kUnexplainedKind},
});

Sections unexplained_sections(const Findings& findings) {
  Section section{.title = "Unexplained waits"};
  for (const UnexplainedKind& kind : findings.summary.unexplained) {
    section.sentences.emplace_back(
        fmt::format("{}: {} in {} over the whole capture", kind.kind, to_text(kind.wait), counted(kind.count, "wait")));
  }
  return {section};
}

// --- pauses of threads, by rank

constexpr auto kRankPauses = std::to_array<Field<RankPauses>>({
    {"rank", at<&RankPauses::rank>},
    {"count", at<&RankPauses::count>},
    {"paused_ns", at<&RankPauses::time>},
    {"recorded_ns", at<&RankPauses::recorded>},
});
std::vector<RankPauses> pauses_in(const Findings& findings) { return pauses_of(findings.capture); }
constexpr auto kPauses = std::to_array<Field<Findings>>({{"pauses", at<pauses_in>, kRankPauses, kIfAny}});

// --- the critical path of an iteration: a summary in the answer of replay, all of its tasks in that of critical-path

/// Returns the path of the longest step of the rank whose path is shown; nothing unless steps differ.
std::optional<IterationPath> path_of_longest_step(const Findings& findings) {
  if (!steps_differ(findings.summary)) return std::nullopt;
  const StepReport* longest = nullptr;
  for (const StepReport& step : findings.summary.steps) {
    if (step.rank != findings.path.step->rank) continue;
    if (longest == nullptr || step.replayed > longest->replayed) longest = &step;
  }
  if (longest == nullptr) return std::nullopt;
  return IterationPath{critical_path_of_step(findings.capture, *findings.timeline, longest->timed),
                       IterationPath::Step{longest->rank, longest->step}};
}

constexpr auto kPathSummary = std::to_array<Field<Findings>>({
    {"critical_path", at<&Findings::path>, kIterationPath},
    {"longest_step_path", at<path_of_longest_step>, kIterationPath, kIfAny},
});

/// Returns the sections of the path of a typical step, and what the path of the longest step is made of if steps
/// differ.
Sections sections_of_path(const Findings& findings) {
  Sections sections = path_sections(findings.capture.dag, findings.path.path, findings.path_rows);
  if (const std::optional<IterationPath> longest = path_of_longest_step(findings)) {
    sections.front().sentences.emplace_back(fmt::format("Critical path of the longest step, {}: {}{}.",
                                                        path_subject(*longest), to_text(longest->path.length),
                                                        shares_text(longest->path)));
  }
  return sections;
}

Sections path_summary_sections(const Findings& findings) {
  const IterationPath& path = findings.path;
  Sections sections = sections_of_path(findings);
  sections.front().title = fmt::format("Critical path of {}: {}", path_subject(path), to_text(path.path.length));
  return sections;
}

std::vector<PathLine> path_lines(const Findings& findings) {
  return lines_of(findings.capture.dag, findings.path.path);
}
constexpr auto kPathTasks = std::to_array<Field<Findings>>({
    {"capture", at<head_of>, kCaptureHead, kOnNewLine},
    {"", at<&Findings::path>, kIterationPath},
    {"tasks", at<path_lines>, kPathLine, kOnNewLine | kItemLines},
});

Sections path_tasks_sections(const Findings& findings) { return sections_of_path(findings); }

// --- the longest path of each GPU alone, and of each worker

struct PartLine {
  const Dag* dag;
  PartPath part;
};
constexpr auto kPartTask = std::to_array<Field<PathLine>>({
    {"name", at<&PathLine::name>},
    {"rank", at<&PathLine::lane, &Lane::rank>},
    {"duration_ns", at<&PathLine::task, &PathTask::duration>},
    {"wait_ns", at<&PathLine::task, &PathTask::wait>},
});
constexpr auto kPart = std::to_array<Field<PartLine>>({
    {"host", at<&PartLine::part, &PartPath::host>},
    {"ranks", at<&PartLine::part, &PartPath::ranks>},
    {"length_ns", at<&PartLine::part, &PartPath::path, &CriticalPath::length>},
    {"classes", at<&PartLine::part, &PartPath::path>, kPathClasses},
    {"tasks", [](const PartLine& line) { return lines_of(*line.dag, line.part.path); }, kPartTask},
});

struct Parts {
  std::vector<PartLine> gpus;
  std::vector<PartLine> workers;
};
Parts parts_of(const Findings& findings) {
  PartPaths paths = part_paths(findings.capture, *findings.timeline, findings.path.path);
  Parts parts;
  for (PartPath& part : paths.gpus) parts.gpus.push_back({&findings.capture.dag, std::move(part)});
  for (PartPath& part : paths.workers) parts.workers.push_back({&findings.capture.dag, std::move(part)});
  return parts;
}
constexpr auto kPartLists = std::to_array<Field<Parts>>({
    {"gpus", at<&Parts::gpus>, kPart, kItemLines},
    {"workers", at<&Parts::workers>, kPart, kItemLines},
});
constexpr auto kPartPaths = std::to_array<Field<Findings>>({{"", at<parts_of>, kPartLists}});

// --- slow ranks: what a step would take if they were as fast as the others

std::optional<std::uint32_t> data_rank_of(const SlowPart& rank) {
  return rank.place ? std::optional{rank.place->data_rank} : std::nullopt;
}
std::optional<std::uint32_t> stage_of(const SlowPart& rank) {
  return rank.place ? std::optional{rank.place->stage} : std::nullopt;
}

constexpr auto kSlowPart = std::to_array<Field<SlowPart>>({
    {"slowdown", at<&SlowPart::slowdown>, {"slowdown", Use::kMain, Form::kFactor}},
    {"saves_ns", at<&SlowPart::saves>, {"saves if as fast as the others"}},
});
constexpr auto kSlowRank = std::to_array<Field<SlowPart>>({
    {"rank", at<&SlowPart::number>, {"rank", Use::kMain, Form::kId}},
    {"data_rank", at<data_rank_of>, {"data-parallel rank", Use::kMain, Form::kId}, kIfAny},
    {"stage", at<stage_of>, {"stage", Use::kMain, Form::kId}, kIfAny},
    {"", at<>, kSlowPart},
});
constexpr auto kSlowDataRank = std::to_array<Field<SlowPart>>({
    {"data_rank", at<&SlowPart::number>, {"data-parallel rank", Use::kMain, Form::kId}},
    {"", at<>, kSlowPart},
});
constexpr auto kSlowStage = std::to_array<Field<SlowPart>>({
    {"stage", at<&SlowPart::number>, {"stage", Use::kMain, Form::kId}},
    {"", at<>, kSlowPart},
});

/// A step, and the slowest part of each kind in it.
struct SlowStep {
  SlowRanks::Step step;
  const SlowPart* rank = nullptr;
  const SlowPart* data_rank = nullptr;
  const SlowPart* stage = nullptr;
  std::size_t index = 0;  ///< of the step in SlowPart::by_step
};

/// Returns the part that alone makes a step longest; null if there are no parts.
const SlowPart* slowest_in(const std::vector<SlowPart>& parts, std::size_t step) {
  const auto slowest = std::max_element(parts.begin(), parts.end(), [step](const SlowPart& a, const SlowPart& b) {
    return a.by_step[step] < b.by_step[step];
  });
  return slowest == parts.end() ? nullptr : &*slowest;
}

std::vector<SlowStep> slow_steps(const SlowRanks& slow) {
  std::vector<SlowStep> steps;
  for (std::size_t i = 0; i < slow.steps.size(); ++i) {
    steps.push_back(
        {slow.steps[i], slowest_in(slow.ranks, i), slowest_in(slow.data_ranks, i), slowest_in(slow.stages, i), i});
  }
  return steps;
}

template <const SlowPart* SlowStep::*Part>
std::optional<std::int32_t> slowest(const SlowStep& step) {
  return step.*Part == nullptr ? std::nullopt : std::optional{(step.*Part)->number};
}
template <const SlowPart* SlowStep::*Part>
std::optional<double> slowdown_by_slowest(const SlowStep& step) {
  return step.*Part == nullptr ? std::nullopt : std::optional{(step.*Part)->by_step[step.index]};
}

constexpr auto kSlowStep = std::to_array<Field<SlowStep>>({
    {"step", at<&SlowStep::step, &SlowRanks::Step::number>, {"step", Use::kMain, Form::kId}},
    {"replayed_ns", at<&SlowStep::step, &SlowRanks::Step::replayed>, {"replayed"}},
    {"ideal_ns", at<&SlowStep::step, &SlowRanks::Step::ideal>, {"without stragglers"}},
    {"rank", at<slowest<&SlowStep::rank>>, {"slowest rank", Use::kMain, Form::kId}},
    {"rank_slowdown", at<slowdown_by_slowest<&SlowStep::rank>>, {"rank's slowdown", Use::kMain, Form::kFactor}},
    {"data_rank", at<slowest<&SlowStep::data_rank>>, {"slowest data-parallel rank", Use::kMain, Form::kId}, kIfAny},
    {"data_rank_slowdown",
     at<slowdown_by_slowest<&SlowStep::data_rank>>,
     {"data-parallel rank's slowdown", Use::kMain, Form::kFactor},
     kIfAny},
    {"stage", at<slowest<&SlowStep::stage>>, {"slowest stage", Use::kMain, Form::kId}, kIfAny},
    {"stage_slowdown",
     at<slowdown_by_slowest<&SlowStep::stage>>,
     {"stage's slowdown", Use::kMain, Form::kFactor},
     kIfAny},
});
constexpr auto kSlowRanks = std::to_array<Field<SlowRanks>>({
    {"replayed_ns", at<&SlowRanks::replayed>},
    {"ideal_ns", at<&SlowRanks::ideal>},
    {"ranks", at<&SlowRanks::ranks>, kSlowRank, kItemLines | kOnNewLine},
    {"data_ranks", at<&SlowRanks::data_ranks>, kSlowDataRank, kItemLines | kOnNewLine | kIfAny},
    {"stages", at<&SlowRanks::stages>, kSlowStage, kItemLines | kOnNewLine | kIfAny},
    {"steps", at<slow_steps>, kSlowStep, kItemLines | kOnNewLine},
});
constexpr auto kSlowRanksMember =
    std::to_array<Field<Findings>>({{"slow_ranks", at<&Findings::slow_ranks>, kSlowRanks, kOnNewLine | kIfAny}});

Sections slow_ranks_sections(const Findings& findings) {
  if (!findings.slow_ranks) return {};
  const SlowRanks& slow = *findings.slow_ranks;
  TableRows shown{.most = 10};
  if (slow.stages.empty()) shown.without = {"data-parallel rank", "stage"};
  Sections sections{section_of("Slow ranks", kSlowRank, slow.ranks, shown)};
  sections.front().lead = fmt::format(
      "If every task took the mean of the tasks that do the same work on all ranks, a step would take {} instead of "
      "{}. Unexplained waits are left out of both.",
      to_text(slow.ideal), to_text(slow.replayed));
  sections.push_back(section_of("Slow data-parallel ranks", kSlowDataRank, slow.data_ranks, shown));
  sections.push_back(section_of("Slow stages", kSlowStage, slow.stages, shown));
  TableRows by_step{.most = 20};
  if (slow.stages.empty()) {
    by_step.without = {"slowest data-parallel rank", "data-parallel rank's slowdown", "slowest stage",
                       "stage's slowdown"};
  }
  sections.push_back(section_of("Slow ranks by step", kSlowStep, slow_steps(slow), by_step));
  return sections;
}

// --- stragglers: the ranks that arrived last in collectives, and how long the others waited

constexpr auto kStraggler = std::to_array<Field<Straggler>>({
    {"rank", at<&Straggler::rank>, {"rank", Use::kMain, Form::kId}},
    {"others_waited_ns", at<&Straggler::each>, {.title = "others waited", .place = 1}},
    {"last_in", at<&Straggler::last_in>, {"arrived last"}},
    {"collectives", at<&Straggler::collectives>, {"of collectives"}},
});
constexpr auto kStragglers =
    std::to_array<Field<Findings>>({{"stragglers", at<&Findings::stragglers>, kStraggler, kItemLines}});

Sections stragglers_sections(const Findings& findings) {
  if (findings.stragglers.size() < 2) return {};
  return {section_of("Stragglers", kStraggler, findings.stragglers)};
}

// --- offsets of the hosts' clocks, and how accurately they are known

constexpr auto kHostClock = std::to_array<Field<HostClock>>({
    {"host", at<&HostClock::host>, {"host"}},
    {"offset_ns", at<&HostClock::offset>, {"ahead by"}},
    {"residual_ns", at<&HostClock::residual>, {"may be off by"}},
    {"slope", at<&HostClock::slope>},
    {"spread_ns", at<&HostClock::spread>, {"ends differ by"}},
});
constexpr auto kClock = std::to_array<Field<Recording>>({{"hosts", at<&Recording::clocks>, kHostClock}});
constexpr auto kClocks = std::to_array<Field<Findings>>({{"clock", of_capture<&Capture::recording>, kClock}});

Sections clocks_sections(const Findings& findings) {
  const std::vector<HostClock>& clocks = findings.capture.recording.clocks;
  if (clocks.size() < 2) return {};
  // The column "ends differ by" shows how much the recorded ends of collectives and messages disagree between hosts.
  // It is left out if there are no such ends, as in a parameter-server job.
  const bool ends = std::any_of(clocks.begin(), clocks.end(), [](const HostClock& c) { return c.spread > Duration{}; });
  TableRows rows;
  if (!ends) rows.without.emplace_back("ends differ by");
  return {section_of("Clock offsets from the first host", kHostClock, clocks, rows)};
}

// --- how much slower kernels run during communication, if the captured steps show both:
//
//     rank  kernels of  seen both ways  slowdown  10th percentile  90th percentile
//        3  gemm                    36          1.06x         1.01x         1.69x
//
// What-ifs use the classes with enough evidence (evident_slowdowns()), over all ranks.

constexpr auto kInterference = std::to_array<Field<Interference>>({
    {"rank", at<&Interference::rank>, {"rank", Use::kMain, Form::kId}},
    {"class", at<&Interference::kernel_class>, {"kernels of"}},
    {"kernels", at<&Interference::kernels>, {"seen both ways"}},
    {"factor", at<&Interference::factor>, {"slowdown", Use::kMain, Form::kFactor}},
    {"low", at<&Interference::low>, {"10th percentile", Use::kDetail, Form::kFactor}},
    {"high", at<&Interference::high>, {"90th percentile", Use::kDetail, Form::kFactor}},
});
std::vector<Interference> interference_of(const Findings& findings) { return interference_in(findings.capture); }
constexpr auto kInterferences = std::to_array<Field<Findings>>({{"interference", at<interference_of>, kInterference}});

Sections interference_sections(const Findings& findings) {
  return {section_of("Kernel slowdown during communication", kInterference, interference_of(findings))};
}

// --- the result of a calibration, and its cluster.yaml

constexpr auto kLink = std::to_array<Field<Link>>({
    {"name", at<&Link::name>},
    {"bandwidth_bytes_per_s", at<&Link::bandwidth>},
    {"latency_ns", at<&Link::latency>},
    {"efficiency", at<&Link::efficiency>},
});
constexpr auto kHostRates = std::to_array<Field<HostRates>>({
    {"copy_to_host_bytes_per_s", at<&HostRates::copy_to_host>},
    {"copy_to_device_bytes_per_s", at<&HostRates::copy_to_device>},
    {"copy_overhead_ns", at<&HostRates::copy_overhead>},
    {"sum_bytes_per_s", at<&HostRates::sum>},
    {"sum_overhead_ns", at<&HostRates::sum_overhead>},
    {"launch_overhead_ns", at<&HostRates::launch_overhead>},
});

auto message_parameters(const Cluster& cluster) {
  std::vector<std::pair<std::string_view, decltype(cluster.network.value_of(*network_parameters().front()))>> values;
  for (const NetworkParameter* const parameter : network_parameters())
    values.emplace_back(parameter->json, cluster.network.value_of(*parameter));
  return values;
}

constexpr auto kCluster = std::to_array<Field<Cluster>>({
    {"hosts", [](const Cluster& cluster) { return cluster.hosts.size(); }},
    {"endpoints", [](const Cluster& cluster) { return cluster.endpoints.size(); }, {}, kLineAfter},
    {"links", at<&Cluster::links>, kLink, kRowLines},
    {"messages", [](const Cluster& cluster) { return message_parameters(cluster); }, {}, kLineAfter},
    {"rates", at<&Cluster::rates>, kHostRates, kLineAfter},
});
constexpr auto kCalibrated = std::to_array<Field<Findings>>({
    {"", at<&Findings::calibration, &Calibration::cluster>, kCluster},
    {"fits", at<&Findings::calibration, &Calibration::fits>, kFit, kItemLines},
});

Sections calibration_sections(const Findings& findings) {
  const Calibration& calibration = *findings.calibration;
  return {section_of("Fitted values", kFit, calibration.fits),
          {.title = "cluster.yaml",
           .lead = hosts_stand_for_ranks(calibration.cluster, findings.capture)
                       ? "Each rank is a host here, whose NIC is what the rank's link was seen to carry."
                       : "",
           .verbatim = cluster_yaml(calibration.cluster)}};
}

// --- what was read, and what was skipped and why

constexpr auto kInput = std::to_array<Field<Findings>>({{"ingest", of_capture<>, kIngest}});

Sections input_sections(const Findings& findings) {
  const Capture& capture = findings.capture;
  return {{.title = "Input",
           .sentences = diagnostic_sentences(capture.diagnostics),
           .lead = fmt::format("{} read, {} skipped; the graph has {} and {}", counted(capture.events, "record"),
                               capture.skipped == 0 ? "none" : grouped(capture.skipped),
                               counted(capture.dag.task_count(), "task"),
                               counted(capture.dag.edge_count(), "dependency"))}};
}

// --- the assumptions of the answer

/// True if the findings are of a calibration without a replay. Calibrations list different assumptions.
bool is_calibration(const Findings& findings) { return findings.timeline == nullptr; }

constexpr auto kAssumptions = std::to_array<Field<Findings>>({
    {"assumptions",
     [](const Findings& found) {
       return sentences_of(is_calibration(found) ? found.calibration->assumptions : found.capture.assumptions);
     }},
});

Sections assumptions_sections(const Findings& findings) {
  if (!is_calibration(findings)) return {assumptions_section(findings.capture.assumptions)};
  return {assumptions_section(findings.calibration->assumptions),
          assumptions_section(findings.capture.assumptions, "Assumptions about the capture")};
}

// --- start and finish of every task, by its id in the input file; only if requested

struct TaskTimes {
  std::int64_t id = 0;
  Time start;
  Time finish;
};
constexpr auto kTaskTimes = std::to_array<Field<TaskTimes>>({
    {"id", at<&TaskTimes::id>},
    {"start_ns", at<&TaskTimes::start>},
    {"finish_ns", at<&TaskTimes::finish>},
});

std::optional<std::vector<TaskTimes>> task_times(const Findings& findings) {
  if (!findings.tasks_detail) return std::nullopt;
  const Timeline& timeline = *findings.timeline;
  const std::vector<std::int64_t>& ids = findings.capture.task_ids;
  std::vector<TaskTimes> times(timeline.size());
  for (std::size_t i = 0; i < timeline.size(); ++i)
    times[i] = {ids.empty() ? static_cast<std::int64_t>(i) : ids[i], timeline.start[i], timeline.finish[i]};
  return times;
}
constexpr auto kTasksDetail =
    std::to_array<Field<Findings>>({{"tasks_detail", at<task_times>, kTaskTimes, kItemLines | kIfAny}});

}  // namespace

std::span<const CaptureReport> capture_reports() {
  static constexpr auto kReports = std::to_array<CaptureReport>({
      {.id = "size", .in = kReplay, .fields = kSize},
      {.id = "conversion", .in = kConversion, .fields = kWritten},
      {.id = "where to look", .in = kReplay, .sections = where_to_look_sections},
      {.id = "steps", .in = kReplay, .sections = steps_sections, .fields = kSteps},
      {.id = "network", .in = kReplay, .sections = network_sections, .fields = kNetwork},
      {.id = "throughput", .in = kReplay, .sections = throughput_sections, .fields = kThroughputMember},
      {.id = "slowing", .in = kReplay, .sections = slowing_sections, .fields = kProfiler},
      {.id = "breakdown", .in = kReplay, .sections = breakdown_sections, .fields = kBreakdown},
      {.id = "unexplained", .in = kReplay, .sections = unexplained_sections, .fields = kUnexplained},
      {.id = "pauses", .in = kReplay, .fields = kPauses},
      {.id = "path summary", .in = kReplay, .sections = path_summary_sections, .fields = kPathSummary},
      {.id = "path tasks", .in = kCriticalPath, .sections = path_tasks_sections, .fields = kPathTasks},
      {.id = "part paths", .in = kCriticalPath, .sections = part_path_sections, .fields = kPartPaths},
      {.id = "stragglers", .in = kReplay | kCriticalPath, .sections = stragglers_sections, .fields = kStragglers},
      {.id = "slow ranks", .in = kReplay, .sections = slow_ranks_sections, .fields = kSlowRanksMember},
      {.id = "clocks", .in = kReplay, .sections = clocks_sections, .fields = kClocks},
      {.id = "interference", .in = kReplay, .sections = interference_sections, .fields = kInterferences},
      {.id = "calibration", .in = kCalibration, .sections = calibration_sections, .fields = kCalibrated},
      {.id = "input", .sections = input_sections, .fields = kInput},
      {.id = "assumptions",
       .in = kReplay | kCriticalPath | kCalibration,
       .sections = assumptions_sections,
       .fields = kAssumptions},
      {.id = "tasks detail", .in = kReplay, .fields = kTasksDetail},
  });
  return kReports;
}

}  // namespace stepsim::sim
