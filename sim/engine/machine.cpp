#include "sim/engine/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "model/base/error.h"
#include "model/cost/collective/algorithm.h"
#include "model/job/group.h"
#include "sim/engine/collective_runs.h"

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

/// Finds out whether all messages of a job belong to collectives of all ranks that stay the same if the ranks move by
/// some hosts, in a circle.
class JobSymmetry {
 public:
  /// Keeps a reference to `cluster`.
  JobSymmetry(const Dag& dag, const NetworkModel& model, const Cluster& cluster)
      : cluster_(cluster), fairness_(fairness_of(model, cluster)), is_broken_(fairness_ == Fairness::kNone) {
    for (const Lane& lane : dag.lanes()) is_broken_ = is_broken_ || lane.is_link();
  }

  /// Adds the members of a collective, in order of rank.
  void add_members(const std::vector<Member>& members) {
    if (is_broken_) return;
    const bool is_first = endpoints_.empty();
    for (std::size_t i = 0; is_first && i < members.size(); ++i) endpoints_.emplace_back(i);
    is_broken_ = !std::equal(members.begin(), members.end(), endpoints_.begin(), endpoints_.end(),
                             [](const Member& member, EndpointId endpoint) { return member.endpoint == endpoint; });
    if (is_first && !is_broken_) members_per_host_ = members_per_host(endpoints_, cluster_);
  }
  /// Adds a collective whose members were added.
  void add_collective(const Collective& collective) {
    if (is_broken_) return;
    const CollectiveShape shape =
        shape_of(collective, static_cast<std::uint32_t>(endpoints_.size()), members_per_host_);
    const CollectiveModel* const model = model_for(shape, collective.algorithm);
    if (model == nullptr) return;  // it has no messages
    // An all-to-all that is timed as a whole has the members of a host far apart (CollectiveModel::whole).
    const bool is_reordered = model->whole != nullptr && shape.op == CollectiveOp::kAllToAll && members_per_host_ > 1;
    is_broken_ = model->is_cyclic == nullptr || !model->is_cyclic(shape) || is_reordered;
    only_to_next_ = only_to_next_ && (model->ends != nullptr || model->whole != nullptr);
  }

  [[nodiscard]] std::optional<FoldedCluster> fold() const {
    if (is_broken_ || endpoints_.empty()) return std::nullopt;
    std::optional<FoldedCluster> result = folded(cluster_, static_cast<std::uint32_t>(endpoints_.size()));
    const bool is_fair =
        fairness_ == Fairness::kAll || (result && only_to_next_ && has_one_sender_for_each_link(*result));
    return is_fair ? std::move(result) : std::nullopt;
  }

 private:
  /// True if no two endpoints use the same link for messages to the next one.
  [[nodiscard]] bool has_one_sender_for_each_link(const FoldedCluster& folded) const {
    std::set<LinkId> used;
    for (std::uint32_t i = 0; i < folded.block; ++i) {
      const std::optional<Route> route = folded.cluster.route(endpoints_[i], endpoints_[(i + 1) % endpoints_.size()]);
      for (const LinkId link : *route) {
        if (!used.insert(link).second) return false;
      }
    }
    return true;
  }

  const Cluster& cluster_;
  Fairness fairness_;
  bool is_broken_;
  bool only_to_next_ = true;           ///< true if every member sends only to the next one
  std::vector<EndpointId> endpoints_;  ///< those of all members
  std::uint32_t members_per_host_ = 1;
};

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
  bool sends = std::any_of(dag_->lanes().begin(), dag_->lanes().end(), [](const Lane& lane) { return lane.is_link(); });
  JobSymmetry symmetry(*dag_, model, cluster);
  std::set<GroupId> checked;  // groups whose collectives all have the same members
  for (const RendezvousId rendezvous : dag_->all_rendezvous()) {
    const Collective& collective = dag_->collective(rendezvous);
    if (collective.op == CollectiveOp::kUnknown || collective.bytes == Bytes{}) continue;
    sends = true;
    if (!can_simulate_members(*dag_, rendezvous) || dag_->members(rendezvous).empty()) continue;
    if (!lists_members(*dag_, rendezvous) || checked.insert(collective.group).second) {
      const std::vector<Member> members = members_of(*dag_, rendezvous, cluster);
      check_members(members, cluster, routes);
      if (members.size() > 1) symmetry.add_members(members);
    }
    if (group_size(*dag_, rendezvous) > 1) symmetry.add_collective(collective);
  }
  if (!sends) return;  // recorded durations are all that a replay uses
  network_ = &model;
  cluster_ = &cluster;
  folded_ = symmetry.fold();
}

std::unique_ptr<Network> Machine::make_network() const {
  return network_->make(folded_ ? folded_->cluster : *cluster_);
}

Machine Machine::as_recorded(const Capture& capture) {
  const Dag& dag = capture.dag;
  const std::vector<Time>& start = capture.recording.start;
  Machine machine{dag};
  if (start.size() != dag.task_count() || start.empty()) return machine;

  std::vector<Time> of_lane(dag.lanes().size(), Time::max());
  for (std::size_t i = 0; i < start.size(); ++i) {
    Time& earliest = of_lane[dag.lane_id(TaskId{i}).index()];
    earliest = std::min(earliest, start[i]);
  }
  std::map<Rank, Time> first;
  for (std::size_t i = 0; i < of_lane.size(); ++i) {
    Time& earliest = first.try_emplace(dag.lanes()[i].rank, Time::max()).first->second;
    earliest = std::min(earliest, of_lane[i]);
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
