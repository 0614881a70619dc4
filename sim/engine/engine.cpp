#include "sim/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/pending/disjoint_sets.hpp>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "model/base/side_by_side.h"
#include "model/base/tbb_threads.h"
#include "model/base/text.h"
#include "sim/engine/replay_state.h"
#include "sim/engine/replays.h"

namespace stepsim::sim {
namespace {

/// True for a task that cannot end although its predecessors have: a collective member that waits for others, or a
/// queued task.
bool is_stuck(const ReplayState& state, TaskId task) { return state.timeline.finish[task.index()] == waits_for(0); }

[[noreturn]] void report_deadlock(const ReplayState& state) {
  constexpr std::size_t kNamed = 4;
  std::string names;
  std::size_t named = 0;
  for (std::size_t i = 0; i < state.dag.task_count() && named < kNamed; ++i) {
    if (!is_stuck(state, TaskId{i})) continue;
    const Lane& lane = state.dag.lane(TaskId{i});
    ++named;
    add_item(names, fmt::format("{} on {} of rank {}", shown(state.dag.name(TaskId{i})), shown(lane.name), lane.rank));
  }
  throw DeadlockError("tasks wait for each other's lanes or credit and none can go on: " + names);
}

/// Replays unconnected parts of the job in parallel.
Timeline replay_parts(const Dag& dag, const Machine& machine, const EngineOptions& options) {
  ReplayState state{dag, machine, options};
  std::vector<std::vector<TaskId>> parts{state.sources};
  if (may_split(dag, options)) {
    parts = deal_parts(dag, machine, state.sources, static_cast<std::size_t>(options.threads));
  }
  std::atomic<std::size_t> done{0};
  const auto run = [&](std::size_t part) { done += replay_events(state, parts[part], part == 0); };
  side_by_side(options.threads, parts.size(), run);
  if (done != dag.task_count()) report_deadlock(state);
  return std::move(state.timeline);
}

/// Groups of lanes that must be replayed together. Lanes are never split.
class LaneSets {
 public:
  LaneSets(const Dag& dag, const Machine& machine)
      : links_(dag.lanes().size()), endpoints_(links_ + links_of(machine)), sets_(endpoints_ + endpoints_of(machine)) {
    join_edges(dag);
    join_collectives(dag, machine);
    if (contended(machine)) join_links(dag, machine.cluster());
  }

  [[nodiscard]] std::size_t set_of(LaneId lane) { return sets_.find_set(lane.index()); }
  /// True if all lanes are in one group, so that nothing more needs to be joined.
  [[nodiscard]] bool is_one() const noexcept { return lane_groups_ <= 1; }

 private:
  static bool contended(const Machine& machine) {
    return machine.network() != nullptr && !machine.network()->independent;
  }
  static std::size_t links_of(const Machine& machine) {
    return contended(machine) ? machine.cluster().links.size() : 0;
  }
  static std::size_t endpoints_of(const Machine& machine) {
    return contended(machine) ? machine.cluster().endpoints.size() : 0;
  }

  void join_edges(const Dag& dag) {
    for (std::size_t i = 0; i < dag.task_count() && !is_one(); ++i) {
      for (const TaskId next : dag.successors(TaskId{i})) join(dag.lane_id(TaskId{i}), dag.lane_id(next));
      const TaskId taker = dag.returns_credit_of(TaskId{i});
      if (taker.valid()) join(dag.lane_id(TaskId{i}), dag.lane_id(taker));
    }
  }

  /// Joins lanes of collectives. If messages delay each other, a collective may delay messages on any link.
  void join_collectives(const Dag& dag, const Machine& machine) {
    // A lane of the first collective that sends messages. All links and the lanes of all such collectives are joined
    // with it.
    LaneId on_links{};
    for (const RendezvousId rendezvous : dag.all_rendezvous()) {
      const auto members = dag.members(rendezvous);
      if (members.empty()) continue;
      const LaneId first = dag.lane_id(members.front());
      for (const TaskId member : members) join(first, dag.lane_id(member));
      if (!contended(machine) || dag.collective(rendezvous).op == CollectiveOp::kUnknown) continue;
      if (on_links.valid()) {
        join(on_links, first);
        continue;
      }
      on_links = first;
      const std::size_t end = endpoints_ + endpoints_of(machine);
      for (std::size_t node = links_; node < end; ++node) sets_.union_set(first.index(), node);
    }
  }

  void join_links(const Dag& dag, const Cluster& cluster) {
    for (std::size_t i = 0; i < dag.lanes().size(); ++i) {
      const Lane& lane = dag.lane(LaneId{i});
      if (!lane.is_link()) continue;
      for (const EndpointId endpoint : {lane.from, lane.to}) sets_.union_set(i, endpoints_ + endpoint.index());
      const auto route = cluster.route(lane.from, lane.to);
      for (const LinkId link : route.value_or(Route{})) sets_.union_set(i, links_ + link.index());
    }
  }

  void join(LaneId a, LaneId b) {
    if (a == b || sets_.find_set(a.index()) == sets_.find_set(b.index())) return;
    sets_.union_set(a.index(), b.index());
    --lane_groups_;
  }

  // Nodes of sets_ are numbered: first lanes, then links, then endpoints.
  std::size_t links_;                 ///< number of the first link
  std::size_t endpoints_;             ///< number of the first endpoint
  std::size_t lane_groups_ = links_;  ///< number of lane groups; joins through links and endpoints are not counted
  boost::disjoint_sets_with_storage<> sets_;
};

}  // namespace

Timeline replay(const Dag& dag, const Machine& machine, const EngineOptions& options) {
  return is_dataflow(dag, machine) ? replay_dataflow(dag, machine, options) : replay_parts(dag, machine, options);
}

class Rounds::Impl {
 public:
  explicit Impl(int threads) {
    HandOver::give();
    helpers_.emplace(threads, help_);
  }

  ~Impl() {
    over_.store(true, std::memory_order_release);
    helpers_.reset();
    static_cast<void>(gone_.load(std::memory_order_acquire));
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void run(std::size_t count, const std::function<void(std::size_t)>& work) {
    work_ = &work;
    left_.store(count, std::memory_order_relaxed);
    // The release makes the previous rounds' writes visible to every thread that reads `next_`.
    next_.store(count, std::memory_order_release);
    while (take_piece()) {
    }
    while (left_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  void help() {
    while (!over_.load(std::memory_order_acquire)) {
      if (!take_piece()) std::this_thread::yield();
    }
    gone_.fetch_add(1, std::memory_order_release);
  }

  /// Makes one of the round's calls, the highest number first. Returns false if no call is left.
  bool take_piece() {
    std::size_t pieces = next_.load(std::memory_order_acquire);
    do {
      if (pieces == 0) return false;
    } while (!next_.compare_exchange_weak(pieces, pieces - 1, std::memory_order_acquire));
    try {
      (*work_)(pieces - 1);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
    }
    left_.fetch_sub(1, std::memory_order_release);
    return true;
  }

  const std::function<void()> help_ = [this] {
    HandOver::take();
    help();
  };
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::atomic<std::size_t> next_{0};  ///< number of calls that no thread has taken
  std::atomic<std::size_t> left_{0};  ///< number of calls that have not ended
  std::atomic<bool> over_{false};
  std::mutex mutex_;  ///< protects error_
  std::exception_ptr error_;
  std::atomic<int> gone_{0};  ///< number of helpers that have ended
  std::optional<TbbHelpers> helpers_;
};

Rounds::Rounds(int threads) : impl_(std::make_unique<Impl>(threads)) {}
Rounds::~Rounds() = default;

void Rounds::run(std::size_t count, const std::function<void(std::size_t)>& work) { impl_->run(count, work); }

std::vector<std::vector<TaskId>> deal_parts(const Dag& dag, const Machine& machine, std::span<const TaskId> sources,
                                            std::size_t most) {
  LaneSets sets{dag, machine};
  if (sets.is_one()) return {{sources.begin(), sources.end()}};
  std::map<std::size_t, std::size_t> tasks;  // indexed by set
  for (const TaskId task : dag.tasks()) ++tasks[sets.set_of(dag.lane_id(task))];
  std::map<std::size_t, std::size_t> part_of;  // indexed by set
  std::vector<std::size_t> load(std::min(most, tasks.size()));
  for (const auto& [set, count] : tasks) {
    const auto lightest = std::min_element(load.begin(), load.end());
    *lightest += count;
    part_of[set] = static_cast<std::size_t>(lightest - load.begin());
  }
  std::vector<std::vector<TaskId>> parts(load.size());
  for (const TaskId source : sources) parts[part_of.at(sets.set_of(dag.lane_id(source)))].push_back(source);
  return parts;
}

}  // namespace stepsim::sim
