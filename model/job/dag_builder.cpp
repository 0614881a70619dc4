#include "model/job/dag_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim {
namespace {

using Index = std::uint32_t;
constexpr Index kNoTask = std::numeric_limits<Index>::max();
// A timeline marks tasks with one bit more than an id, and CSR offsets are 32 bits.
constexpr std::size_t kMostTasks = std::numeric_limits<Index>::max() / 2;
constexpr std::size_t kMostEdges = std::numeric_limits<Index>::max() - 1;

/// Edges by their source: those of task t are edge[begin[t]] .. edge[begin[t + 1]], in the
/// order in which they were added.
struct BySource {
  std::vector<Index> begin;
  std::vector<Index> edge;
};

BySource sort_by_source(std::span<const DagBuilder::Edge> edges, std::size_t tasks) {
  BySource sorted{std::vector<Index>(tasks + 1), std::vector<Index>(edges.size())};
  for (const DagBuilder::Edge& edge : edges) ++sorted.begin[edge.from.index()];
  std::partial_sum(sorted.begin.begin(), sorted.begin.end(), sorted.begin.begin());
  for (std::size_t i = edges.size(); i-- > 0;) {
    sorted.edge[--sorted.begin[edges[i].from.index()]] = static_cast<Index>(i);
  }
  return sorted;
}

/// Numbers tasks in the order in which Kahn's algorithm meets them, the earliest hint first.
/// A member of a rendezvous is met like any task, but holds its successors back until all of
/// its rendezvous are met: only then can it end.
class Numbering {
 public:
  Numbering(std::span<const TaskSpec> tasks, std::span<const DagBuilder::Edge> edges,
            std::span<const std::vector<TaskId>> rendezvous)
      : tasks_(tasks), edges_(edges), rendezvous_(rendezvous), out_(sort_by_source(edges, tasks.size())) {
    for (const DagBuilder::Edge& edge : edges_) ++waiting_for_[edge.to.index()];
    for (std::size_t r = 0; r < rendezvous_.size(); ++r) {
      absent_[r] = static_cast<Index>(rendezvous_[r].size());
      for (const TaskId member : rendezvous_[r]) rendezvous_of_[member.index()] = static_cast<Index>(r);
    }
    order_.reserve(tasks.size());
  }

  /// False if tasks are left that wait for each other.
  bool run() {
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
    return order_.size() == tasks_.size();
  }

  /// The tasks of one cycle, each waiting for the one before it. Precondition: run() was false.
  [[nodiscard]] std::vector<TaskId> cycle() const {
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

  [[nodiscard]] const std::vector<Index>& order() const noexcept { return order_; }
  [[nodiscard]] const BySource& edges_by_source() const noexcept { return out_; }

 private:
  void push(Index task) { ready_.emplace(tasks_[task].hint, task); }

  void meet(Index task) {
    const Index rendezvous = rendezvous_of_[task];
    if (rendezvous == kNoTask) return release_successors(task);
    if (--absent_[rendezvous] > 0) return;
    for (const TaskId member : rendezvous_[rendezvous]) release_successors(static_cast<Index>(member.index()));
  }

  void release_successors(Index task) {
    for (Index i = out_.begin[task]; i < out_.begin[task + 1]; ++i) {
      const auto next = static_cast<Index>(edges_[out_.edge[i]].to.index());
      if (--waiting_for_[next] == 0) push(next);
    }
  }

  [[nodiscard]] bool can_end(Index task) const {
    const Index rendezvous = rendezvous_of_[task];
    return met_[task] && (rendezvous == kNoTask || absent_[rendezvous] == 0);
  }

  [[nodiscard]] Index first_unmet() const {
    return static_cast<Index>(std::find(met_.begin(), met_.end(), false) - met_.begin());
  }

  /// For each task that cannot end, one that it waits for and that cannot end either: a
  /// predecessor, or for a member that was met, the first of its rendezvous that was not.
  [[nodiscard]] std::vector<Index> blockers() const {
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

  using Ready = std::pair<Time, Index>;

  std::span<const TaskSpec> tasks_;
  std::span<const DagBuilder::Edge> edges_;
  std::span<const std::vector<TaskId>> rendezvous_;
  BySource out_;
  std::vector<Index> waiting_for_ = std::vector<Index>(tasks_.size());
  std::vector<Index> rendezvous_of_ = std::vector<Index>(tasks_.size(), kNoTask);
  std::vector<Index> absent_ = std::vector<Index>(rendezvous_.size());
  std::vector<bool> met_ = std::vector<bool>(tasks_.size());
  std::vector<Index> order_;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
};

/// "a -> b -> a"; of a long cycle the first eight tasks and how many more there are.
std::string describe(std::span<const TaskId> cycle, const DagBuilder& builder) {
  constexpr std::size_t kNamed = 8;
  const auto name = [&](TaskId task) { return shown(builder.name(builder.task(task).name), 80); };
  std::string text = "the dependencies form a cycle: ";
  for (const TaskId task : cycle.first(std::min(cycle.size(), kNamed))) text += name(task) + " -> ";
  if (cycle.size() > kNamed) text += fmt::format("({} more) -> ", cycle.size() - kNamed);
  return text + name(cycle.front());
}

}  // namespace

/// Fills the columns of a Dag from a builder in the order of a numbering.
class DagBuilder::Layout {
 public:
  Layout(const DagBuilder& builder, const Numbering& numbering)
      : builder_(builder), order_(numbering.order()), out_(numbering.edges_by_source()), new_id_(order_.size()) {
    for (std::size_t i = 0; i < order_.size(); ++i) new_id_[order_[i]] = TaskId{i};
    add_tasks();
    add_edges();
    add_rendezvous();
    add_credits();
  }

  /// Leaves this empty.
  [[nodiscard]] Result take() { return {std::move(dag_), std::move(new_id_)}; }

 private:
  void add_tasks() {
    reserve_task_columns();
    bool any_bytes = false;
    bool any_priority = false;
    for (const Index old : order_) {
      const TaskSpec& task = builder_.tasks_[old];
      dag_.kind_.push_back(task.kind);
      dag_.name_.push_back(task.name);
      dag_.lane_.push_back(task.lane);
      dag_.duration_.push_back(task.duration);
      any_bytes = any_bytes || task.bytes.count() != 0;
      any_priority = any_priority || task.priority != 0;
    }
    if (any_bytes) {
      dag_.bytes_.reserve(order_.size());
      for (const Index old : order_) dag_.bytes_.push_back(builder_.tasks_[old].bytes);
    }
    if (any_priority) {
      dag_.priority_.reserve(order_.size());
      for (const Index old : order_) dag_.priority_.push_back(builder_.tasks_[old].priority);
    }
  }

  void reserve_task_columns() {
    dag_.kind_.reserve(order_.size());
    dag_.name_.reserve(order_.size());
    dag_.lane_.reserve(order_.size());
    dag_.duration_.reserve(order_.size());
    dag_.edge_begin_.reserve(order_.size() + 1);
    dag_.in_degree_.resize(order_.size());
  }

  void add_edges() {
    const bool any_lag =
        std::any_of(builder_.edges_.begin(), builder_.edges_.end(), [](const Edge& e) { return e.lag != Duration{}; });
    dag_.target_.reserve(out_.edge.size());
    dag_.edge_kind_.reserve(out_.edge.size());
    if (any_lag) dag_.lag_.reserve(out_.edge.size());
    std::vector<std::pair<TaskId, Index>> by_target;  // reused from task to task
    for (const Index old : order_) {
      dag_.edge_begin_.push_back(static_cast<Index>(dag_.target_.size()));
      by_target.clear();
      for (Index i = out_.begin[old]; i < out_.begin[old + 1]; ++i) {
        by_target.emplace_back(new_id_[builder_.edges_[out_.edge[i]].to.index()], out_.edge[i]);
      }
      std::sort(by_target.begin(), by_target.end());
      append_merged(by_target, any_lag);
    }
    dag_.edge_begin_.push_back(static_cast<Index>(dag_.target_.size()));
  }

  /// Appends the edges of one task; those to one target become one.
  void append_merged(std::span<const std::pair<TaskId, Index>> by_target, bool with_lag) {
    const std::size_t first = dag_.target_.size();
    for (const auto& [target, index] : by_target) {
      const Edge& edge = builder_.edges_[index];
      if (dag_.target_.size() > first && dag_.target_.back() == target) {
        const std::size_t last = dag_.target_.size() - 1;
        if (with_lag) dag_.lag_.set(last, std::max(dag_.lag_[last], edge.lag));
        continue;
      }
      dag_.target_.push_back(target);
      dag_.edge_kind_.push_back(edge.kind);
      if (with_lag) dag_.lag_.push_back(edge.lag);
      ++dag_.in_degree_[target.index()];
    }
  }

  void add_rendezvous() {
    if (builder_.rendezvous_.empty()) return;
    dag_.collectives_ = builder_.collectives_;
    dag_.rendezvous_.resize(order_.size());
    dag_.rendezvous_begin_.reserve(builder_.rendezvous_.size() + 1);
    dag_.rendezvous_begin_.push_back(0);
    for (std::size_t r = 0; r < builder_.rendezvous_.size(); ++r) {
      const auto first = static_cast<std::ptrdiff_t>(dag_.rendezvous_member_.size());
      for (const TaskId member : builder_.rendezvous_[r]) {
        dag_.rendezvous_member_.push_back(new_id_[member.index()]);
        dag_.rendezvous_[new_id_[member.index()].index()] = RendezvousId{r};
      }
      std::sort(dag_.rendezvous_member_.begin() + first, dag_.rendezvous_member_.end());
      dag_.rendezvous_begin_.push_back(static_cast<Index>(dag_.rendezvous_member_.size()));
    }
  }

  void add_credits() {
    if (builder_.returns_credit_of_.empty()) return;
    dag_.returns_credit_of_.resize(order_.size());
    for (std::size_t old = 0; old < builder_.returns_credit_of_.size(); ++old) {
      const TaskId taker = builder_.returns_credit_of_[old];
      if (taker.valid()) dag_.returns_credit_of_[new_id_[old].index()] = new_id_[taker.index()];
    }
  }

  const DagBuilder& builder_;
  const std::vector<Index>& order_;
  const BySource& out_;
  std::vector<TaskId> new_id_;
  Dag dag_;
};

LaneId DagBuilder::add_lane(Lane lane) {
  lanes_.push_back(std::move(lane));
  return LaneId{lanes_.size() - 1};
}

NameId DagBuilder::intern(std::string_view name) {
  if (const auto known = name_ids_.find(name); known != name_ids_.end()) return known->second;
  const NameId id{names_.size()};
  names_.emplace_back(name);
  name_ids_.emplace(name, id);
  return id;
}

TaskId DagBuilder::add_task(const TaskSpec& task) {
  STEPSIM_ASSERT(task.name.valid() && task.name.index() < names_.size(), "a task's name is interned first");
  STEPSIM_ASSERT(task.lane.valid() && task.lane.index() < lanes_.size(), "a task's lane is added first");
  STEPSIM_ASSERT(task.duration.count() >= 0 && task.bytes.count() >= 0, "a task takes no negative time or bytes");
  STEPSIM_ASSERT(tasks_.size() < kMostTasks, "task ids are 31 bits");
  tasks_.push_back(task);
  return TaskId{tasks_.size() - 1};
}

void DagBuilder::add_edge(TaskId from, TaskId to, EdgeKind kind, Duration lag) {
  STEPSIM_ASSERT(from.index() < tasks_.size() && to.index() < tasks_.size(), "an edge joins tasks that exist");
  STEPSIM_ASSERT(lag.count() >= 0, "an edge's lag is not negative");
  edges_.push_back(Edge{from, to, kind, lag});
}

RendezvousId DagBuilder::add_rendezvous(const Collective& collective) {
  collectives_.push_back(collective);
  rendezvous_.emplace_back();
  return RendezvousId{rendezvous_.size() - 1};
}

void DagBuilder::join(RendezvousId rendezvous, TaskId member) {
  STEPSIM_ASSERT(rendezvous.index() < rendezvous_.size() && member.index() < tasks_.size(), "both exist");
  STEPSIM_ASSERT(rendezvous_of_.emplace(member, rendezvous).second, "a task joins at most one rendezvous");
  rendezvous_[rendezvous.index()].push_back(member);
}

void DagBuilder::return_credit(TaskId task, TaskId taker) {
  STEPSIM_ASSERT(task.index() < tasks_.size() && taker.index() < tasks_.size(), "both exist");
  STEPSIM_ASSERT(!returns_credit_of(task).valid(), "a task gives back for one other at most");
  if (returns_credit_of_.size() <= task.index()) returns_credit_of_.resize(task.index() + 1);
  returns_credit_of_[task.index()] = taker;
}

RendezvousId DagBuilder::rendezvous(TaskId id) const noexcept {
  const auto found = rendezvous_of_.find(id);
  return found == rendezvous_of_.end() ? RendezvousId{} : found->second;
}

DagBuilder::Result DagBuilder::build() && {
  STEPSIM_ASSERT(edges_.size() <= kMostEdges, "edge ids are 32 bits");
  for (const Edge& edge : edges_) {
    STEPSIM_ASSERT(edge.from.index() < tasks_.size() && edge.to.index() < tasks_.size() && edge.lag.count() >= 0,
                   "edges() was left with an edge that add_edge would refuse");
  }
  Numbering numbering{tasks_, edges_, rendezvous_};
  if (!numbering.run()) {
    std::vector<TaskId> cycle = numbering.cycle();
    const std::string what = describe(cycle, *this);
    throw CycleError(what, std::move(cycle));
  }
  Result result = Layout{*this, numbering}.take();
  result.dag.names_ = std::move(names_);
  result.dag.lanes_ = std::move(lanes_);
  result.dag.lanes_.shrink_to_fit();
  *this = DagBuilder{};
  return result;
}

}  // namespace stepsim
