#ifndef STEPSIM_SCENARIOS_ANSWER_LEARN_FROM_CAPTURE_H
#define STEPSIM_SCENARIOS_ANSWER_LEARN_FROM_CAPTURE_H

#include <optional>
#include <string_view>
#include <vector>

#include "scenarios/answer/predict.h"

/// Settings of a Predictor that can only be found by replaying the capture. They are found in this order: how senders
/// share links, whether collectives keep recorded times, whether repeated steps take the same time as captured ones,
/// how communication slows concurrent kernels, and the cost of the profiler.
namespace stepsim::scenarios {

/// Corrects how senders share a link (kSharing, model/cost/network/maxmin.h) if the prediction of the captured
/// iteration has a larger error than a correct model would have: more than 3 %, and more than the captured steps
/// differ. Replays the capture with five values of sharing from 1 (equally) to 0 (one sender at a time). If the best
/// value at least halves the error, it becomes an assumption, and the range of every answer includes all values that
/// fit about as well. Otherwise sharing is not the cause of the error: the value stays, but no longer counts as known.
/// Call this only for calibrated clusters, because values given by a user must stay. Replays the capture once or six
/// times. Returns true if the calibrated value is no longer trusted. Throws what predict() throws.
bool refit_sharing(PredictorBuilder& builder, ReplayMeter& meter);

/// The id of the assumption that collectives keep their recorded times.
inline constexpr std::string_view kRecordedCollectives = "recorded_collectives";

/// Makes collectives keep their recorded times (scenarios/answer/recorded_collectives.h) if the links calibrated from
/// the capture predict its iteration with a larger error than a correct model would have (usual_error_of_capture()),
/// and if recorded times at least halve that error. Does nothing for jobs with parameter servers or with messages
/// outside collectives. Call this only for calibrated clusters, because links given by a user must be used. Replays the
/// capture at most twice. Returns true if it changed the predictor. Throws what predict() throws.
bool prefer_recorded_collectives(PredictorBuilder& builder, ReplayMeter& meter);

/// The id of the assumption that step times come from the captured steps, because repeated steps contradict their
/// times.
inline constexpr std::string_view kRepetitionContradicted = "repetition_contradicted";

/// Usually, predictions repeat the captured steps until their times are steady. If this contradicts the captured times
/// (sim::contradicted_repetition()), this function makes predictions use the captured steps alone, and the
/// repetition becomes a source of uncertainty. Replays the capture once. Throws what predict() throws.
void test_repetition(PredictorBuilder& builder, ReplayMeter& meter);

// The cost of recording. A profiler runs on the job's threads whenever an event begins or ends, so it slows a task in
// proportion to the task's recorded events. Device work is recorded by the device and is not slowed. So a step has two
// times: as captured, with which a replay is compared, and as the job runs, from which all changes are predicted.

/// Removes the profiler's time from `durations`, which are indexed by TaskId of `capture`, and lengthens its waits for
/// a data loader. Does nothing if the capture does not count events.
void without_profiler(const Capture& capture, const ProfilerCost& cost, std::vector<Duration>& durations);

/// Makes the predictor remove the profiler's cost in every plan. The cost per event is, in this order:
/// - what shortens the replayed iteration by the same factor as the ratio of job.yaml's measured_step to the measured
///   iteration. The error of the model then does not change. If the iteration cannot become that short, it becomes as
///   short as possible; if it is not longer than measured_step, the cost is 0. An iteration that is not limited by the
///   CPU does not show the cost.
/// - job.yaml's profiler_cost;
/// - for torch.profiler, what jobs cost that were measured with and without it (docs/internals/answers.md, "Ranges");
/// - for other profilers 0, or up to what torch.profiler costs.
/// Does nothing if the capture does not count events or `stepsim model` wrote it. Replays the capture up to 19 times.
/// Throws what predict() throws.
void take_out_profiler(PredictorBuilder& builder, ReplayMeter& meter);

// Kernels are slower while communication runs on their device, so a change that moves communication changes their
// durations. The slowdown is learned from the capture (model/calibration/interference.h) or not applied at all.

/// Returns how communication that changes add slows kernels of a capture without any (usual_slowdowns()).
[[nodiscard]] CapturedInterference usual_interference();
/// Returns how communication slows the captured kernels. `predictor` has no interference yet; it replays the captured
/// job once, to find the overlap that belongs to the captured durations. Throws what predict() throws.
[[nodiscard]] CapturedInterference interference_with(std::vector<Slowdown> slowdowns, Predictor& predictor,
                                                     const sim::EngineOptions& options = {});

/// Makes the predictor slow kernels during communication if the capture shows by how much. If it does not, or if
/// `wanted` is false, kernels keep their captured durations. Adds an assumption that states which of these applies,
/// unless the capture has no communication. Replays the capture at most once. Not thread-safe. Throws what predict()
/// throws.
void learn_interference(PredictorBuilder& builder, bool wanted, const sim::EngineOptions& options);

}  // namespace stepsim::scenarios

#endif
