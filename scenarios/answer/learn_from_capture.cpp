#include "scenarios/answer/learn_from_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "model/base/text.h"
#include "model/calibration/interference.h"
#include "model/cost/network/maxmin.h"
#include "model/cost/network/network.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/step_spread.h"
#include "sim/analysis/summary.h"
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

bool is_slowed(const Dag& dag, TaskId task) {
  switch (dag.kind(task)) {
    case TaskKind::kHost:
    case TaskKind::kOperator:
    case TaskKind::kRuntime: return true;
    default: return false;
  }
}

/// Returns the predicted iteration without the profiler, if the profiler took `per_event` for each recorded event.
Duration iteration_without(Predictor& predictor, ReplayMeter& meter, Duration per_event) {
  const Sides without{.durations = [per_event](const Capture& capture, std::vector<Duration>& durations) {
    without_profiler(capture, per_event, kMaxRemovedShare, durations);
  }};
  return meter.predict(predictor, predictor.plan(), without).iteration;
}

/// Returns the smallest cost per event with which the iteration without the profiler is at most `wanted`. The result is
/// accurate to 0.1 % or 10 ns, and at most kLargestPerEvent.
Duration cost_for(Predictor& predictor, ReplayMeter& meter, Duration wanted) {
  Duration low{};
  Duration high = kMostPerEvent;
  while (high < kLargestPerEvent && iteration_without(predictor, meter, high) > wanted) {
    low = high;
    high *= 4;
  }
  while (high - low > std::max(Duration{10}, high / 1000)) {
    const Duration middle = low + (high - low) / 2;
    (iteration_without(predictor, meter, middle) > wanted ? low : high) = middle;
  }
  return std::min(high, kLargestPerEvent);
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

void without_profiler(const Capture& capture, Duration per_event, double most, std::vector<Duration>& durations) {
  const std::vector<std::uint32_t>& events = capture.recording.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i] == 0 || !is_slowed(capture.dag, TaskId{i})) continue;
    const Duration cost = per_event * static_cast<std::int64_t>(events[i]);
    durations[i] -= std::min(cost, scaled(durations[i], most));
  }
}

bool shows_profiler(Duration iteration, Duration without) noexcept {
  constexpr double kShown = 0.01;
  return ratio(iteration - without, iteration) >= kShown;
}

Sides without_largest_cost() {
  return {.durations = [](const Capture& graph, std::vector<Duration>& durations) {
    without_profiler(graph, kMostPerEvent, kMostSlowed, durations);
  }};
}

bool counts_events(const Capture& capture) noexcept { return !capture.recording.events.empty(); }

void take_out_profiler(PredictorBuilder& builder, ReplayMeter& meter) {
  Predictor& predictor = builder.predictor();
  const Capture& captured = *predictor.plan().captured;
  const std::optional<Duration> said = captured.job.measured_step;
  if (!said || !counts_events(captured)) return;
  const Prediction baseline = meter.predict(predictor, predictor.plan());
  const sim::Summary summary = sim::summarize(*baseline.graph, baseline.timeline);
  if (!summary.measured || *said >= summary.iteration.measured) return;
  const Prediction without = meter.predict(predictor, predictor.plan(), without_largest_cost());
  if (!shows_profiler(baseline.iteration, without.iteration)) return;
  const Duration wanted = scaled(baseline.iteration, ratio(*said, summary.iteration.measured));
  const Duration cost = cost_for(predictor, meter, wanted);
  builder.settings().profiler = {
      .per_event = cost,
      .most = kMaxRemovedShare,
      .note = {
          "profiler",
          fmt::format("The profiler added {} of CPU time per event: a captured step takes {}, and {} according to "
                      "measured_step in job.yaml.",
                      stepsim::to_text(cost), stepsim::to_text(summary.iteration.measured), stepsim::to_text(*said))}};
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
