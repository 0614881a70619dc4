#include <tuple>
#include <utility>

#include "model/job/dag_builder.h"

namespace stepsim {

std::vector<TaskId> DagBuilder::drop(const std::vector<bool>& dropped) {
  std::vector<TaskId> new_id(tasks_.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (dropped[i]) continue;
    tasks_[kept] = tasks_[i];
    new_id[i] = TaskId{kept++};
  }
  tasks_.resize(kept);

  for (Edge& edge : edges_)
    std::tie(edge.from, edge.to) = std::pair{new_id[edge.from.index()], new_id[edge.to.index()]};
  std::erase_if(edges_, [](const Edge& edge) { return !edge.from.valid() || !edge.to.valid(); });

  rendezvous_of_.clear();
  for (std::size_t r = 0; r < rendezvous_.size(); ++r) {
    for (TaskId& member : rendezvous_[r]) member = new_id[member.index()];
    std::erase_if(rendezvous_[r], [](TaskId member) { return !member.valid(); });
    for (const TaskId member : rendezvous_[r]) rendezvous_of_.emplace(member, RendezvousId{r});
  }
  const std::vector<TaskId> takers = std::exchange(returns_credit_of_, {});
  for (std::size_t i = 0; i < takers.size(); ++i) {
    const TaskId taker = takers[i].valid() ? new_id[takers[i].index()] : TaskId{};
    if (new_id[i].valid() && taker.valid()) return_credit(new_id[i], taker);
  }
  return new_id;
}

}  // namespace stepsim
