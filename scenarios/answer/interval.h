#ifndef STEPSIM_SCENARIOS_ANSWER_INTERVAL_H
#define STEPSIM_SCENARIOS_ANSWER_INTERVAL_H

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/answer/predict.h"
#include "scenarios/answer/replay_meter.h"

namespace stepsim::scenarios {

/// One reason why an answer is a range, and the range that it alone would give.
struct IntervalSource {
  std::string_view name;  ///< "steps", "sharing", "drift", "transfers", "copies", "device", "missing ranks", ...
  std::string reason;     ///< a sentence without its full stop
  Duration low{};         ///< low <= the prediction <= high
  Duration high{};
};

/// The range of an iteration's time, and why it is a range.
struct AnswerInterval {
  Duration low{};
  Duration high{};
  std::vector<IntervalSource> sources;  ///< those that apply; a source without effect has no width
};

/// How far to trust a prediction. Each source is computed by itself (docs/fidelity.md, "Intervals"):
///
/// * steps: predicted steps may differ from the median of their rank as much as captured steps do.
/// * sharing: senders on one link are predicted to take turns message by message, but TCP may serve one sender until it
///   has nothing left. Replays in which senders keep their turn and share fairly, half and serially. Only under a
///   model that shares links, and only if the plan does not say how.
/// * drift: workers of a parameter-server job are predicted to begin apart, because real workers drift apart. A replay
///   in which they begin together.
/// * transfers: of transfers with only a recorded time, all of it was bandwidth (as predicted) or none of it. A replay.
/// * copies: workers that were not captured may be like the fastest or the slowest captured one. Replays.
/// * device: on measured pairs of devices roofline is off by up to 4.5 % with shapes and by 7.2 % without. Replays in
///   which everything that it changed takes twice that less, or more.
/// * missing ranks, unexplained waits: time that is kept as recorded, because its cause is unknown, may change as
///   everything else does. No width if the scenario changes nothing.
///
/// A replay with another sharing or beginning is left out if the capture contradicts it: if it predicts the captured
/// iteration worse, by more than captured steps differ and by more than 3 %, the usual error of a correct model.
/// Sources are independent, so their factors multiply. `baseline` and `scenario` are what `predictor` made of its
/// plan() and of `plan`. Takes at most twelve more replays. Throws what predict() throws.
[[nodiscard]] AnswerInterval interval_of(Predictor& predictor, const Plan& plan, const Prediction& baseline,
                                         const Prediction& scenario, ReplayMeter& meter);

}  // namespace stepsim::scenarios

#endif
