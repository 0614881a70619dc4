#ifndef STEPSIM_SCENARIOS_ANSWER_LEARN_FROM_CAPTURE_H
#define STEPSIM_SCENARIOS_ANSWER_LEARN_FROM_CAPTURE_H

#include <optional>
#include <string_view>

#include "scenarios/answer/predict.h"

/// Facts that only replays of the capture reveal about how to predict its plans, in the order in which they are
/// learned: how senders share links, whether collectives keep recorded times, whether repeated steps take the same time
/// as captured ones, the cost of the profiler, and how communication slows concurrent kernels.
namespace stepsim::scenarios {

/// Corrects how senders share a link (kSharing, model/cost/network/maxmin.h) if the calibrated value predicts the
/// captured iteration with a larger error than a correct model would: by more than 3 %, and by more than the captured
/// steps differ. The capture is replayed with fair, half and serial sharing and two values in between. If the value
/// with the smallest error halves the error, it becomes the assumption, and all values close to it are included in the
/// range of every answer. Otherwise sharing is not the cause: the value stays, but no longer counts as known. Applies
/// only to calibrated clusters; values given by a user stay. Replays the capture once or six times. Returns true if the
/// calibrated value is no longer trusted. Throws what predict() throws.
bool refit_sharing(Predictor& predictor, ReplayMeter& meter);

/// The id of the assumption that collectives keep their recorded times.
inline constexpr std::string_view kRecordedCollectives = "recorded_collectives";

/// Makes collectives keep their recorded times (scenarios/answer/recorded_collectives.h) if links calibrated from the
/// capture predict its iteration with a larger error than a correct model would (usual_error_of_capture()), and
/// recorded times at least halve that error. Does not apply to parameter servers or to jobs with messages between ranks
/// outside collectives. Applies only to calibrated clusters; values given by a user stay. Replays the capture once or
/// twice. Returns true if it changed anything. Throws what predict() throws.
bool prefer_recorded_collectives(Predictor& predictor, ReplayMeter& meter);

/// The id of the assumption that answers are times between starts of captured steps, although these could be repeated.
inline constexpr std::string_view kRepetitionContradicted = "repetition_contradicted";

/// Makes predictions use the captured steps if repeating them until they are steady contradicts their captured times
/// (sim::contradicts_captured_steps()). Then the measured time is the baseline, and the repetition becomes a source of
/// uncertainty. Replays the capture once. Throws what predict() throws.
void test_repetition(Predictor& predictor, ReplayMeter& meter);

// The cost of recording. A profiler runs on the job's threads whenever an event begins or ends, so it slows a task in
// proportion to the task's recorded events. Device work is recorded by the device and is not slowed.

/// Maximum assumed cost of an event if job.yaml does not give the duration of a step without the profiler. It is
/// between the 12 us of pipe-2 and the 44 us of fsdp-even (docs/internals/answers.md, "Ranges"), whose ranks share
/// cores more than most jobs.
inline constexpr Duration kMostPerEvent{20'000};
/// Maximum assumed slowdown of a task, as a share of its recorded time.
inline constexpr double kMostSlowed = 0.25;

/// Removes the profiler's time from the durations of `capture`'s tasks: `per_event` for each recorded event, but at
/// most the share `most` of a task. Does nothing if events were not counted.
void without_profiler(const Capture& capture, Duration per_event, double most, std::vector<Duration>& durations);

/// True if the capture shows which tasks a profiler slowed.
[[nodiscard]] bool counts_events(const Capture& capture) noexcept;

/// Uses job.yaml's measured_step to find the cost of an event, and makes `predictor` remove it from every plan. The
/// cost is chosen so that the replayed iteration without it, relative to the replay of the recorded one, equals
/// measured_step relative to the measured iteration. The error of the model therefore does not change. If the iteration
/// cannot become that short, it becomes as short as possible. Does nothing if measured_step is absent or not shorter
/// than the captured step; then the range of answers includes the cost (scenarios/answer/interval.h). Replays the
/// capture up to 16 times. Throws what predict() throws.
void take_out_profiler(Predictor& predictor, ReplayMeter& meter);

// Kernels are slower while communication runs on their device, so a change that moves communication changes their
// durations. The slowdown is learned from the capture (model/calibration/interference.h) or not applied at all.

/// Makes `predictor` slow kernels during communication if the capture shows by how much. Otherwise, or if `wanted` is
/// false, durations stay as captured. Either becomes an assumption of every plan, if the capture communicates. Replays
/// the capture at most once. Not thread-safe. Throws what predict() throws.
void learn_interference(Predictor& predictor, bool wanted, const sim::EngineOptions& options);

}  // namespace stepsim::scenarios

#endif
