#include "scenarios/answer/concurrent_collectives.h"

#include <map>
#include <vector>

#include "sim/analysis/activity.h"

namespace stepsim::scenarios {

PooledCollectives pooled_collectives(const Dag& dag, const sim::Timeline& timeline) {
  std::map<LaneId, std::vector<sim::Interval>> pools;
  Duration together{};
  for (const TaskId task : dag.tasks()) {
    if (!dag.rendezvous(task).valid() || dag.lane(task).order != LaneOrder::kFifo) continue;
    pools[dag.lane_id(task)].push_back(sim::own_work(dag, timeline, task));
    together = sim::saturated_sum(together, sim::own_time(dag, timeline, task));
  }
  PooledCollectives pooled;
  for (auto& [lane, runs] : pools) pooled.busy = sim::saturated_sum(pooled.busy, sim::union_length(runs));
  pooled.concurrent = together - pooled.busy;
  return pooled;
}

}  // namespace stepsim::scenarios
