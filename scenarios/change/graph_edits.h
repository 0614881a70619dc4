#ifndef STEPSIM_SCENARIOS_CHANGE_GRAPH_EDITS_H
#define STEPSIM_SCENARIOS_CHANGE_GRAPH_EDITS_H

#include <functional>
#include <map>
#include <vector>

#include "model/rewrite/capture_edit.h"

namespace stepsim::scenarios {

/// Lanes for tasks that stand beside those of a lane: the lane itself if tasks on it neither
/// queue nor are messages, else one more of its rank.
class SideLanes {
 public:
  explicit SideLanes(DagBuilder& builder) : builder_(builder) {}
  [[nodiscard]] LaneId beside(LaneId lane);

 private:
  DagBuilder& builder_;
  std::map<LaneId, LaneId> made_;
};

/// For every task the index into Recording::steps of the step that it begins, -1 for most.
[[nodiscard]] std::vector<std::int32_t> steps_begun(const Capture& capture);

/// The capture without `tasks` (ascending): what waited for one of them waits for what that
/// waited for, the lags on the way added. One that several wait for and that waits for several,
/// begins a step or gives credit back stays as a point in time, without a duration, so that
/// edges do not multiply. O(tasks + edges) but for chains of such tasks.
[[nodiscard]] Capture without(const Capture& capture, const std::vector<TaskId>& tasks);

/// The capture with `factor` times the bytes, at least one, in collectives that `meant` is true of and
/// in their members' tasks. Precondition: factor > 0.
[[nodiscard]] Capture with_payloads(const Capture& capture, const std::function<bool(const Collective&)>& meant,
                                    double factor);

}  // namespace stepsim::scenarios

#endif
