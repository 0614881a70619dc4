#ifndef STEPSIM_SCENARIOS_ANSWER_PROFILER_H
#define STEPSIM_SCENARIOS_ANSWER_PROFILER_H

#include <optional>

#include "scenarios/answer/predict.h"
#include "scenarios/answer/replay_meter.h"

/// What recording a job took from it. A profiler works on the job's threads whenever an event begins or ends, so it
/// slows a task by the events that it recorded of it. Device work is recorded by the device and keeps its time.
namespace stepsim::scenarios {

/// The most that an event is taken to cost where job.yaml does not say what a step takes without the profiler: between
/// the 12 us of pipe-2 and the 44 us of fsdp-even (docs/fidelity.md, "Intervals"), whose ranks share cores as few jobs
/// do.
inline constexpr Duration kMostPerEvent{20'000};
/// And the most that a task is taken to have been slowed, as a share of its recorded time.
inline constexpr double kMostSlowed = 0.25;

/// Takes the profiler's time out of the durations of `capture`'s tasks: `per_event` for each recorded event, at most
/// the share `most` of a task. Nothing where events were not counted.
void without_profiler(const Capture& capture, Duration per_event, double most, std::vector<Duration>& durations);

/// Whether it is known where a profiler slowed the capture.
[[nodiscard]] bool counts_events(const Capture& capture) noexcept;

/// Uses job.yaml's measured_step: finds what an event cost, so that the replayed iteration relates to the replay of the
/// recorded one as measured_step does to the measured iteration, and has `predictor` take that out of every plan. The
/// error of the model stays what it was. An iteration that cannot become so short by this gets as short as it can.
/// Nothing happens without measured_step, or if that is not shorter than what was captured; then the range of answers
/// says so (scenarios/answer/interval.h). Replays the capture up to 16 times. Throws what predict() throws.
void take_out_profiler(Predictor& predictor, ReplayMeter& meter);

}  // namespace stepsim::scenarios

#endif
