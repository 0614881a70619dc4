#include "sim/stats/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/job/group.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/rank_steps.h"
#include "sim/profile/range_summary.h"
#include "sim/report/headline.h"
#include "sim/stats/stats_rows.h"

namespace stepsim::sim {
namespace {

/// Formats step numbers: "2-4, 6".
std::string numbers_of_steps(const Recording& recording) {
  std::set<std::int64_t> numbers;
  for (const RecordedStep& step : recording.steps) {
    if (step.marked && is_used(step)) numbers.insert(step.number);
  }
  return ranges_of(numbers, ", ");
}

/// Returns the name of the group to which a range belongs if ranges are grouped by `key`.
std::string name_under(StatsKey key, const RangeSummary& one, const ProfiledRun& run) {
  const RangeProfile& profile = run.processes[one.process];
  const MeasuredRange& range = profile.ranges[one.range];
  const std::string host = profile.host.empty() ? profile.file : profile.host;
  switch (key) {
    case StatsKey::kName: return one.label;
    case StatsKey::kLayer: return range.layer.empty() ? std::string(kNoGroup) : range.layer;
    case StatsKey::kLane: return fmt::format("{}, device {}, {}", host, range.device, profile.streams[range.stream]);
    case StatsKey::kRank: return fmt::format("{}, device {}", host, range.device);
    default:
      throw CannotAnswer({profile.file, {}, {}},
                         fmt::format("--by {}: an inline profile does not say that of its ranges; expected name, "
                                     "layer, lane or rank",
                                     to_text(key)));
  }
}

void refuse_without_layers(const ProfiledRun& run, StatsKey key) {
  if (key != StatsKey::kLayer) return;
  for (const RangeProfile& profile : run.processes) {
    for (const MeasuredRange& range : profile.ranges) {
      if (!range.layer.empty()) return;
    }
  }
  throw CannotAnswer({run.processes.front().file, {}, {}},
                     "--by layer: this inline profile names no layers, which come from a prof.schedule; expected "
                     "another key");
}

std::string caution_of(const Capture& capture) {
  std::string caution = sim::caution_of(capture.diagnostics);
  if (!has_copies(capture.dag)) return caution;
  return fmt::format("The {} ranks are {}; counts and sums are those of one rank of each.{}{}",
                     grouped(known_ranks(capture).size()), counted(capture.recording.ranks.size(), "class"),
                     caution.empty() ? "" : " ", caution);
}

/// Keeps the pieces of these tasks. `selected` is sorted.
void keep_selected(MeasuredWork& work, const std::vector<TaskId>& selected) {
  std::erase_if(work.pieces, [&selected](const Piece& piece) {
    return piece.is_call || !std::binary_search(selected.begin(), selected.end(), TaskId{piece.index});
  });
}

}  // namespace

Statistics statistics_of(const Capture& capture, const TraceDetails& details, std::string name,
                         const StatsOptions& options) {
  MeasuredWork work = measured_work(capture, details, options.only_steps);
  if (!options.selection.empty()) keep_selected(work, options.selected);
  Statistics made{.name = std::move(name),
                  .warning = warning_of(capture),
                  .caution = caution_of(capture),
                  .selection = options.selection,
                  .pieces = work.pieces.size(),
                  .ranks = capture.recording.ranks.size(),
                  .steps = whole_steps(capture.recording),
                  .step_numbers = numbers_of_steps(capture.recording),
                  .chosen_steps = work.chosen_steps,
                  .measured = work.measured,
                  .has_calls = details.has_calls() && options.selection.empty(),
                  .key = options.key,
                  .order = options.order,
                  .prints_sequences = options.prints_sequences,
                  .totals = work_totals(work),
                  .rows = stats_rows(work, options.key, options.order)};
  if (!options.selection.empty()) return made;
  const std::vector<Launch> launched = launches(work);
  made.devices = device_use(work);
  made.stages = stage_use(work);
  made.streams = stream_use(work, launched, made.devices);
  made.launches = launch_use(work, launched);
  made.copies = copy_use(work);
  made.sequences = kernel_sequences(work, launched);
  made.occupancy = occupancy_use(work, made.devices);
  made.flops = flops_use(work);
  made.utilisation = flops_utilisation(made.flops, made.devices);
  if (capture.allocations != nullptr) made.memory = memory_use(*capture.allocations);
  made.modules = module_use(work);
  made.stacks = call_stacks(work);
  made.transports = transport_use(details);
  made.overheads = details.overheads;
  return made;
}

Statistics statistics_of(const ProfiledRun& run, const StatsOptions& options) {
  refuse_without_layers(run, options.key);
  GroupNames names;
  std::vector<std::uint32_t> group;
  std::vector<Duration> lengths;
  std::vector<Duration> outermost;  // indexed by group: durations of ranges that are in no other range
  Statistics made{.name = run.name, .key = options.key, .order = options.order};
  const std::vector<RangeSummary> summaries = summaries_of(run, {});
  for (const RangeSummary& one : summaries) {
    const std::uint32_t number = names.number_of(name_under(options.key, one, run));
    if (number >= outermost.size()) outermost.resize(number + 1);
    for (const Duration length : run.processes[one.process].ranges[one.range].lengths) {
      group.push_back(number);
      lengths.push_back(length);
      if (one.depth > 0) continue;
      outermost[number] = saturated_sum(outermost[number], length);
      made.totals.all = saturated_sum(made.totals.all, length);
    }
  }
  const std::vector<Distribution> times = distributions(group, lengths, names.names().size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Duration of = options.key == StatsKey::kName ? times[i].total : outermost[i];
    made.rows.push_back({.name = names.names()[i],
                         .kind = options.key == StatsKey::kName ? "range" : "",
                         .times = times[i],
                         .self = of,
                         .share = ratio(of, made.totals.all)});
  }
  sort_rows(made.rows, options.order);
  made.pieces = lengths.size();
  made.ranks = devices_in(run);
  const std::optional<Duration> iteration = iteration_of(run, RangeMean::kMedian);
  made.headline =
      fmt::format("{} of {} on {}, each of another iteration{}.", counted(made.pieces, "measurement"),
                  counted(summaries.size(), "range"), counted(made.ranks, "device"),
                  iteration ? fmt::format(", of which one takes {} (median)", stepsim::to_text(*iteration)) : "");
  made.caution =
      "The time of a range holds that of the ranges in it; stalls of single iterations are in means and "
      "totals: medians say what a range takes.";
  return made;
}

}  // namespace stepsim::sim
