#ifndef STEPSIM_SCENARIOS_ANSWER_INTERVAL_H
#define STEPSIM_SCENARIOS_ANSWER_INTERVAL_H

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/answer/predict.h"

namespace stepsim::scenarios {

/// One reason why an answer is a range, and the range if it were the only one.
struct IntervalSource {
  std::string_view name;  ///< "steps", "sharing", "drift", "transfers", "copies", "device", "missing ranks", ...
  std::string reason;     ///< a sentence without its full stop
  Duration low{};         ///< low <= the prediction <= high
  Duration high{};
};

/// From when to when an iteration may take, and why.
struct AnswerInterval {
  Duration low{};
  Duration high{};
  std::vector<IntervalSource> sources;  ///< only those that apply; of no width where they turn out not to matter
};

/// How far to trust a prediction. Sources, each worked out by itself (docs/fidelity.md, "Intervals"):
///
/// * steps: captured steps lie between min and max about their rank's median; so may predicted ones.
/// * sharing: senders that meet on a link are predicted to take turns message by message, and TCP
///   may serve one until it has nothing left. Where the plan does not say, and under a model that
///   shares links, the range over fair, half and serial senders that keep their turn, by replay.
/// * drift: workers of a parameter-server job are predicted to begin apart, as jobs do whose
///   workers get into each other's way; the range to workers that begin together, by replay.
/// * transfers: where only their recorded time is known, from all of it being bandwidth, as
///   predicted, to none of it, by replay.
/// * copies: workers beyond the captured ones may be like the fastest or the slowest captured.
/// * device: on measured pairs of devices roofline is off by up to 4.5 % where shapes are known, 7.2 %
///   where they are not; what it changed may take twice that less or more, all of it, by replay.
/// * missing ranks, unexplained waits: what is kept as recorded for want of its cause may change as
///   all else does. So nothing where the scenario changes nothing.
///
/// A replay of another sharing or beginning is left out where the capture speaks against it: the
/// captured iteration is predicted worse under it, by more than captured steps differ and by more
/// than 3 %, the usual error of a right model.
/// Sources are independent, so their factors multiply. `baseline` and `scenario` are what `predictor`
/// made of its plan() and of `plan`. At most twelve replays more. Throws what predict() throws.
[[nodiscard]] AnswerInterval interval_of(Predictor& predictor, const Plan& plan, const Prediction& baseline,
                                         const Prediction& scenario, const sim::EngineOptions& options = {});

}  // namespace stepsim::scenarios

#endif
