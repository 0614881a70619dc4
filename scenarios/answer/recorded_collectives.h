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

/// What collectives take where a network model that misses its own capture is trusted for changes only. Let R be the
/// recorded time of one, A what the model makes of it alone (sim/engine/collectives_alone.h), and A' the same after the
/// change. Then it takes
///
///     R + A' - A    if R > A: what the model does not explain stays, as other time that nothing explains
///     R A' / A      if R <= A
///
/// (Excess::kScales: always the latter, as if the excess were transfer too; for ranges.)
/// So a change that leaves network and collective as they were leaves its time to the nanosecond, and more bandwidth
/// never lengthens it. Those that were not captured, as of other buckets, take A' times the recorded times of captured
/// ones of their operation over the model's. What collectives do to each other on links stays as recorded.
class RecordedCollectives {
 public:
  /// `captured` ran on `cluster`. `captured` and `model` must outlive this. Precondition: model.make is not null.
  RecordedCollectives(const Capture& captured, const Cluster& cluster, const NetworkModel& model);

  /// Sets the durations of the parts of collectives in `graph`, which was made of the captured one and keeps its
  /// rendezvous ids. Those whose payload is not known stay. Throws what collectives_alone() throws.
  void set_durations(const Capture& graph, const Cluster& cluster, Excess excess,
                     std::vector<Duration>& durations) const;

 private:
  /// How recorded times relate to the model's, of some collectives together.
  struct Total {
    double recorded = 0;
    double modelled = 0;
    void add(Duration of_recording, Duration of_model) noexcept;
    [[nodiscard]] double ratio() const noexcept { return modelled > 0 ? recorded / modelled : 1; }
  };

  [[nodiscard]] double ratio_of(CollectiveOp op) const;

  const NetworkModel& model_;
  std::vector<Duration> alone_;  ///< by RendezvousId of the capture
  std::map<CollectiveOp, Total> by_op_;
  Total all_;
};

}  // namespace stepsim::scenarios

#endif
