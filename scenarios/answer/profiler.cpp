#include "scenarios/answer/profiler.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/analysis/intervals.h"
#include "sim/analysis/summary.h"

namespace stepsim::scenarios {
namespace {

using sim::ratio;
using stepsim::to_text;

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

}  // namespace

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
                            to_text(cost), to_text(summary.iteration.measured), to_text(*said))}});
}

}  // namespace stepsim::scenarios
