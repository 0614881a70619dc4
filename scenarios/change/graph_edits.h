#ifndef STEPSIM_SCENARIOS_CHANGE_GRAPH_EDITS_H
#define STEPSIM_SCENARIOS_CHANGE_GRAPH_EDITS_H

#include <functional>
#include <map>
#include <vector>

#include "model/rewrite/capture_edit.h"

namespace stepsim::scenarios {

/// Finds lanes for tasks that are added next to existing ones. beside(lane) is `lane` itself if its tasks do not queue
/// and are not messages. Otherwise it is an additional lane of the same rank, which is created at the first call.
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

/// Returns the capture without `tasks` (ascending). Tasks that waited for a removed task wait for its predecessors
/// instead, with the sum of both delays. A removed task is replaced by a task of zero duration if it begins a step or
/// returns credit, or if the number of edges would grow much: if it has several predecessors and several successors, or
/// more than 64 predecessors. O(tasks + edges) for a bounded number of predecessors.
[[nodiscard]] Capture without(const Capture& capture, const std::vector<TaskId>& tasks);

/// Returns the capture with other payloads: multiplies the bytes of the collectives for which `selected` is true, and
/// of their members' tasks, by `factor`. A payload stays at least one byte. Precondition: factor > 0.
[[nodiscard]] Capture with_payloads(const Capture& capture, const std::function<bool(const Collective&)>& selected,
                                    double factor);

}  // namespace stepsim::scenarios

#endif
