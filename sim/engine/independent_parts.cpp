#include "sim/engine/replays.h"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <map>
#include <numeric>

namespace stepsim::sim {
namespace {

/// Lanes that belong together. Whole lanes: nobody gains from splitting one.
class LaneSets {
 public:
  LaneSets(const Dag& dag, const Machine& machine)
      : links_(dag.lanes().size()), endpoints_(links_ + links_of(machine)), sets_(endpoints_ + endpoints_of(machine)) {
    join_edges(dag);
    join_collectives(dag, machine);
    if (contended(machine)) join_links(dag, machine.cluster());
  }

  [[nodiscard]] std::size_t set_of(LaneId lane) { return sets_.find_set(lane.index()); }
  /// All lanes belong together: nothing more is to be looked at.
  [[nodiscard]] bool is_one() const noexcept { return lanes_apart_ <= 1; }

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

  /// Where messages hold each other up, a collective may do so on any link.
  void join_collectives(const Dag& dag, const Machine& machine) {
    LaneId on_links{};  // of one that sends: the links are joined to it, and so are the others that do
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
    --lanes_apart_;
  }

  // Nodes are numbered: lanes, links, endpoints.
  std::size_t links_;                 ///< number of the first link
  std::size_t endpoints_;             ///< of the first endpoint
  std::size_t lanes_apart_ = links_;  ///< sets of lanes, as far as joined lane to lane
  boost::disjoint_sets_with_storage<> sets_;
};

}  // namespace

std::vector<std::vector<TaskId>> deal_parts(const Dag& dag, const Machine& machine, std::span<const TaskId> sources,
                                            std::size_t most) {
  LaneSets sets{dag, machine};
  if (sets.is_one()) return {{sources.begin(), sources.end()}};
  std::map<std::size_t, std::size_t> tasks;  // by set
  for (const TaskId task : dag.tasks()) ++tasks[sets.set_of(dag.lane_id(task))];
  std::map<std::size_t, std::size_t> part_of;  // by set
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
