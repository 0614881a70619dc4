#include "sim/stats/statistics.h"

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <utility>

#include "sim/analysis/rank_steps.h"
#include "sim/report/cautions.h"

namespace stepsim::sim {
namespace {

/// "2-4, 6".
std::string numbers_of_steps(const Recording& recording) {
  std::set<std::int64_t> numbers;
  for (const RecordedStep& step : recording.steps) {
    if (step.marked && is_used(step)) numbers.insert(step.number);
  }
  std::string text;
  for (auto first = numbers.begin(); first != numbers.end();) {
    auto last = first;
    while (std::next(last) != numbers.end() && *std::next(last) == *last + 1) ++last;
    text += text.empty() ? "" : ", ";
    text += first == last ? std::to_string(*first) : fmt::format("{}-{}", *first, *last);
    first = std::next(last);
  }
  return text;
}

}  // namespace

Statistics statistics_of(const Capture& capture, const TraceDetails& details, std::string name,
                         const StatsOptions& options) {
  const MeasuredWork work = measured_work(capture, details, options.only_steps);
  const std::vector<Launch> launched = launches(work);
  std::vector<DeviceUse> devices = device_use(work);
  std::vector<StreamUse> streams = stream_use(work, launched, devices);
  OccupancyUse occupancy = occupancy_use(work, devices);
  return {.name = std::move(name),
          .warning = warning_of(capture),
          .caution = caution_of(capture.diagnostics),
          .pieces = work.pieces.size(),
          .ranks = capture.recording.ranks.size(),
          .steps = whole_steps(capture.recording),
          .step_numbers = numbers_of_steps(capture.recording),
          .chosen_steps = work.chosen_steps,
          .measured = work.measured,
          .has_calls = details.has_calls(),
          .key = options.key,
          .order = options.order,
          .totals = work_totals(work),
          .rows = stats_rows(work, options.key, options.order),
          .devices = std::move(devices),
          .stages = stage_use(work),
          .streams = std::move(streams),
          .launches = launch_use(work, launched),
          .copies = copy_use(work),
          .sequences = kernel_sequences(work, launched),
          .occupancy = std::move(occupancy),
          .flops = flops_use(work),
          .memory = memory_use(details),
          .modules = module_use(work),
          .stacks = call_stacks(work),
          .transports = transport_use(details),
          .overheads = details.overheads};
}

}  // namespace stepsim::sim
