#ifndef STEPSIM_SCENARIOS_ANSWER_LEARN_FROM_CAPTURE_H
#define STEPSIM_SCENARIOS_ANSWER_LEARN_FROM_CAPTURE_H

#include <optional>
#include <string_view>

#include "scenarios/answer/predict.h"

/// What only replays of the capture show of how its plans should be predicted, in the order in which it is learned:
/// how senders share links, whether collectives keep recorded times, whether repeated steps take what captured ones
/// took, what the profiler cost, and how communication slows kernels beside it.
namespace stepsim::scenarios {

/// Corrects how senders share a link (kSharing, model/cost/network/maxmin.h) where calibration's value misses the
/// captured iteration by more than a correct model would: by more than 3 %, and by more than the captured steps differ.
/// The capture is replayed with fair, half and serial sharing and two values between; the value with the smallest error
/// becomes the assumption, if it halves the error, and all that come close to it are in the range of every answer. If
/// none does, sharing is not what is wrong: nothing changes but that it no longer counts as known.
/// For clusters that were calibrated; what a user says stays. Replays the capture once, or six times. True if
/// calibration's value no longer holds. Throws what predict() throws.
bool refit_sharing(Predictor& predictor, ReplayMeter& meter);

/// The id of the assumption that collectives keep recorded times.
inline constexpr std::string_view kRecordedCollectives = "recorded_collectives";

/// Lets collectives keep their recorded times, as scenarios/answer/recorded_collectives.h says, where links that were
/// calibrated from the capture miss its iteration by more than a correct model would (usual_error_of_capture()), and
/// recorded times at least halve that error. Not for parameter servers, nor where messages go between ranks
/// outside collectives. For clusters that were calibrated; what a user says stays. Replays the capture once, or
/// twice. True if it did. Throws what predict() throws.
bool prefer_recorded_collectives(Predictor& predictor, ReplayMeter& meter);

/// The id of the assumption that answers are distances between captured steps, although these can be repeated.
inline constexpr std::string_view kRepetitionContradicted = "repetition_contradicted";

/// Has predictions be of the captured steps, where repeating those until they are steady contradicts what they took
/// (sim::contradicts_captured_steps()): what was measured is the baseline, and the repetition a source of ranges.
/// Replays the capture once. Throws what predict() throws.
void test_repetition(Predictor& predictor, ReplayMeter& meter);

// What recording a job took from it. A profiler works on the job's threads whenever an event begins or ends, so it
// slows a task by the events that it recorded of it. Device work is recorded by the device and keeps its time.

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

// Kernels slow while communication runs beside them, so a change that moves communication changes their durations. By
// how much is found in the capture (model/calibration/interference.h) or not at all.

/// Has `predictor` slow kernels by the communication beside them, where the capture is evidence of by how much; else,
/// or if not `wanted`, durations stay as captured. What is done is an assumption of every plan of a capture that
/// communicates. Replays the capture once, at most. Not safe beside other calls. Throws what predict() throws.
void learn_interference(Predictor& predictor, bool wanted, const sim::EngineOptions& options);

}  // namespace stepsim::scenarios

#endif
