#include "scenarios/answer/recorded_collectives.h"

#include <algorithm>

#include "sim/analysis/intervals.h"
#include "sim/engine/collectives_alone.h"

namespace stepsim::scenarios {
namespace {

/// Returns the recorded time of a collective without waiting: the shortest duration of its members. The other members
/// also waited for the last one.
Duration recorded_time(const Dag& dag, RendezvousId rendezvous) {
  Duration shortest = Duration::max();
  for (const TaskId member : dag.members(rendezvous)) shortest = std::min(shortest, dag.duration(member));
  return shortest;
}

}  // namespace

void RecordedCollectives::Total::add(Duration of_recording, Duration of_model) noexcept {
  recorded += static_cast<double>(of_recording.count());
  modelled += static_cast<double>(of_model.count());
}

RecordedCollectives::RecordedCollectives(const Capture& captured, const Cluster& cluster, const NetworkModel& model)
    : model_(model), alone_(sim::collectives_alone(captured.dag, model, cluster)) {
  const Dag& dag = captured.dag;
  for (std::size_t i = 0; i < alone_.size(); ++i) {
    if (alone_[i] <= Duration{}) continue;
    const Duration recorded = recorded_time(dag, RendezvousId{i});
    by_op_[dag.collective(RendezvousId{i}).op].add(recorded, alone_[i]);
    all_.add(recorded, alone_[i]);
  }
}

double RecordedCollectives::ratio_of(CollectiveOp op) const {
  const auto found = by_op_.find(op);
  return found == by_op_.end() ? all_.ratio() : found->second.ratio();
}

void RecordedCollectives::set_durations(const Capture& graph, const Cluster& cluster, bool unexplained_scales,
                                        std::vector<Duration>& durations) const {
  const Dag& dag = graph.dag;
  const std::vector<Duration> alone = sim::collectives_alone(dag, model_, cluster);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    const RendezvousId rendezvous{i};
    if (i >= alone_.size()) {
      const Duration time = scaled(alone[i], ratio_of(dag.collective(rendezvous).op));
      for (const TaskId member : dag.members(rendezvous)) durations[member.index()] = time;
      continue;
    }
    const Duration before = alone_[i];
    if (before <= Duration{}) continue;
    const bool stays = !unexplained_scales && recorded_time(dag, rendezvous) > before;
    for (const TaskId member : dag.members(rendezvous)) {
      Duration& time = durations[member.index()];
      time = stays ? time - before + alone[i] : scaled(time, sim::ratio(alone[i], before));
    }
  }
}

}  // namespace stepsim::scenarios
