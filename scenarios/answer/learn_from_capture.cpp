#include "scenarios/answer/learn_from_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/base/text.h"
#include "model/calibration/interference.h"
#include "model/cost/device/device_work.h"
#include "model/cost/network/maxmin.h"
#include "model/cost/network/network.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/step_spread.h"
#include "sim/analysis/summary.h"
#include "sim/check/recorded.h"
#include "sim/report/table.h"

namespace stepsim::scenarios {
namespace {

constexpr std::array kTried{1.0, 0.75, 0.5, 0.25, 0.0};

struct Tried {
  double sharing = 0;
  double error = 0;  ///< absolute error
};

bool shares_links(const Plan& plan) {
  const NetworkModel& network = *plan.network;
  if (network.make == nullptr || network.independent || !uses_links(*plan.captured)) return false;
  return std::find(network.parameters.begin(), network.parameters.end(), &kSharing) != network.parameters.end();
}

/// Replays the capture with each value of kTried for the sharing of links. Returns the values and the errors of the
/// captured steps' iteration, the smallest error first.
std::vector<Tried> tried(Predictor& predictor, ReplayMeter& meter, Duration measured) {
  std::vector<Tried> all;
  for (const double sharing : kTried) {
    const Duration replayed = meter.predict(predictor, predictor.plan(), {.sharing = sharing}).of_captured_steps;
    all.push_back({sharing, std::abs(sim::ratio(replayed - measured, measured))});
  }
  std::stable_sort(all.begin(), all.end(), [](const Tried& a, const Tried& b) { return a.error < b.error; });
  return all;
}

bool has_captured_collectives(const Plan& plan) {
  const Capture& capture = *plan.captured;
  const std::vector<Lane>& lanes = capture.dag.lanes();
  return plan.network->make != nullptr && capture.parameter_server == nullptr && uses_links(capture) &&
         std::none_of(lanes.begin(), lanes.end(), [](const Lane& lane) { return lane.is_link(); });
}

using sim::ratio;

/// Maximum cost of a recorded event. If a higher cost were needed to reach job.yaml's measured_step, something other
/// than the profiler must have slowed the job.
constexpr Duration kLargestPerEvent{1'000'000};
/// Maximum share of a task's recorded time that is removed as the profiler's cost; the rest is the task's work.
constexpr double kMaxRemovedShare = 0.9;

/// The cost of an event for torch.profiler with record_shapes=True on hosts with GPUs: two jobs on an H200
/// (tests/truth/data/loader), which their CPU limits once the loader does not, cost 2.35 and 2.6 us. Eleven jobs of
/// PyTorch 2.11 on hosts of H100 and H200 cost 1 to 4.5 us: they took 5 to 45 % less without the profiler. A range
/// begins at 0, with the step as captured.
constexpr Duration kUsualPerEvent{2'400};
constexpr Duration kMostPerEvent{4'500};
/// The cost without shapes, relative to that with them: 0.37 and 0.38 us in place of 0.50 and 0.57 us (PyTorch 1.13, a
/// transformer of 12 small layers on one CPU core).
constexpr double kWithoutShapes = 0.7;
/// Maximum cost where ranks share CPU cores, or Python calls were recorded: between those of pipe-2 (12 us) and of
/// fsdp-even (44 us), whose ranks share cores more than those of most jobs. It removes a half of a task at most.
constexpr Duration kMostOnSharedCores{20'000};
constexpr double kMostSlowed = 0.5;

bool is_slowed(const Dag& dag, TaskId task) {
  switch (dag.kind(task)) {
    case TaskKind::kHost:
    case TaskKind::kOperator:
    case TaskKind::kRuntime: return true;
    default: return false;
  }
}

/// Predicts the captured job without the profiler's cost, which the predictor does not remove yet.
Prediction predict_without(Predictor& predictor, ReplayMeter& meter, const ProfilerCost& cost) {
  return meter.predict(predictor, predictor.plan(),
                       {.durations = [&cost](const Capture& capture, std::vector<Duration>& durations) {
                         without_profiler(capture, cost, durations);
                       }});
}

/// Returns the smallest cost per event with which the iteration without the profiler is at most `wanted`. The result is
/// accurate to 0.1 % or 10 ns, and at most kLargestPerEvent.
Duration cost_for(Predictor& predictor, ReplayMeter& meter, Duration wanted) {
  const auto is_longer_with = [&](Duration per_event) {
    return predict_without(predictor, meter, {per_event, kMaxRemovedShare}).iteration > wanted;
  };
  Duration low{};
  Duration high = kMostOnSharedCores;
  while (high < kLargestPerEvent && is_longer_with(high)) {
    low = high;
    high *= 4;
  }
  while (high - low > std::max(Duration{10}, high / 1000)) {
    const Duration middle = low + (high - low) / 2;
    (is_longer_with(middle) ? low : high) = middle;
  }
  return std::min(high, kLargestPerEvent);
}

/// True if the captured iteration is at least 1 % shorter without the cost. If something other than the CPU limits it,
/// it does not show how much the profiler slowed the CPU.
bool depends_on(const ProfilerCost& cost, const Prediction& baseline, Predictor& predictor, ReplayMeter& meter) {
  constexpr double kShown = 0.01;
  const Duration without = predict_without(predictor, meter, cost).iteration;
  return ratio(baseline.iteration - without, baseline.iteration) >= kShown;
}

/// Returns the costs that are assumed for the profiler that recorded a capture, without their waits.
ProfilerCosts usual_costs(const CaptureContents& contents) {
  std::uint64_t calls = 0;
  std::uint64_t shapes = 0;
  std::uint64_t python_calls = 0;
  for (const SourceContents& source : contents.sources) {
    for (const HostDeviceContents& process : source.processes) {
      calls += process.calls;
      shapes += process.shaped_operators;
      python_calls += process.python_calls;
    }
  }
  const bool torch = sim::profiler_of(contents) == sim::Profiler::kPyTorch;
  ProfilerCosts costs;
  costs.most = {kMostPerEvent, kMaxRemovedShare};
  if (torch && (calls == 0 || python_calls > 0)) costs.most = {kMostOnSharedCores, kMostSlowed};
  if (torch && calls > 0) costs.usual = {scaled(kUsualPerEvent, shapes > 0 ? 1 : kWithoutShapes), kMaxRemovedShare};
  return costs;
}

/// States costs that are assumed.
Assumption note_on(const ProfilerCosts& costs) {
  const std::string most = stepsim::to_text(costs.most.per_event);
  const std::string usual =
      costs.usual.per_event == Duration{}
          ? fmt::format("no CPU time; it may be up to {} per event", most)
          : fmt::format(
                "{} of CPU time per event, as in jobs that were measured with and without it; it may be 0 to {}",
                stepsim::to_text(costs.usual.per_event), most);
  return {
      "profiler",
      fmt::format("The profiler is assumed to have added {}. measured_step or profiler_cost in job.yaml replaces this.",
                  usual)};
}

ProfilerCosts exactly(Duration per_event, std::string note) {
  const ProfilerCost cost{per_event, kMaxRemovedShare};
  return {cost, cost, cost, false, {"profiler", std::move(note)}};
}

/// Returns how much longer the job waits for its data loader without the profiler: batches arrive when they did in the
/// capture. A wait below 5 % of the time since the last batch is for one that was ready. The time that a thread gains
/// after its last wait counts for its first one, because the work before that was not captured.
std::vector<Duration> longer_waits(const Prediction& captured, const Prediction& without) {
  constexpr int kReady = 20;
  struct Thread {
    Time captured;      ///< end of its last wait in the capture, initially the start of its first task
    Time without;       ///< the same without the profiler
    Duration gained{};  ///< since the last batch that was not ready
    TaskId first{};     ///< first wait for a batch that was not ready
    TaskId last;        ///< its last task
  };
  const Dag& dag = captured.graph->dag;
  std::map<LaneId, Thread> threads;
  std::vector<Duration> longer(dag.task_count());
  const auto gain = [&](Thread& thread, std::size_t task) {
    const Duration took = captured.timeline.finish[task] - thread.captured;
    thread.gained += took - (without.timeline.finish[task] - thread.without);
    thread.captured = captured.timeline.finish[task];
    thread.without = without.timeline.finish[task];
    return took;
  };
  for (const TaskId task : dag.tasks()) {
    const std::size_t i = task.index();
    const Thread initial{.captured = captured.timeline.start[i], .without = without.timeline.start[i], .last = task};
    Thread& thread = threads.try_emplace(dag.lane_id(task), initial).first->second;
    thread.last = task;
    if (dag.kind(task) != TaskKind::kLoader || dag.duration(task) * kReady < gain(thread, i)) continue;
    if (!thread.first.valid()) thread.first = task;
    longer[i] = std::max(Duration{}, std::exchange(thread.gained, {}));
  }
  for (auto& [lane, thread] : threads) {
    if (!thread.first.valid()) continue;
    gain(thread, thread.last.index());
    longer[thread.first.index()] += std::max(Duration{}, thread.gained);
  }
  return longer;
}

bool communicates(const Dag& dag) {
  const auto tasks = dag.tasks();
  return std::any_of(tasks.begin(), tasks.end(), [&dag](TaskId task) {
    return dag.kind(task) == TaskKind::kCollective || dag.kind(task) == TaskKind::kTransfer;
  });
}

std::string listed(const std::vector<Slowdown>& slowdowns) {
  return joined(slowdowns, [](const Slowdown& each) {
    return fmt::format("{} {:.2f}x ({} compared)", to_text(each.kernel_class), each.factor, each.kernels);
  });
}

}  // namespace

bool refit_sharing(PredictorBuilder& builder, ReplayMeter& meter) {
  Predictor& predictor = builder.predictor();
  const Plan plan = predictor.plan();
  if (!shares_links(plan)) return false;
  const Prediction baseline = meter.predict(predictor, plan);
  const sim::Summary summary = sim::summarize(*baseline.graph, baseline.timeline);
  if (!summary.measured) return false;
  const double usual = sim::usual_error_of_capture(*baseline.graph, baseline.timeline);
  const double error = std::abs(summary.iteration.error);
  if (error <= usual) return false;
  const std::vector<Tried> all = tried(predictor, meter, summary.iteration.measured);
  const Tried best = all.front();
  if (best.error > error / 2) {
    builder.settings().sharing = {
        plan.cluster.network[kSharing],
        {},
        {"sharing_unexplained",
         fmt::format(
             "The prediction misses the captured step by {:.0f} %, and no way of sharing links explains it; how "
             "senders share them is unknown.",
             100 * error)}};
    return true;
  }
  std::vector<double> fitting;
  for (const Tried& one : all) {
    if (one.error <= best.error + usual) fitting.push_back(one.sharing);
  }
  const auto [least, most] = std::minmax_element(fitting.begin(), fitting.end());
  builder.settings().sharing = {
      best.sharing,
      fitting,
      {"sharing_refitted",
       fmt::format(
           "Senders share links with factor {} (1 = equally, 0 = one at a time); {} to {} fit as well. It predicts the "
           "captured step within {:.1f} %, the factor {:.2g} only within {:.0f} %.",
           best.sharing, *least, *most, 100 * best.error, plan.cluster.network[kSharing], 100 * error)}};
  return true;
}

bool prefer_recorded_collectives(PredictorBuilder& builder, ReplayMeter& meter) {
  Predictor& predictor = builder.predictor();
  Plan plan = predictor.plan();
  if (!has_captured_collectives(plan)) return false;
  const Prediction by_links = meter.predict(predictor, plan);
  const sim::Summary links = sim::summarize(*by_links.graph, by_links.timeline);
  if (!links.measured) return false;
  const double error = std::abs(links.iteration.error);
  if (error <= sim::usual_error_of_capture(*by_links.graph, by_links.timeline)) return false;
  plan.recorded_collectives = true;
  const Prediction as_recorded = meter.predict(predictor, plan);
  const sim::Summary recorded = sim::summarize(*as_recorded.graph, as_recorded.timeline);
  if (std::abs(recorded.iteration.error) > error / 2) return false;
  builder.settings().recorded_collectives = {
      std::string(kRecordedCollectives),
      fmt::format("Collectives keep their recorded times, changed as each would change alone under {1}, because links "
                  "calibrated from the capture miss its step time by {0}.",
                  sim::signed_percent(links.iteration.error), plan.network->name)};
  return true;
}

void test_repetition(PredictorBuilder& builder, ReplayMeter& meter) {
  Predictor& predictor = builder.predictor();
  const Prediction baseline = meter.predict(predictor, predictor.plan());
  const std::optional<Duration> repeated =
      sim::contradicted_repetition(*baseline.graph, baseline.timeline, baseline.steady);
  if (!repeated) return;
  builder.settings().trusts_repetition = false;
  builder.settings().assumptions.push_back(
      {std::string(kRepetitionContradicted),
       fmt::format(
           "The captured steps take {}, but {} when simulated back to back until they are steady. The difference "
           "is larger than between the steps, so the step time is taken from the captured steps.",
           stepsim::to_text(baseline.of_captured_steps), stepsim::to_text(*repeated))});
}

void without_profiler(const Capture& capture, const ProfilerCost& cost, std::vector<Duration>& durations) {
  const Recording& recording = capture.recording;
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    if (!cost.waits.empty() && capture.dag.kind(TaskId{i}) == TaskKind::kLoader) {
      const TaskId origin = recording.origin.empty() ? TaskId{i} : recording.origin[i];
      if (origin.valid()) durations[i] += cost.waits[origin.index()];
    }
    if (recording.events[i] == 0 || !is_slowed(capture.dag, TaskId{i})) continue;
    const Duration all = cost.per_event * static_cast<std::int64_t>(recording.events[i]);
    durations[i] -= std::min(all, scaled(durations[i], cost.most));
  }
}

void take_out_profiler(PredictorBuilder& builder, ReplayMeter& meter) {
  Predictor& predictor = builder.predictor();
  const Capture& captured = *predictor.plan().captured;
  if (captured.recording.events.empty() || is_modelled_step(captured)) return;
  const Prediction baseline = meter.predict(predictor, predictor.plan());
  const sim::Summary summary = sim::summarize(*baseline.graph, baseline.timeline);
  const bool waits = sim::waiting_for_data(summary) >= sim::kLoaderSetsPace;
  ProfilerCosts costs = usual_costs(captured.contents);
  const std::optional<Duration> said = captured.job.measured_step;
  if (said && summary.measured && !waits && depends_on(costs.most, baseline, predictor, meter)) {
    if (*said >= summary.iteration.measured) return;
    const Duration cost =
        cost_for(predictor, meter, scaled(baseline.iteration, ratio(*said, summary.iteration.measured)));
    costs = exactly(cost, fmt::format("The profiler added {} of CPU time per event: a captured step takes {}, and {} "
                                      "according to measured_step in job.yaml.",
                                      stepsim::to_text(cost), stepsim::to_text(summary.iteration.measured),
                                      stepsim::to_text(*said)));
    costs.by_measured_step = true;
  } else if (const std::optional<Duration>& given = captured.job.profiler_cost) {
    costs = exactly(*given,
                    fmt::format("The profiler added {} of CPU time per event, according to profiler_cost in job.yaml.",
                                stepsim::to_text(*given)));
  } else {
    // Steps that lose a lead of the CPU over the GPU do not show how long they would be with another lead.
    const bool loses_lead =
        !predictor.settings().trusts_repetition && depends_on(costs.usual, baseline, predictor, meter);
    if (loses_lead) costs.usual = {};
    costs.note = note_on(costs);
  }
  if (!costs.by_measured_step) builder.settings().as_captured = baseline.of_captured_steps;
  const auto lengthen_waits = [&](ProfilerCost& cost) {
    if (waits && cost.per_event > Duration{})
      cost.waits = longer_waits(baseline, predict_without(predictor, meter, cost));
  };
  lengthen_waits(costs.usual);
  if (costs.known()) {
    costs.least = costs.most = costs.usual;
  } else {
    lengthen_waits(costs.most);
  }
  builder.settings().profiler = std::move(costs);
}

CapturedInterference usual_interference() { return {usual_slowdowns(), {}}; }

CapturedInterference interference_with(std::vector<Slowdown> slowdowns, Predictor& predictor,
                                       const sim::EngineOptions& options) {
  const Plan plan = predictor.plan();
  const Prediction captured = predictor.predict(plan, options);
  return {std::move(slowdowns), shares_beside(*captured.graph, captured.timeline, plan.captured->dag.task_count())};
}

void learn_interference(PredictorBuilder& builder, bool wanted, const sim::EngineOptions& options) {
  PredictorSettings& settings = builder.settings();
  const Capture& captured = *builder.predictor().plan().captured;
  if (!communicates(captured.dag)) {
    if (wanted) settings.interference = usual_interference();
    return;
  }
  if (!wanted) {
    return settings.assumptions.push_back(
        {"interference_off",
         "Kernels keep their captured durations, whatever communication overlaps them (--no-interference)."});
  }
  std::vector<Slowdown> slowdowns = evident_slowdowns(captured);
  if (slowdowns.empty()) {
    return settings.assumptions.push_back(
        {"interference_unknown",
         "The capture does not show how much communication slows overlapping compute, so durations stay as captured "
         "where a change moves communication."});
  }
  settings.assumptions.push_back(
      {"interference",
       fmt::format("Kernels are slower during communication, as in the captured steps: {}. Their durations "
                   "change where communication moves; those of other kernels stay as captured.",
                   listed(slowdowns))});
  settings.interference = interference_with(std::move(slowdowns), builder.predictor(), options);
}

}  // namespace stepsim::scenarios
