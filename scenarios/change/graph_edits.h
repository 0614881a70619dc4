#ifndef STEPSIM_SCENARIOS_CHANGE_GRAPH_EDITS_H
#define STEPSIM_SCENARIOS_CHANGE_GRAPH_EDITS_H

#include <functional>
#include <map>
#include <vector>

#include "model/rewrite/capture_edit.h"

namespace stepsim::scenarios {

/// Finds the lane for a new task next to a task of another lane. The result is the other lane itself if its tasks
/// neither queue nor are messages; otherwise, it is an additional lane of the same rank.
class SideLanes {
 public:
  explicit SideLanes(DagBuilder& builder) : builder_(builder) {}
  [[nodiscard]] LaneId beside(LaneId lane);

 private:
  DagBuilder& builder_;
  std::map<LaneId, LaneId> made_;
};

/// Returns for each task the step that it begins, as an index into Recording::steps, or -1.
[[nodiscard]] std::vector<std::int32_t> steps_begun(const Capture& capture);

/// Returns the capture without `tasks` (ascending). Tasks that waited for a removed task wait for its predecessors,
/// with the lags added. A removed task is replaced by a task of zero duration if it has several predecessors and
/// several successors, so that edges do not multiply, or if it begins a step or returns credit. O(tasks + edges) unless
/// such tasks form chains.
[[nodiscard]] Capture without(const Capture& capture, const std::vector<TaskId>& tasks);

/// Multiplies the bytes of the collectives for which `selected` is true, and of their members' tasks, by `factor`, to
/// at least one byte. Precondition: factor > 0.
[[nodiscard]] Capture with_payloads(const Capture& capture, const std::function<bool(const Collective&)>& selected,
                                    double factor);

}  // namespace stepsim::scenarios

#endif
