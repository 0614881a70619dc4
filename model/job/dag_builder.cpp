#include "model/job/dag_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/job/dag.h"
#include "model/job/task_numbering.h"
#include "model/wire/text_hash.h"

namespace stepsim {
namespace {

using Index = std::uint32_t;

constexpr Index kFreeSlot = 0xFFFFFFFFU;
constexpr std::string_view kRemedy = "fewer ranks (--ranks), or a capture of fewer steps";

/// Returns the cycle as text: "a -> b -> a". For a long cycle, names the first eight tasks and counts the others.
std::string describe(std::span<const TaskId> cycle, const DagBuilder& builder) {
  constexpr std::size_t kNamed = 8;
  const auto name = [&](TaskId task) { return shown(builder.name(builder.task(task).name), 80); };
  std::string text = "the dependencies form a cycle: ";
  for (const TaskId task : cycle.first(std::min(cycle.size(), kNamed))) text += name(task) + " -> ";
  if (cycle.size() > kNamed) text += fmt::format("({} more) -> ", cycle.size() - kNamed);
  return text + name(cycle.front());
}

}  // namespace

/// Fills the columns of a Dag from a builder, in the order of a numbering. Frees each part of the builder after copying
/// it, so that the peak memory is that of a builder and its Dag.
class DagBuilder::Layout {
 public:
  Layout(DagBuilder& builder, const TaskNumbering& numbering)
      : builder_(builder), order_(numbering.order()), out_(numbering.edges_by_source()), new_id_(order_.size()) {
    for (Index i = 0; i < order_.size(); ++i) new_id_[order_[i]] = TaskId{i};
    add_tasks();
    builder_.tasks_ = std::vector<TaskSpec>{};
    add_edges();
    builder_.edges_ = std::vector<Edge>{};
    add_rendezvous();
    add_credits();
  }

  /// Returns the Dag and leaves this object empty.
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
  }

  void add_edges() {
    dag_.edge_begin_.reserve(order_.size() + 1);
    dag_.in_degree_.resize(order_.size());
    const bool any_lag =
        std::any_of(builder_.edges_.begin(), builder_.edges_.end(), [](const Edge& e) { return e.lag != Duration{}; });
    dag_.target_.reserve(out_.edge.size());
    dag_.edge_kind_.reserve(out_.edge.size());
    if (any_lag) dag_.lag_.reserve(out_.edge.size());
    std::vector<std::pair<TaskId, Index>> by_target;  // outgoing edges by target; reused for all tasks
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

  /// Appends the edges of one task; edges to the same target are merged.
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
    dag_.groups_ = builder_.groups_;
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

  DagBuilder& builder_;
  const std::vector<Index>& order_;
  const EdgesBySource& out_;
  std::vector<TaskId> new_id_;
  Dag dag_;
};

void check_task_count(std::size_t tasks, const InputLocation& where) {
  if (tasks <= Dag::kMostTasks) return;
  throw InputError(where,
                   fmt::format("the job has {} tasks; expected at most {}: {}", tasks, Dag::kMostTasks, kRemedy));
}

LaneId DagBuilder::add_lane(Lane lane) {
  lanes_.push_back(std::move(lane));
  return LaneId{lanes_.size() - 1};
}

std::uint32_t& DagBuilder::slot_of(std::string_view name) noexcept {
  const std::size_t mask = name_slots_.size() - 1;
  std::size_t at = hash_of(name) & mask;
  while (name_slots_[at] != kFreeSlot && names_[name_slots_[at]] != name) at = (at + 1) & mask;
  return name_slots_[at];
}

void DagBuilder::grow_name_slots() {
  constexpr std::size_t kFirstSlots = 64;
  const std::size_t slots = std::max(kFirstSlots, std::bit_ceil(names_.size() * 4));
  name_slots_ = std::vector<Index>{};  // freed before the larger table is allocated; "= {}" would keep the memory
  name_slots_.resize(slots, kFreeSlot);
  for (Index id = 0; id < names_.size(); ++id) slot_of(names_[id]) = id;
}

NameId DagBuilder::intern(std::string_view name) {
  if (names_.size() * 2 >= name_slots_.size()) grow_name_slots();
  std::uint32_t& slot = slot_of(name);
  if (slot == kFreeSlot) {
    names_.emplace_back(name);
    slot = static_cast<Index>(names_.size() - 1);
  }
  return NameId{slot};
}

NameId DagBuilder::add_name(std::string name) {
  name_slots_.clear();
  names_.push_back(std::move(name));
  return NameId{names_.size() - 1};
}

void DagBuilder::reserve(std::size_t tasks, std::size_t edges) {
  tasks_.reserve(tasks);
  edges_.reserve(edges);
}

TaskId DagBuilder::add_task(const TaskSpec& task) {
  STEPSIM_ASSERT(task.name.valid() && task.name.index() < names_.size(), "a task's name is interned first");
  STEPSIM_ASSERT(task.lane.valid() && task.lane.index() < lanes_.size(), "a task's lane is added first");
  STEPSIM_ASSERT(task.duration.count() >= 0 && task.bytes.count() >= 0, "a task takes no negative time or bytes");
  if (tasks_.size() == Dag::kMostTasks) check_task_count(tasks_.size() + 1);
  tasks_.push_back(task);
  return TaskId{tasks_.size() - 1};
}

void DagBuilder::add_edge(TaskId from, TaskId to, EdgeKind kind, Duration lag) {
  STEPSIM_ASSERT(from.index() < tasks_.size() && to.index() < tasks_.size(), "an edge joins tasks that exist");
  STEPSIM_ASSERT(lag.count() >= 0, "an edge's lag is not negative");
  edges_.push_back(Edge{from, to, kind, lag});
}

GroupId DagBuilder::add_group(Group group) {
  groups_.push_back(std::move(group));
  return GroupId{groups_.size() - 1};
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

DagBuilder::Result DagBuilder::build() && {
  if (edges_.size() > Dag::kMostEdges) {
    throw InputError({}, fmt::format("the job has {} dependencies; expected at most {}: {}", edges_.size(),
                                     Dag::kMostEdges, kRemedy));
  }
  for (const Edge& edge : edges_) {
    STEPSIM_ASSERT(edge.from.index() < tasks_.size() && edge.to.index() < tasks_.size() && edge.lag.count() >= 0,
                   "edges() was left with an edge that add_edge would refuse");
  }
  TaskNumbering numbering{tasks_, edges_, rendezvous_};
  if (!numbering.run()) {
    std::vector<TaskId> cycle = numbering.cycle();
    const std::string what = describe(cycle, *this);
    throw CycleError(what, std::move(cycle));
  }
  name_slots_ = std::vector<Index>{};  // names are not looked up any more
  Result result = Layout{*this, numbering}.take();
  result.dag.names_ = std::move(names_);
  result.dag.lanes_ = std::move(lanes_);
  result.dag.lanes_.shrink_to_fit();
  *this = DagBuilder{};
  return result;
}

std::span<const TaskId> Dag::members(RendezvousId id) const noexcept {
  const std::uint32_t begin = rendezvous_begin_[id.index()];
  return {rendezvous_member_.data() + begin, rendezvous_begin_[id.index() + 1] - begin};
}

std::map<Rank, std::string> hosts_of_ranks(const Dag& dag) {
  std::map<Rank, std::string> hosts;
  for (const Lane& lane : dag.lanes()) {
    if (lane.kind != LaneKind::kServerThread) hosts.try_emplace(lane.rank, lane.host);
  }
  return hosts;
}

}  // namespace stepsim
