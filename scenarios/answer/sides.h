#ifndef STEPSIM_SCENARIOS_ANSWER_SIDES_H
#define STEPSIM_SCENARIOS_ANSWER_SIDES_H

#include <optional>

#include "scenarios/change/plan.h"

namespace stepsim::scenarios {

/// Where in their ranges the values lie that the prediction of a plan rests on and that nobody knows exactly. A range
/// is made of replays that differ from the prediction in one of them. By default, all are as the prediction has them.
struct Sides {
  double device = 0;                 ///< of the times of device work (rescale()), from -1 to 1
  double profiler = 0;               ///< of the profiler's cost (ProfilerCosts): -1, 0 or 1
  double interference = 0;           ///< of the slowdown of kernels during communication: -1, 0 or 1
  double collectives = 0;            ///< of the times of NCCL's collectives (kCollectiveSide), from -1 to 1
  std::optional<double> sharing;     ///< how senders share a link (kSharing)
  bool senders_keep_turn = false;    ///< kSendersKeepTurn
  bool copies_end_together = false;  ///< sim::kCopiesEndTogether
  /// True if the collectives of a rank's thread pool run one at a time.
  bool collectives_in_turn = false;
  /// True if all workers of a parameter-server job begin at the same time, instead of being spread over an iteration.
  bool begins_together = false;
  /// True if the part of a recorded collective's time that the network model does not explain scales with the model's
  /// time; otherwise it stays constant, as unexplained time.
  bool unexplained_scales = false;
  bool transfers_stay = false;  ///< true if Plan::recorded_transfers has no effect
  RankSet ungrouped;            ///< ranks that may differ from their copies, besides Plan::ungrouped_ranks
  Plan::Rule durations;         ///< applied after all rules of the plan; empty if there is none
};

}  // namespace stepsim::scenarios

#endif
