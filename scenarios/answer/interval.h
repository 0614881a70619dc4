#ifndef STEPSIM_SCENARIOS_ANSWER_INTERVAL_H
#define STEPSIM_SCENARIOS_ANSWER_INTERVAL_H

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/answer/predict.h"
#include "scenarios/answer/replay_meter.h"

namespace stepsim::scenarios {

/// One reason why an answer is a range, and the range that it alone would give.
struct IntervalSource {
  std::string_view name;  ///< "steps", "sharing", "drift", "transfers", "copies", "device", "host", ...
  std::string reason;     ///< a sentence without its full stop
  Duration low{};         ///< low <= the prediction <= high
  Duration high{};
  bool of_capture = false;  ///< it is about the captured steps, whatever the plan: a comparison with them knows better
};

/// The source that says what the profiler may have cost.
constexpr std::string_view kProfilerSource = "profiler";

/// The range of an iteration's time, and why it is a range.
struct AnswerInterval {
  Duration low{};
  Duration high{};
  std::vector<IntervalSource> sources;  ///< those that apply; a source without effect has no width
};

/// How far to trust predictions of one capture. Each source is computed by itself (docs/fidelity.md, "Intervals"):
///
/// * model: the captured iteration is predicted with an error, and the answer may have it too.
/// * steps: a typical step may differ from the iteration as captured steps do (scenarios/answer/step_spread.h).
/// * transient: captured steps that shorten or lengthen throughout go on to the last one.
/// * usual error, extrapolation: what models of measured runs were off by, and more where the links' rate was fitted
///   badly and the answer depends on it (scenarios/answer/model_error.h).
/// * profiler: recording slowed the job. The capture without the most that its events may have cost; not if job.yaml's
///   measured_step says what it was (scenarios/answer/profiler.h).
/// * sharing: senders on one link are predicted to take turns message by message, but TCP may serve one sender until it
///   has nothing left. Replays in which senders keep their turn and share fairly, half and serially. Only under a
///   model that shares links, and only if the plan does not say how.
/// * drift: workers of a parameter-server job are predicted to begin apart, because real workers drift apart. A replay
///   in which they begin together.
/// * transfers: of transfers with only a recorded time, all of it was bandwidth (as predicted) or none of it. A replay.
/// * collectives: where they keep recorded times because links do not explain them (recorded_collectives.h), what they
///   took beyond the model's times changes as these do. A replay.
/// * nccl: all collectives that NCCL's cost model times take as much less, or more, as it may be off
///   (model/cost/collective/nccl_times.h): nothing where the capture shows them on these links. Replays.
/// * copies: workers that were not captured may be like the fastest or the slowest captured one. Replays.
/// * device: replays in which every kernel that roofline changed takes as much less, or more, as it may be off
///   (model/cost/device/roofline.cpp says how far that is).
/// * host: another device is in another machine, whose host is not known. Replays in which host work takes 0.7 and 1.4
///   of the captured times, unless the user says how fast it is.
/// * interference: replays in which communication slows the kernels beside it by as little as a tenth of those
/// compared,
///   or as much as another tenth. Only where the capture shows by how much, and if other communication runs beside
///   them.
/// * missing ranks, unexplained waits: time that is kept as recorded, because its cause is unknown, may change as
///   everything else does. No width if the scenario changes nothing.
///
/// A replay with another sharing or beginning is left out if the capture contradicts it: if it predicts the
/// captured iteration worse, by more than captured steps differ and by more than 3 %, the usual error of a correct
/// model. Sources are independent, and together as wide as independent() says (scenarios/answer/factors.h). The range
/// also holds typical captured steps, scaled as the answer is: model and steps on top of each other.
class IntervalFinder {
 public:
  /// `baseline` is what `predictor` made of its plan(). All must outlive the finder.
  IntervalFinder(Predictor& predictor, const Prediction& baseline, ReplayMeter& meter);
  IntervalFinder(const IntervalFinder&) = delete;
  IntervalFinder& operator=(const IntervalFinder&) = delete;
  ~IntervalFinder();

  /// The range of `scenario`, which the predictor made of `plan`. Replays the plan again for sharing (up to eight
  /// times), drift, transfers, copies, device, host and interference (twice each), where they apply; and the capture
  /// for each sharing, drift and the profiler, once for all answers. Safe to use from several threads. Throws what
  /// predict() throws.
  [[nodiscard]] AnswerInterval of(const Plan& plan, const Prediction& scenario) const;

 private:
  class Basis;
  class Sources;
  std::unique_ptr<Basis> basis_;
};

/// The range of one answer. Takes the replays of a finder.
[[nodiscard]] AnswerInterval interval_of(Predictor& predictor, const Plan& plan, const Prediction& baseline,
                                         const Prediction& scenario, ReplayMeter& meter);

}  // namespace stepsim::scenarios

#endif
