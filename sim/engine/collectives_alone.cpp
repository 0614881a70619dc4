#include "sim/engine/collectives_alone.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "model/base/units.h"
#include "model/job/dag_builder.h"
#include "sim/engine/engine.h"
#include "sim/engine/machine.h"

namespace stepsim::sim {
namespace {

/// What determines the time of a collective on an idle network: collectives of equal kind take the same time.
struct Kind {
  Collective collective;
  std::vector<Rank> ranks;

  [[nodiscard]] auto key() const {
    const Collective& c = collective;
    return std::tie(c.op, c.algorithm, c.bytes, c.root, c.buffered, c.group, ranks);
  }
  friend bool operator<(const Kind& a, const Kind& b) { return a.key() < b.key(); }
};

Kind kind_of(const Dag& dag, RendezvousId rendezvous) {
  Kind kind{dag.collective(rendezvous), {}};
  for (const TaskId member : dag.members(rendezvous)) kind.ranks.push_back(dag.lane(member).rank);
  std::sort(kind.ranks.begin(), kind.ranks.end());
  return kind;
}

/// A dag that runs collectives one after another; a task of zero duration separates two of them.
class SequentialCollectives {
 public:
  explicit SequentialCollectives(const std::vector<Group>& groups) { builder_.groups() = groups; }

  RendezvousId add(const Kind& kind) {
    const TaskId begin =
        builder_.add_task({.name = name_, .lane = lane_of(kind.ranks.empty() ? 0 : kind.ranks.front())});
    for (const TaskId before : last_) builder_.add_edge(before, begin, EdgeKind::kProgram);
    last_.assign(1, begin);
    const RendezvousId rendezvous = builder_.add_rendezvous(kind.collective);
    for (const Rank rank : kind.ranks) {
      const TaskId member = builder_.add_task({.kind = TaskKind::kCollective, .name = name_, .lane = lane_of(rank)});
      builder_.add_edge(begin, member, EdgeKind::kProgram);
      builder_.join(rendezvous, member);
      last_.push_back(member);
    }
    return rendezvous;
  }

  /// Replays the collectives and returns how long each of them takes, by RendezvousId.
  std::vector<Duration> run(const NetworkModel& model, const Cluster& cluster) && {
    const Dag dag = std::move(builder_).build().dag;
    Machine machine{dag};
    machine.set_network(model, cluster);
    const Timeline timeline = replay(dag, machine);
    std::vector<Duration> times;
    for (const RendezvousId rendezvous : dag.all_rendezvous()) {
      Duration time{};
      for (const TaskId member : dag.members(rendezvous)) {
        const Time finish = timeline.finish[member.index()];
        time = std::max(time, finish == kEndOfTime ? kEndOfTime - Time{} : finish - timeline.start[member.index()]);
      }
      times.push_back(time);
    }
    return times;
  }

 private:
  LaneId lane_of(Rank rank) {
    const auto [place, is_new] = lanes_.try_emplace(rank);
    if (is_new) place->second = builder_.add_lane({.rank = rank});
    return place->second;
  }

  DagBuilder builder_;
  NameId name_ = builder_.intern("collective");
  std::map<Rank, LaneId> lanes_;
  std::vector<TaskId> last_;
};

}  // namespace

std::vector<Duration> collectives_alone(const Dag& dag, const NetworkModel& model, const Cluster& cluster) {
  SequentialCollectives run(dag.groups());
  std::map<Kind, RendezvousId> different;
  std::vector<RendezvousId> kinds;
  for (const RendezvousId rendezvous : dag.all_rendezvous()) {
    const auto [place, is_new] = different.try_emplace(kind_of(dag, rendezvous));
    if (is_new) place->second = run.add(place->first);
    kinds.push_back(place->second);
  }
  if (kinds.empty()) return {};
  const std::vector<Duration> times = std::move(run).run(model, cluster);
  std::vector<Duration> all;
  all.reserve(kinds.size());
  for (const RendezvousId kind : kinds) all.push_back(times[kind.index()]);
  return all;
}

}  // namespace stepsim::sim
