// The parts of the answer to a what-if, in order. Fields appear in JSON, sections in the text report.

#include "scenarios/answer/what_if_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "model/base/text.h"
#include "model/job/group.h"
#include "scenarios/answer/effect_fields.h"
#include "scenarios/answer/learn_from_capture.h"
#include "scenarios/answer/memory_need.h"
#include "scenarios/answer/why.h"
#include "sim/analysis/intervals.h"
#include "sim/report/common_fields.h"
#include "sim/report/rank_class.h"
#include "sim/report/throughput.h"

namespace stepsim::scenarios {
namespace {

using sim::at;
using sim::Field;
using sim::Form;
using sim::Use;
using Sections = std::vector<sim::Section>;

// --- baseline and scenario: step time, interval, breakdown and critical path

constexpr auto kMeasured = std::to_array<Field<Baseline>>({{"iteration_ns", at<&Baseline::measured>}});

constexpr auto kPath = std::to_array<Field<sim::IterationPath>>({
    {"of", at<sim::path_subject>},
    {"length_ns", at<&sim::IterationPath::path, &sim::CriticalPath::length>},
    {"", at<&sim::IterationPath::path>, sim::kPathClassTimes},
});

constexpr auto kView = std::to_array<Field<PredictionView>>({
    {"of_captured_steps_ns", at<&PredictionView::prediction, &Prediction::of_captured_steps>},
    {"in_the_long_run_ns", at<&PredictionView::prediction, &Prediction::in_the_long_run>},
    {"limited_by", [](const PredictionView& view) { return view.prediction.limited_by(); }, sim::kCyclePart},
    {"breakdown", at<&PredictionView::slowest>, sim::kRankBreakdown},
    {"iteration_parts", at<&PredictionView::summary, &sim::Summary::parts>, sim::kIterationParts},
    {"critical_path", at<&PredictionView::path>, kPath},
});

constexpr auto kAsCaptured = std::to_array<Field<WhatIfAnswer>>({
    {"iteration_ns", at<&WhatIfAnswer::captured, &Baseline::iteration>},
    {"as_captured_ns", at<&WhatIfAnswer::captured, &Baseline::as_captured>},
    {"error", at<&WhatIfAnswer::captured, &Baseline::error>},
    {"", at<&WhatIfAnswer::baseline>, kView},
});

constexpr auto kSource = std::to_array<Field<RangeSource<Duration>>>({
    {"source",
     at<&RangeSource<Duration>::name>,
     {.title = "source", .cell = [](const RangeSource<Duration>& source) { return sim::Cell(title_of(source.name)); }}},
    {"low_ns", at<&RangeSource<Duration>::low>, {"from"}},
    {"high_ns", at<&RangeSource<Duration>::high>, {"to"}},
    {"reason", at<&RangeSource<Duration>::reason>, {.title = "reason", .use = Use::kHelp, .sentences = true}},
});

/// Returns the effect on the mean step, if the captured steps differ much.
const Range<double>* mean_effect(const WhatIfAnswer& answer) {
  return answer.steps_differ ? &answer.effect.mean : nullptr;
}

/// Returns an end of the range that the sources give, before it is widened.
Duration end_by_sources(const WhatIfAnswer& answer, double Factors::*end) {
  return scaled(answer.interval.mid, by_sources(answer.interval).*end);
}

constexpr auto kScenario = std::to_array<Field<WhatIfAnswer>>({
    {"name", at<&WhatIfAnswer::name>},
    {"iteration_ns", at<&WhatIfAnswer::scenario, &PredictionView::prediction, &Prediction::iteration>},
    {"low_ns", at<&WhatIfAnswer::interval, &Range<Duration>::low>},
    {"high_ns", at<&WhatIfAnswer::interval, &Range<Duration>::high>},
    {"range_factor", at<&WhatIfAnswer::interval, &Range<Duration>::factor>},
    {"sources_low_ns", [](const WhatIfAnswer& answer) { return end_by_sources(answer, &Factors::least); }},
    {"sources_high_ns", [](const WhatIfAnswer& answer) { return end_by_sources(answer, &Factors::most); }},
    {"by_data_sheet_ns", at<&WhatIfAnswer::by_data_sheet>, {}, sim::kIfAny},
    {"interval", at<&WhatIfAnswer::interval, &Range<Duration>::sources>, kSource, sim::kItemLines},
    {"change",
     [](const WhatIfAnswer& answer) {
       const Duration before = answer.baseline.prediction.iteration;
       return sim::ratio(answer.scenario.prediction.iteration - before, before);
     }},
    {"low_change", at<&WhatIfAnswer::effect, &Effect::typical, &Range<double>::low>},
    {"high_change", at<&WhatIfAnswer::effect, &Effect::typical, &Range<double>::high>},
    {"mean_effect", at<mean_effect>, kRelativeChange, sim::kIfAny},
    {"", at<&WhatIfAnswer::scenario>, kView},
});

constexpr auto kPrediction = std::to_array<Field<WhatIfAnswer>>({
    {"capture",
     [](const WhatIfAnswer& answer) {
       return sim::CaptureHead{answer.capture, &answer.trust};
     },
     sim::kCaptureHead, sim::kLineAfter},
    {"measured", at<&WhatIfAnswer::captured>, kMeasured, sim::kLineAfter},
    {"baseline", at<>, kAsCaptured, sim::kLineAfter},
    {"scenario", at<>, kScenario},
});

// --- the scenario's changes, in the form that --set accepts, and what each applies to

constexpr auto kSelectionPart = std::to_array<Field<Selection::Part>>({
    {"of", at<&Selection::Part::of>},
    {"tasks", at<&Selection::Part::tasks>},
    {"time_ns", at<&Selection::Part::time>},
    {"all_ns", at<&Selection::Part::all>},
});
constexpr auto kSelection = std::to_array<Field<Selection>>({
    {"change", at<&Selection::change>},
    {"parts", at<&Selection::parts>, kSelectionPart},
    {"hint", at<&Selection::hint>},
});

std::vector<const Selection*> selections_of(const WhatIfAnswer& answer) {
  std::vector<const Selection*> selections;
  for (const std::optional<Selection>& selection : answer.selections) {
    if (selection) selections.push_back(&*selection);
  }
  return selections;
}

constexpr auto kChanges = std::to_array<Field<WhatIfAnswer>>({
    {"changes", at<&WhatIfAnswer::changes>},
    {"selections", at<selections_of>, kSelection},
});

Sections changes_sections(const WhatIfAnswer& answer) {
  sim::Section section{.title = "Changes"};
  for (std::size_t i = 0; i < answer.changes.size(); ++i) {
    const auto& selection = answer.selections[i];
    section.sentences.emplace_back(answer.changes[i], selection ? "applies to " + text_of(*selection) : std::string());
  }
  return {std::move(section)};
}

// --- why the answer differs from what its changes suggest

constexpr auto kWhy = std::to_array<Field<WhatIfAnswer>>({{"why", at<reasons_of>}});

/// Returns "Largest difference: exposed transfer, 381.8 ms to 101.1 ms (-280.7 ms)."; empty if the step time is the
/// same.
std::string largest_difference(const WhatIfAnswer& answer) {
  const std::vector<ComparedTime> times = compared_breakdowns(answer);
  if (std::abs(sim::ratio(times.front().after - times.front().before, times.front().before)) < sim::kLeastShown)
    return {};
  const ComparedTime* const largest = largest_change(times);
  if (largest == nullptr) return {};
  return fmt::format("Largest difference: {}, {} to {} ({}).", largest->title, stepsim::to_text(largest->before),
                     stepsim::to_text(largest->after), sim::signed_time(largest->after - largest->before));
}

Sections why_sections(const WhatIfAnswer& answer) {
  sim::Section section{.title = "Why", .brief = true};
  if (std::string largest = largest_difference(answer); !largest.empty())
    section.sentences.emplace_back(std::move(largest));
  for (std::string& reason : reasons_of(answer)) section.sentences.emplace_back(std::move(reason));
  return {std::move(section)};
}

// --- samples or captured batches per second, if the work of a step changes or job.yaml gives a batch size

struct Throughputs {
  sim::Throughput baseline;
  sim::Throughput scenario;
};
Throughputs throughputs_of(const WhatIfAnswer& answer) {
  const Duration before = answer.baseline.prediction.iteration;
  const Duration after = answer.scenario.prediction.iteration;
  Throughputs made{sim::throughput_of(answer.baseline.work, before), sim::throughput_of(answer.scenario.work, after)};
  made.scenario.efficiency = sim::efficiency(answer.scenario.work, after, answer.baseline.work, before);
  return made;
}
constexpr auto kThroughputs = std::to_array<Field<Throughputs>>({
    {"baseline", at<&Throughputs::baseline>, sim::kThroughput},
    {"scenario", at<&Throughputs::scenario>, sim::kThroughput},
});
constexpr auto kThroughput = std::to_array<Field<WhatIfAnswer>>({{"throughput", at<throughputs_of>, kThroughputs}});

Sections throughput_sections(const WhatIfAnswer& answer) {
  const sim::StepWork& work = answer.baseline.work;
  if (!work.batch_size && answer.scenario.work == work) return {};
  sim::Table table({{"", sim::Align::kLeft},
                    {"workers"},
                    {"devices"},
                    {std::string(sim::unit_of(work))},
                    {"per device"},
                    {"efficiency"}});
  const auto add = [&table](std::string name, const sim::Throughput& rates) {
    table.add_row({std::move(name), rates.workers, rates.devices, sim::rate_cell(rates.in_all),
                   sim::rate_cell(rates.per_device), sim::percent_cell(rates.efficiency.value_or(1))});
  };
  const Throughputs both = throughputs_of(answer);
  add("baseline", both.baseline);
  add("scenario", both.scenario);
  return {{.title = fmt::format("Throughput{}", sim::condition_of(work)), .table = std::move(table)}};
}

// --- the ranks that are simulated, if they stand for others

/// Returns the classes of ranks of the scenario; empty if every rank is simulated.
std::vector<sim::RankClass> rank_classes_of(const WhatIfAnswer& answer) {
  return sim::rank_classes_of(answer.scenario.prediction.graph->dag, answer.scenario.summary);
}

constexpr auto kRankClasses = std::to_array<Field<WhatIfAnswer>>({
    {"rank_classes", at<rank_classes_of>, sim::kRankClass, sim::kRowLines | sim::kIfAny},
    {"why_each_rank",
     at<&WhatIfAnswer::scenario, &PredictionView::prediction, &Prediction::why_each_rank>,
     {},
     sim::kIfAny},
});

Sections rank_class_sections(const WhatIfAnswer& answer) {
  const std::vector<sim::RankClass> classes = rank_classes_of(answer);
  sim::Section section{.title = "Classes of ranks"};
  const std::string& why_each = answer.scenario.prediction.why_each_rank;
  if (!why_each.empty()) section.sentences.emplace_back("every rank is simulated, because " + why_each);
  if (!classes.empty()) add_classes(classes, section);
  return {std::move(section)};
}

// --- the memory that the scenario needs, if it was recorded or the changes may have an effect on it

constexpr auto kMemory = std::to_array<Field<WhatIfAnswer>>({
    {"memory", at<&WhatIfAnswer::memory, &MemoryAnswer::need>, kMemoryNeed},
    {"why_no_memory",
     [](const WhatIfAnswer& answer) { return answer.memory.need ? nullptr : &answer.memory.why_none; },
     {},
     sim::kIfAny},
});

Sections memory_sections(const WhatIfAnswer& answer) {
  const MemoryAnswer& memory = answer.memory;
  if (memory.need && memory.need->parts && !memory.may_differ) return {};  // an estimate of what is known to fit
  if (memory.need) {
    sim::Section section{.title = "Memory", .sentences = {sentence_of(*memory.need)}};
    if (const std::string parts = parts_text(*memory.need); !parts.empty()) section.sentences.emplace_back(parts);
    return {std::move(section)};
  }
  if (!memory.may_differ || find_assumption(answer.assumptions, kBatchFits) != nullptr) return {};
  return {{.title = "Memory", .sentences = {"whether the job fits in memory is not known: " + memory.why_none}}};
}

// --- why the answer is a range: each source, and the range if it were the only one

Sections range_sections(const WhatIfAnswer& answer) {
  if (answer.interval.sources.empty())
    return {{.title = "Uncertainty", .sentences = {"No source of uncertainty applies to this prediction."}}};
  return {sim::section_of("Uncertainty by source", kSource, answer.interval.sources, {.compared = true})};
}

// --- the long-run iteration, if it differs from the iterations of the captured steps

/// Relative differences between repeated and captured steps below this are not reported, because captured steps also
/// differ by as much from each other.
constexpr double kTransient = 0.01;

bool is_transient(const Prediction& prediction) {
  return std::abs(sim::ratio(prediction.of_captured_steps - prediction.in_the_long_run, prediction.in_the_long_run)) >=
         kTransient;
}

/// Returns what limits the two long-run iterations; empty if it is not known.
std::string limits_text(const Prediction& before, const Prediction& after) {
  const std::vector<sim::CyclePart> first = before.limited_by();
  const std::vector<sim::CyclePart> second = after.limited_by();
  if (first.empty() || second.empty()) return {};
  return fmt::format("limited by {} (baseline) and {} (scenario)", sim::to_text(first), sim::to_text(second));
}

Sections steady_sections(const WhatIfAnswer& answer) {
  const Prediction& before = answer.baseline.prediction;
  const Prediction& after = answer.scenario.prediction;
  const std::string limits = limits_text(before, after);
  if (!is_transient(before) && !is_transient(after)) {
    if (limits.empty()) return {};
    return {{.title = "In the long run", .sentences = {limits}}};
  }
  const auto condition = [&answer, &before, &after] {
    if (find_assumption(answer.assumptions, kRepetitionContradicted) != nullptr)
      return ", which the captured steps contradict, so those are used instead";
    const bool follows = before.iteration == before.in_the_long_run && after.iteration == after.in_the_long_run;
    return follows ? "" : ", if each starts as soon as its threads and streams are free";
  };
  sim::Section section{
      .title = "In the long run",
      .sentences = {fmt::format("steps simulated back to back until they are steady take {} (baseline) and {} "
                                "(scenario){}",
                                to_text(before.in_the_long_run), to_text(after.in_the_long_run), condition()),
                    fmt::format("the captured steps on their own take {} and {}: queues fill or drain during them",
                                to_text(before.of_captured_steps), to_text(after.of_captured_steps))}};
  if (!limits.empty()) section.sentences.emplace_back(limits);
  return {std::move(section)};
}

// --- the breakdown of a step of the slowest rank, and the critical paths by class, in both replays

Sections difference_sections(const WhatIfAnswer& answer) {
  return {{.title = "Where the difference comes from",
           .table = table_of("per step of the slowest rank", compared_breakdowns(answer))}};
}

Sections paths_sections(const WhatIfAnswer& answer) {
  return {{.title = "Critical paths by class",
           .table = table_of("class", compared_paths(answer)),
           .sentences = {fmt::format("baseline: {}; scenario: {}", path_subject(answer.baseline.path),
                                     path_subject(answer.scenario.path))}}};
}

// --- the busiest links of both replays: the share of time in which a message crosses them, and how much longer
// messages take than they would alone

/// A row of the table of links. `before` and `after` are the queueing per iteration in the two replays, which the table
/// shows; JSON has the queueing of the whole replay.
struct LinkLine {
  const LinkPair* pair;
  Duration before;
  Duration after;
};
constexpr auto kLinkLine = std::to_array<Field<LinkLine>>({
    {"link", at<&LinkLine::pair, &LinkPair::name>, {"link"}},
    {"baseline_busy",
     at<&LinkLine::pair, &LinkPair::baseline, &sim::LinkUse::busy>,
     {"baseline busy", Use::kMain, Form::kShare}},
    {"", at<&LinkLine::before>, {"baseline queueing"}},
    {"scenario_busy",
     at<&LinkLine::pair, &LinkPair::scenario, &sim::LinkUse::busy>,
     {"scenario busy", Use::kMain, Form::kShare}},
    {"", at<&LinkLine::after>, {"scenario queueing"}},
    {"baseline_queueing_ns", at<&LinkLine::pair, &LinkPair::baseline, &sim::LinkUse::queueing>},
    {"scenario_queueing_ns", at<&LinkLine::pair, &LinkPair::scenario, &sim::LinkUse::queueing>},
});

std::vector<LinkLine> link_lines(const WhatIfAnswer& answer) {
  std::vector<LinkLine> lines;
  for (const LinkPair& pair : answer.links) {
    lines.push_back({&pair, scaled(pair.baseline.queueing, 1 / answer.baseline.iterations),
                     scaled(pair.scenario.queueing, 1 / answer.scenario.iterations)});
  }
  return lines;
}

constexpr auto kLinks = std::to_array<Field<WhatIfAnswer>>({{"links", at<link_lines>, kLinkLine, sim::kItemLines}});

Sections links_sections(const WhatIfAnswer& answer) {
  if (answer.links.empty()) return {};
  constexpr std::size_t kMostLinks = 6;
  return {{.title = "Busiest links",
           .table = sim::table_of(kLinkLine, link_lines(answer), {.most = kMostLinks, .compared = true}),
           .sentences = {"queueing: delay of messages by others on the link, summed over one step"}}};
}

// --- how changes scaled device work:
//
//     Device work with device.to=H100
//     scaled by                            tasks   share     before      after
//     shapes: limited by memory               41  61.0 %   2.440 ms   1.110 ms
//     unchanged                                2   0.4 %  16.000 us  16.000 us
//     - unchanged: collectives, ...
//
// A second table shows the same by class of kernel. Times are sums over tasks, including tasks that ran at the same
// time on two streams. A share is relative to the sum of all times.

using Part = ScaledShare::Part;

std::string_view in_words(ScaledBy by) {
  static constexpr std::array<std::string_view, kScaledByCount> kWords{"shapes: limited by matrix units",
                                                                       "shapes: limited by memory",
                                                                       "shapes: limited by kernel start",
                                                                       "kernel class (no shapes)",
                                                                       "amount of work (device unknown)",
                                                                       "the given factor",
                                                                       "unchanged"};
  return kWords[static_cast<std::size_t>(by)];
}

struct PartLine {
  std::string_view name;
  std::string_view in_words;
  Part part;
  double share;
};
constexpr auto kPartLine = std::to_array<Field<PartLine>>({
    {"name", at<&PartLine::name>},
    {"", at<&PartLine::in_words>, {"name"}},
    {"pieces", at<&PartLine::part, &Part::pieces>, {"tasks"}},
    {"share", at<&PartLine::share>, {"share", Use::kMain, Form::kShare}},
    {"before_ns", at<&PartLine::part, &Part::before>, {"before"}},
    {"after_ns", at<&PartLine::part, &Part::after>, {"after"}},
});

/// Returns one row for each of `parts` that contains device work. `words` gives the name of a part in the text report.
template <class Kind, class Parts, class Words>
std::vector<PartLine> lines_of(const DeviceShare& found, const Parts& parts, Words words) {
  std::vector<PartLine> lines;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto kind = static_cast<Kind>(i);
    if (parts[i].pieces > 0)
      lines.push_back({to_text(kind), words(kind), parts[i], sim::ratio(parts[i].before, found.share.total().before)});
  }
  return lines;
}
std::vector<PartLine> by_how(const DeviceShare& found) { return lines_of<ScaledBy>(found, found.share.by, in_words); }
std::vector<PartLine> by_class(const DeviceShare& found) {
  return lines_of<KernelClass>(found, found.share.named, [](KernelClass kind) { return to_text(kind); });
}

constexpr auto kDeviceShare = std::to_array<Field<DeviceShare>>({
    {"change", at<&DeviceShare::change>},
    {"kept", at<&DeviceShare::kept>},
    {"scaled_by", at<by_how>, kPartLine, sim::kItemLines},
    {"classes", at<by_class>, kPartLine, sim::kItemLines},
});
constexpr auto kDeviceWork = std::to_array<Field<WhatIfAnswer>>({
    {"device_work", at<&WhatIfAnswer::scenario, &PredictionView::prediction, &Prediction::shares>, kDeviceShare,
     sim::kItemLines},
});

Sections device_work_sections(const WhatIfAnswer& answer) {
  Sections sections;
  const auto add = [&sections](std::string title, std::string_view name, const std::vector<PartLine>& lines) {
    sections.push_back(
        {.title = std::move(title), .table = sim::table_of(kPartLine, lines, {.name = name, .compared = true})});
  };
  for (const DeviceShare& found : answer.scenario.prediction.shares) {
    add(fmt::format("Device work with {}", found.change), "scaled by", by_how(found));
    if (found.share.by[static_cast<std::size_t>(ScaledBy::kUnchanged)].pieces > 0)
      sections.back().sentences.emplace_back(fmt::format("unchanged: {}", found.kept));
    add(fmt::format("Device work with {}, by kernel class", found.change), "class", by_class(found));
  }
  return sections;
}

// --- how communication slows concurrent kernels, if the capture shows by how much:
//
//     kernels  compared  slowdown  10th percentile  90th percentile  tasks  as captured   scenario
//     gemm           19     1.14x            1.03x            1.86x    812    91.350 ms  88.120 ms
//     - kernel time per step and rank: -1.020 ms (turn this off with --no-interference)
//
// "As captured" is the kernels' time with the overlap of the capture, and "here" their time with the overlap of the
// prediction. Both are summed over ranks and steps.

constexpr auto kSlowedClass = std::to_array<Field<SlowedClass>>({
    {"class", at<&SlowedClass::slowdown, &Slowdown::kernel_class>, {"kernels"}},
    {"compared", at<&SlowedClass::slowdown, &Slowdown::kernels>, {"compared"}},
    {"factor", at<&SlowedClass::slowdown, &Slowdown::factor>, {"slowdown", Use::kMain, Form::kFactor}},
    {"low", at<&SlowedClass::slowdown, &Slowdown::low>, {"10th percentile", Use::kDetail, Form::kFactor}},
    {"high", at<&SlowedClass::slowdown, &Slowdown::high>, {"90th percentile", Use::kDetail, Form::kFactor}},
    {"kernels", at<&SlowedClass::kernels>, {"tasks", Use::kDetail}},
    {"before_ns", at<&SlowedClass::before>, {"as captured"}},
    {"after_ns", at<&SlowedClass::after>, {"scenario"}},
});
constexpr auto kInterference = std::to_array<Field<WhatIfAnswer>>({
    {"interference", at<&WhatIfAnswer::scenario, &PredictionView::prediction, &Prediction::slowed>, kSlowedClass,
     sim::kItemLines},
    {"interference_unsettled", at<&WhatIfAnswer::scenario, &PredictionView::prediction, &Prediction::unsettled>},
});

/// Returns how much more time the slowed kernels take in an iteration of a rank, on average, because their overlap with
/// communication changes.
Duration added(const WhatIfAnswer& answer) {
  double sum = 0;
  for (const SlowedClass& each : answer.scenario.prediction.slowed)
    sum += static_cast<double>((each.after - each.before).count());
  const auto ranks = static_cast<double>(std::max<std::size_t>(1, answer.scenario.summary.ranks.size()));
  return Duration{std::llround(sum / (ranks * answer.scenario.iterations))};
}

Sections interference_sections(const WhatIfAnswer& answer) {
  sim::Section section = sim::section_of("Kernel slowdown during communication", kSlowedClass,
                                         answer.scenario.prediction.slowed, {.compared = true});
  if (section.empty()) return {};
  section.sentences.emplace_back(fmt::format("kernel time per step and rank: {} (turn this off with --no-interference)",
                                             sim::signed_time(added(answer))));
  const double unsettled = std::max(answer.baseline.prediction.unsettled, answer.scenario.prediction.unsettled);
  if (unsettled > 0) section.sentences.emplace_back(unsettled_text(unsettled));
  return {std::move(section)};
}

// --- how transfers were timed, what was read, and the answer's assumptions

constexpr auto kNetwork = std::to_array<Field<WhatIfAnswer>>({
    {"network",
     [](const WhatIfAnswer& answer) {
       return sim::NetworkView{answer.network->name, answer.calibration};
     },
     sim::kNetworkView},
});

constexpr auto kAssumptions = std::to_array<Field<WhatIfAnswer>>({
    {"assumptions", [](const WhatIfAnswer& answer) { return sentences_of(answer.assumptions); }},
});

Sections assumptions_sections(const WhatIfAnswer& answer) { return {sim::assumptions_section(answer.assumptions)}; }

/// These fields appear only in JSON. The text report omits them, because the text report of `stepsim replay` has them.
constexpr auto kInput = std::to_array<Field<WhatIfAnswer>>({
    {"ingest", [](const WhatIfAnswer& answer) -> const Capture& { return *answer.capture; }, sim::kIngest},
});

}  // namespace

std::span<const WhatIfReport> what_if_reports() {
  static constexpr auto kReports = std::to_array<WhatIfReport>({
      {.id = "prediction", .fields = kPrediction},
      {.id = "why", .sections = why_sections},
      {.id = "difference", .sections = difference_sections},
      {.id = "changes", .sections = changes_sections, .fields = kChanges},
      {.id = "reasons", .fields = kWhy},
      {.id = "throughput", .sections = throughput_sections, .fields = kThroughput},
      {.id = "memory", .sections = memory_sections, .fields = kMemory},
      {.id = "rank classes", .sections = rank_class_sections, .fields = kRankClasses},
      {.id = "range", .sections = range_sections},
      {.id = "steady", .sections = steady_sections},
      {.id = "assumptions", .sections = assumptions_sections},
      {.id = "paths", .sections = paths_sections},
      {.id = "links", .sections = links_sections, .fields = kLinks},
      {.id = "device work", .sections = device_work_sections, .fields = kDeviceWork},
      {.id = "interference", .sections = interference_sections, .fields = kInterference},
      {.id = "network", .fields = kNetwork},
      {.id = "assumed", .fields = kAssumptions},
      {.id = "input", .fields = kInput},
  });
  return kReports;
}

}  // namespace stepsim::scenarios
