#include "sim/engine/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "model/base/error.h"
#include "model/job/group.h"

namespace stepsim::sim {

namespace {

[[noreturn]] void refuse_endpoint(const Cluster& cluster, std::int64_t endpoint) {
  throw UsageError(
      fmt::format("the cluster has {} endpoints, and endpoint {} of the job sends or receives; expected "
                  "one for each rank (or worker and server) of the job",
                  cluster.endpoints.size(), endpoint));
}

/// The routes that a job uses; each is checked once.
class CheckedRoutes {
 public:
  CheckedRoutes(const NetworkModel& model, const Cluster& cluster) : model_(model), cluster_(cluster) {}

  /// Throws UsageError if there is no route, or if it is too long for the model.
  void check(EndpointId from, EndpointId to) {
    const std::uint64_t key = std::uint64_t{from.value()} << 32U | to.value();
    if (!checked_.insert(key).second) return;
    for (const EndpointId endpoint : {from, to}) {
      if (endpoint.index() >= cluster_.endpoints.size()) refuse_endpoint(cluster_, endpoint.value());
    }
    const std::optional<Route> route = cluster_.route(from, to);
    if (!route) {
      throw UsageError(
          fmt::format("the cluster has no route from endpoint {} to {}, and the job sends over it; expected "
                      "links that join them",
                      from.index(), to.index()));
    }
    if (model_.sums_up_routes || route->size() <= kLongestRoute) return;
    throw UsageError(fmt::format(
        "the route from endpoint {} to {} has {} links, and --network {} follows messages from link to link; expected "
        "at most {}, or --network alpha_beta",
        from.index(), to.index(), route->size(), model_.name, kLongestRoute));
  }

 private:
  const NetworkModel& model_;
  const Cluster& cluster_;
  std::unordered_set<std::uint64_t> checked_;  ///< routes that were checked; never iterated
};

/// Checks the routes between consecutive members. If these routes exist, all pairs of members can reach each other,
/// because routes pass through switches.
void check_members(const std::vector<Member>& members, const Cluster& cluster, CheckedRoutes& routes) {
  for (const Member& member : members) {
    if (!member.endpoint.valid()) refuse_endpoint(cluster, member.rank);
  }
  for (std::size_t i = 0; i < members.size(); ++i)
    routes.check(members[i].endpoint, members[(i + 1) % members.size()].endpoint);
}

}  // namespace

void Machine::set_durations(const std::vector<Duration>& durations) {
  durations_ = {};
  durations_.reserve(durations.size());
  for (const Duration duration : durations) durations_.push_back(duration);
}

void Machine::set_network(const NetworkModel& model, const Cluster& cluster) {
  if (model.make == nullptr) return;
  CheckedRoutes routes(model, cluster);
  for (const Lane& lane : dag_->lanes()) {
    if (lane.is_link()) routes.check(lane.from, lane.to);
  }
  std::set<GroupId> checked;  // groups whose collectives all have the same members
  for (const RendezvousId rendezvous : dag_->all_rendezvous()) {
    const Collective& collective = dag_->collective(rendezvous);
    if (collective.op == CollectiveOp::kUnknown || collective.bytes == Bytes{}) continue;
    if (!can_simulate_members(*dag_, rendezvous)) continue;
    if (lists_members(*dag_, rendezvous) && !checked.insert(collective.group).second) continue;
    check_members(members_of(*dag_, rendezvous, cluster), cluster, routes);
  }
  network_ = &model;
  cluster_ = &cluster;
}

Machine Machine::as_recorded(const Capture& capture) {
  const Dag& dag = capture.dag;
  const std::vector<Time>& start = capture.recording.start;
  Machine machine{dag};
  if (start.size() != dag.task_count() || start.empty()) return machine;

  std::map<Rank, Time> first;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const auto [rank, is_new] = first.try_emplace(dag.lane(TaskId{i}).rank, start[i]);
    if (!is_new) rank->second = std::min(rank->second, start[i]);
  }
  const Time begin = *std::min_element(start.begin(), start.end());

  std::vector<std::pair<TaskId, Time>> origins;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (dag.in_degrees()[i] != 0) continue;
    origins.emplace_back(TaskId{i}, Time{first.at(dag.lane(TaskId{i}).rank) - begin});
  }
  machine.set_origins(std::move(origins));
  return machine;
}

Time Machine::origin(TaskId task) const noexcept {
  const auto found = std::lower_bound(origins_.begin(), origins_.end(), task,
                                      [](const auto& entry, TaskId id) { return entry.first < id; });
  return found != origins_.end() && found->first == task ? found->second : Time{};
}

}  // namespace stepsim::sim
