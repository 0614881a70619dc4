#include "model/job/dag.h"

namespace stepsim {

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
