#ifndef STEPSIM_SCENARIOS_ANSWER_RECORDED_COLLECTIVES_H
#define STEPSIM_SCENARIOS_ANSWER_RECORDED_COLLECTIVES_H

#include <map>
#include <vector>

#include "model/base/units.h"
#include "model/cost/network/network.h"
#include "model/job/cluster.h"
#include "model/job/recording.h"
#include "scenarios/change/plan.h"

namespace stepsim::scenarios {

/// Durations of collectives if a network model is wrong about its own capture, so that only its predictions of changes
/// are used. Let R be the recorded time of a collective, A the model's time for it alone
/// (sim/engine/collectives_alone.h), and A' the same after the change. The duration is
///
///     R + A' - A    if R > A: the time that the model does not explain stays
///     R A' / A      if R <= A
///
/// With Excess::kScales, which is used for ranges, the second formula always applies, as if all of the time were
/// transfer. If neither the network nor the collective changes, the time therefore stays exactly the same, and more
/// bandwidth never increases it. Collectives that were not captured, such as those of other buckets, take A' times the
/// ratio of recorded to modelled time of the captured ones of the same operation. Interference between collectives on
/// links stays as recorded.
class RecordedCollectives {
 public:
  /// `captured` ran on `cluster`. `captured` and `model` must outlive this object. Precondition: model.make is not
  /// null.
  RecordedCollectives(const Capture& captured, const Cluster& cluster, const NetworkModel& model);

  /// Sets the durations of collectives in `graph`, which was derived from the captured one and keeps its rendezvous
  /// ids. Collectives with unknown payload are not changed. Throws what collectives_alone() throws.
  void set_durations(const Capture& graph, const Cluster& cluster, Excess excess,
                     std::vector<Duration>& durations) const;

 private:
  /// Sums of the recorded and the modelled times of several collectives.
  struct Total {
    double recorded = 0;
    double modelled = 0;
    void add(Duration of_recording, Duration of_model) noexcept;
    [[nodiscard]] double ratio() const noexcept { return modelled > 0 ? recorded / modelled : 1; }
  };

  [[nodiscard]] double ratio_of(CollectiveOp op) const;

  const NetworkModel& model_;
  std::vector<Duration> alone_;  ///< indexed by RendezvousId of the capture
  std::map<CollectiveOp, Total> by_op_;
  Total all_;
};

}  // namespace stepsim::scenarios

#endif
