#include "model/job/dag.h"

namespace stepsim {

std::span<const TaskId> Dag::members(RendezvousId id) const noexcept {
  const std::uint32_t begin = rendezvous_begin_[id.index()];
  return {rendezvous_member_.data() + begin, rendezvous_begin_[id.index() + 1] - begin};
}

}  // namespace stepsim
