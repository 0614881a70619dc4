#ifndef STEPSIM_SCENARIOS_CHANGE_GRAPH_EDITS_H
#define STEPSIM_SCENARIOS_CHANGE_GRAPH_EDITS_H

#include <functional>
#include <map>
#include <vector>

#include "model/rewrite/capture_edit.h"

namespace stepsim::scenarios {

/// Finds lanes for new tasks beside those of a lane: the lane itself if its tasks neither queue nor are messages,
/// else one more lane of its rank.
class SideLanes {
 public:
  explicit SideLanes(DagBuilder& builder) : builder_(builder) {}
  [[nodiscard]] LaneId beside(LaneId lane);

 private:
  DagBuilder& builder_;
  std::map<LaneId, LaneId> made_;
};

/// By task, the index into Recording::steps of the step that it begins; -1 for most.
[[nodiscard]] std::vector<std::int32_t> steps_begun(const Capture& capture);

/// The capture without `tasks` (ascending). What waited for a removed task waits for what that task waited for,
/// with the lags on the way added. A removed task with several predecessors and several successors stays as a
/// point in time without a duration, so that edges do not multiply; so does one that begins a step or returns
/// credit. O(tasks + edges) unless such tasks form chains.
[[nodiscard]] Capture without(const Capture& capture, const std::vector<TaskId>& tasks);

/// The capture with `factor` times the bytes (at least one byte) in the collectives for which `selected` is true and
/// in their members' tasks. Precondition: factor > 0.
[[nodiscard]] Capture with_payloads(const Capture& capture, const std::function<bool(const Collective&)>& selected,
                                    double factor);

}  // namespace stepsim::scenarios

#endif
