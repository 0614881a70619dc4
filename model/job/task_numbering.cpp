#include "model/job/task_numbering.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace stepsim {
namespace {

using Index = std::uint32_t;
constexpr Index kNoTask = std::numeric_limits<Index>::max();

EdgesBySource sort_by_source(std::span<const DagBuilder::Edge> edges, std::size_t tasks) {
  EdgesBySource sorted{std::vector<Index>(tasks + 1), std::vector<Index>(edges.size())};
  for (const DagBuilder::Edge& edge : edges) ++sorted.begin[edge.from.index()];
  std::partial_sum(sorted.begin.begin(), sorted.begin.end(), sorted.begin.begin());
  for (std::size_t i = edges.size(); i-- > 0;) {
    sorted.edge[--sorted.begin[edges[i].from.index()]] = static_cast<Index>(i);
  }
  return sorted;
}

}  // namespace

TaskNumbering::TaskNumbering(std::span<const TaskSpec> tasks, std::span<const DagBuilder::Edge> edges,
                             std::span<const std::vector<TaskId>> rendezvous)
    : tasks_(tasks), edges_(edges), rendezvous_(rendezvous), out_(sort_by_source(edges, tasks.size())) {}

bool TaskNumbering::is_in_order() const {
  return rendezvous_.empty() &&
         std::all_of(edges_.begin(), edges_.end(), [](const DagBuilder::Edge& edge) { return edge.from < edge.to; }) &&
         std::is_sorted(tasks_.begin(), tasks_.end(),
                        [](const TaskSpec& a, const TaskSpec& b) { return a.hint < b.hint; });
}

bool TaskNumbering::run() {
  if (is_in_order()) {
    order_.resize(tasks_.size());
    std::iota(order_.begin(), order_.end(), Index{0});
  } else {
    visit();
  }
  if (order_.size() < tasks_.size()) return false;
  waiting_for_ = std::vector<Index>{};
  rendezvous_of_ = std::vector<Index>{};
  return true;
}

void TaskNumbering::visit() {
  waiting_for_.resize(tasks_.size());
  for (const DagBuilder::Edge& edge : edges_) ++waiting_for_[edge.to.index()];
  rendezvous_of_.resize(tasks_.size(), kNoTask);
  absent_.resize(rendezvous_.size());
  for (std::size_t r = 0; r < rendezvous_.size(); ++r) {
    absent_[r] = static_cast<Index>(rendezvous_[r].size());
    for (const TaskId member : rendezvous_[r]) rendezvous_of_[member.index()] = static_cast<Index>(r);
  }
  met_.resize(tasks_.size());
  order_.reserve(tasks_.size());
  for (Index task = 0; task < tasks_.size(); ++task) {
    if (waiting_for_[task] == 0) push(task);
  }
  while (!ready_.empty()) {
    const Index task = ready_.top().second;
    ready_.pop();
    order_.push_back(task);
    met_[task] = true;
    meet(task);
  }
}

std::vector<TaskId> TaskNumbering::cycle() const {
  const std::vector<Index> blocker = blockers();
  std::vector<bool> seen(tasks_.size());
  Index task = first_unmet();
  while (!seen[task]) {
    seen[task] = true;
    task = blocker[task];
  }
  std::vector<TaskId> backwards;
  const Index start = task;
  do {
    backwards.emplace_back(task);
    task = blocker[task];
  } while (task != start);
  std::reverse(backwards.begin(), backwards.end());
  std::rotate(backwards.begin(), std::min_element(backwards.begin(), backwards.end()), backwards.end());
  return backwards;
}

[[gnu::always_inline]] inline void TaskNumbering::release_successors(Index task) {
  for (Index i = out_.begin[task]; i < out_.begin[task + 1]; ++i) {
    const auto next = static_cast<Index>(edges_[out_.edge[i]].to.index());
    if (--waiting_for_[next] == 0) push(next);
  }
}

void TaskNumbering::meet(Index task) {
  const Index rendezvous = rendezvous_of_[task];
  if (rendezvous == kNoTask) return release_successors(task);
  if (--absent_[rendezvous] > 0) return;
  for (const TaskId member : rendezvous_[rendezvous]) release_successors(static_cast<Index>(member.index()));
}

bool TaskNumbering::can_end(Index task) const {
  const Index rendezvous = rendezvous_of_[task];
  return met_[task] && (rendezvous == kNoTask || absent_[rendezvous] == 0);
}

Index TaskNumbering::first_unmet() const {
  return static_cast<Index>(std::find(met_.begin(), met_.end(), false) - met_.begin());
}

/// Returns, for each task that cannot end, a task that it waits for and that cannot end either. This is a predecessor
/// or, for a visited member of a rendezvous, the first member that was not visited.
std::vector<Index> TaskNumbering::blockers() const {
  std::vector<Index> blocker(tasks_.size(), kNoTask);
  for (const DagBuilder::Edge& edge : edges_) {
    const auto from = static_cast<Index>(edge.from.index());
    Index& of_target = blocker[edge.to.index()];
    if (of_target == kNoTask && !met_[edge.to.index()] && !can_end(from)) of_target = from;
  }
  for (const std::vector<TaskId>& members : rendezvous_) {
    const auto unmet = std::find_if(members.begin(), members.end(), [&](TaskId task) { return !met_[task.index()]; });
    if (unmet == members.end()) continue;
    for (const TaskId member : members) {
      if (met_[member.index()]) blocker[member.index()] = static_cast<Index>(unmet->index());
    }
  }
  return blocker;
}

}  // namespace stepsim
