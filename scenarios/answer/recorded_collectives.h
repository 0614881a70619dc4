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

/// Predicts durations of collectives from their recorded times. It is used if the network model predicts the captured
/// job badly; the model then only predicts how much a change affects a collective. Let R be the recorded time of a
/// collective, A the model's time for the collective alone (sim/engine/collectives_alone.h), and A' the model's time
/// after the change. The predicted duration is
///
///     R + A' - A    if R > A: the time that the model does not explain stays
///     R A' / A      if R <= A
///
/// With `unexplained_scales` (Sides), which is used for ranges, the second formula always applies, as if all of the
/// time were transfer. If neither the network nor the collective changes, the time therefore stays exactly the same,
/// and more bandwidth never increases it. A collective that was not captured, for example because the bucket size
/// changes, takes A' times the ratio of recorded to modelled time of the captured collectives of the same operation.
/// The time that concurrent collectives cost each other on links stays as recorded.
class RecordedCollectives {
 public:
  /// `captured` ran on `cluster`. `captured` and `model` must outlive this object. Precondition: model.make is not
  /// null.
  RecordedCollectives(const Capture& captured, const Cluster& cluster, const NetworkModel& model);

  /// Sets the durations of the collectives in `graph`; `durations` are indexed by TaskId. `graph` was derived from the
  /// captured graph and keeps the rendezvous ids of captured collectives. Collectives with unknown payload are not
  /// changed. Throws what collectives_alone() throws.
  void set_durations(const Capture& graph, const Cluster& cluster, bool unexplained_scales,
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
