#include "model/cost/network/transfers.h"

#include <algorithm>

namespace stepsim {

bool has_sized_collectives(const Capture& capture) {
  const Dag& dag = capture.dag;
  for (const RendezvousId rendezvous : dag.all_rendezvous()) {
    const Collective& collective = dag.collective(rendezvous);
    const bool sized = collective.bytes > Bytes{} && collective.op != CollectiveOp::kUnknown;
    if (sized && collective.op != CollectiveOp::kSendRecv &&
        std::max<std::size_t>(dag.members(rendezvous).size(), collective.members) > 1)
      return true;
  }
  return false;
}

bool keeps_recorded_time(const Capture& capture, TaskId task, const NetworkModel& network) {
  const Dag& dag = capture.dag;
  if (dag.kind(task) != TaskKind::kCollective || capture.parameter_server != nullptr) return false;
  const RendezvousId rendezvous = dag.rendezvous(task);
  if (network.make == nullptr || !rendezvous.valid()) return true;
  const Collective& collective = dag.collective(rendezvous);
  const std::size_t present = dag.members(rendezvous).size();
  if (present < collective.members && (present > 1 || collective.members > kMostAbsentMembers)) return true;
  return collective.op != CollectiveOp::kBarrier &&
         (collective.op == CollectiveOp::kUnknown || collective.bytes == Bytes{});
}

std::size_t lone_collectives(const Capture& capture) {
  if (capture.parameter_server != nullptr) return 0;
  const Dag& dag = capture.dag;
  std::size_t count = 0;
  for (const TaskId task : dag.tasks()) {
    if (dag.kind(task) != TaskKind::kCollective) continue;
    const RendezvousId rendezvous = dag.rendezvous(task);
    if (!rendezvous.valid() || dag.members(rendezvous).size() < dag.collective(rendezvous).members) ++count;
  }
  return count;
}

bool uses_links(const Capture& capture) {
  if (capture.parameter_server != nullptr || has_sized_collectives(capture)) return true;
  const Dag& dag = capture.dag;
  for (const RendezvousId rendezvous : dag.all_rendezvous()) {
    if (dag.collective(rendezvous).bytes > Bytes{}) return true;
  }
  return std::any_of(dag.lanes().begin(), dag.lanes().end(), [](const Lane& lane) { return lane.is_link(); });
}

}  // namespace stepsim
