#ifndef STEPSIM_TESTS_SIM_DAG_MAKER_H
#define STEPSIM_TESTS_SIM_DAG_MAKER_H

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "model/job/dag_builder.h"

namespace stepsim::testing {

/// Makes dags by hand with little code. Ids are those of the builder until build(); new_id() maps them to those of the
/// dag.
class DagMaker {
 public:
  LaneId lane(Rank rank, LaneOrder order = LaneOrder::kEdges, std::string name = "lane") {
    return builder.add_lane({.name = std::move(name), .rank = rank, .order = order});
  }

  TaskId task(LaneId lane, std::int64_t nanoseconds, std::initializer_list<TaskId> after = {}, std::string name = "",
              TaskKind kind = TaskKind::kHost) {
    if (name.empty()) name = "task " + std::to_string(builder.task_count());
    const TaskId id =
        builder.add_task({.kind = kind, .name = builder.intern(name), .lane = lane, .duration = Duration{nanoseconds}});
    for (const TaskId before : after) builder.add_edge(before, id, EdgeKind::kData);
    return id;
  }

  void rendezvous(std::initializer_list<TaskId> members) {
    const RendezvousId id = builder.add_rendezvous();
    for (const TaskId member : members) builder.join(id, member);
  }

  /// Returns the dag and leaves the maker empty. After this, new_id() maps the ids that task() returned.
  Dag build() {
    DagBuilder::Result result = std::move(builder).build();
    new_ids = std::move(result.new_id);
    return std::move(result.dag);
  }

  [[nodiscard]] TaskId new_id(TaskId old) const { return new_ids[old.index()]; }

  DagBuilder builder;
  std::vector<TaskId> new_ids;
};

}  // namespace stepsim::testing

#endif
