#include "scenarios/answer/learn_from_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "model/base/text.h"
#include "model/calibration/interference.h"
#include "model/cost/network/maxmin.h"
#include "model/cost/network/transfers.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/step_spread.h"
#include "sim/analysis/summary.h"
#include "sim/report/table.h"

namespace stepsim::scenarios {
namespace {

constexpr std::array kTried{1.0, 0.75, 0.5, 0.25, 0.0};

struct Tried {
  double sharing = 0;
  double error = 0;  ///< absolute
};

bool shares_links(const Plan& plan) {
  const NetworkModel& network = *plan.network;
  if (network.make == nullptr || network.independent || !uses_links(*plan.captured)) return false;
  return std::find(network.parameters.begin(), network.parameters.end(), &kSharing) != network.parameters.end();
}

/// By their errors.
std::vector<Tried> tried(Predictor& predictor, ReplayMeter& meter, Duration measured) {
  std::vector<Tried> all;
  for (const double sharing : kTried) {
    Plan plan = predictor.plan();
    plan.cluster.network.set(kSharing, sharing);
    all.push_back({sharing, std::abs(sim::ratio(meter.predict(predictor, plan).iteration - measured, measured))});
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

/// No event costs more; where that is not enough, something else slowed the job.
constexpr Duration kLargestPerEvent{1'000'000};
/// What is left of a task's recorded time, at least: it did something.
constexpr double kWholly = 0.9;

bool is_slowed(const Dag& dag, TaskId task) {
  switch (dag.kind(task)) {
    case TaskKind::kHost:
    case TaskKind::kOperator:
    case TaskKind::kRuntime: return true;
    default: return false;
  }
}

/// The iteration if each event cost `per_event`.
Duration iteration_without(Predictor& predictor, ReplayMeter& meter, Duration per_event) {
  Plan plan = predictor.plan();
  plan.rules.emplace_back([per_event](const Capture& capture, std::vector<Duration>& durations) {
    without_profiler(capture, per_event, kWholly, durations);
  });
  return meter.predict(predictor, plan).iteration;
}

/// The smallest cost with which the iteration is at most `wanted`, to 1 part in a thousand.
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
    return fmt::format("{} {:.2f} times as long ({} compared)", to_text(each.kernel_class), each.factor, each.kernels);
  });
}

}  // namespace

bool refit_sharing(Predictor& predictor, ReplayMeter& meter) {
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
    predictor.assume_sharing(
        plan.cluster.network[kSharing], {},
        {"sharing_unexplained",
         fmt::format("The captured iteration is missed by {:.0f} %, and no way of sharing links explains "
                     "it: how senders share them is not known.",
                     100 * error)});
    return true;
  }
  std::vector<double> fitting;
  for (const Tried& one : all) {
    if (one.error <= best.error + usual) fitting.push_back(one.sharing);
  }
  const auto [least, most] = std::minmax_element(fitting.begin(), fitting.end());
  predictor.assume_sharing(
      best.sharing, fitting,
      {"sharing_refitted",
       fmt::format(
           "Links are shared as {} (1 = fair, 0 = one sender at a time), and from {} to {} fits too: with {:.2g} "
           "the captured iteration was missed by {:.0f} %, with this by {:.1f} %.",
           best.sharing, *least, *most, plan.cluster.network[kSharing], 100 * error, 100 * best.error)});
  return true;
}

bool prefer_recorded_collectives(Predictor& predictor, ReplayMeter& meter) {
  Plan plan = predictor.plan();
  if (!has_captured_collectives(plan)) return false;
  const Prediction by_links = meter.predict(predictor, plan);
  const sim::Summary links = sim::summarize(*by_links.graph, by_links.timeline);
  if (!links.measured) return false;
  const double error = std::abs(links.iteration.error);
  if (error <= sim::usual_error_of_capture(*by_links.graph, by_links.timeline)) return false;
  predictor.learn_recorded_collectives();
  plan.recorded_collectives = Excess::kStays;
  const Prediction as_recorded = meter.predict(predictor, plan);
  const sim::Summary recorded = sim::summarize(*as_recorded.graph, as_recorded.timeline);
  if (std::abs(recorded.iteration.error) > error / 2) return false;
  predictor.prefer_recorded_collectives(
      {std::string(kRecordedCollectives),
       fmt::format("Links calibrated from the capture miss its iteration by {}: each collective keeps its "
                   "recorded time, changed as it would change alone under {}.",
                   sim::signed_percent(links.iteration.error, 1), plan.network->name)});
  return true;
}

void test_repetition(Predictor& predictor, ReplayMeter& meter) {
  const Prediction baseline = meter.predict(predictor, predictor.plan());
  const Duration repeated = baseline.iteration;
  if (!sim::contradicts_captured_steps(*baseline.graph, baseline.timeline, repeated, baseline.of_captured_steps))
    return;
  predictor.distrust_repetition(
      {std::string(kRepetitionContradicted),
       fmt::format("The captured steps take {}, and {} when each is repeated until it is steady, which is further off "
                   "than they differ: iterations are distances between captured steps.",
                   stepsim::to_text(baseline.of_captured_steps), stepsim::to_text(repeated))});
}

void without_profiler(const Capture& capture, Duration per_event, double most, std::vector<Duration>& durations) {
  const std::vector<std::uint32_t>& events = capture.recording.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i] == 0 || !is_slowed(capture.dag, TaskId{i})) continue;
    const Duration cost = per_event * static_cast<std::int64_t>(events[i]);
    durations[i] -= std::min(cost, scaled(durations[i], most));
  }
}

bool counts_events(const Capture& capture) noexcept { return !capture.recording.events.empty(); }

void take_out_profiler(Predictor& predictor, ReplayMeter& meter) {
  const Capture& captured = *predictor.plan().captured;
  const std::optional<Duration> said = captured.job.measured_step;
  if (!said || !counts_events(captured)) return;
  const Prediction baseline = meter.predict(predictor, predictor.plan());
  const sim::Summary summary = sim::summarize(*baseline.graph, baseline.timeline);
  if (!summary.measured || *said >= summary.iteration.measured) return;
  const Duration wanted = scaled(baseline.iteration, ratio(*said, summary.iteration.measured));
  const Duration cost = cost_for(predictor, meter, wanted);
  predictor.take_out_profiler(
      {.per_event = cost,
       .most = kWholly,
       .note = {"profiler",
                fmt::format("The profiler took {} an event from the host's work: as captured a step takes {}, "
                            "and {} by job.yaml's measured_step.",
                            stepsim::to_text(cost), stepsim::to_text(summary.iteration.measured),
                            stepsim::to_text(*said))}});
}

void learn_interference(Predictor& predictor, bool wanted, const sim::EngineOptions& options) {
  const Capture& captured = *predictor.plan().captured;
  if (!communicates(captured.dag)) return;
  if (!wanted) {
    return predictor.add_assumption(
        {"interference_off",
         "Kernels take as long as captured, whatever communication runs beside them (--no-interference)."});
  }
  std::vector<Slowdown> slowdowns = evident_slowdowns(captured);
  if (slowdowns.empty()) {
    return predictor.add_assumption(
        {"interference_unknown",
         "The capture does not show by how much communication slows compute beside it: durations stay as captured "
         "where a change moves communication."});
  }
  predictor.add_assumption(
      {"interference", fmt::format("Beside communication kernels take longer than alone, as the captured steps "
                                   "show: {}. Those follow where communication moves; others stay as captured.",
                                   listed(slowdowns))});
  predictor.follow_interference(std::move(slowdowns), options);
}

}  // namespace stepsim::scenarios
