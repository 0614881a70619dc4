#ifndef STEPSIM_MODEL_JOB_TRANSFER_H
#define STEPSIM_MODEL_JOB_TRANSFER_H

#include <vector>

#include "model/base/id.h"
#include "model/base/units.h"
#include "model/job/recording.h"

namespace stepsim {

/// When the captured members of a collective arrived and ended. Its bytes move from `last` to `end`.
struct Transfer {
  RendezvousId rendezvous;
  Time first;         ///< the first member arrived
  Time last;          ///< the last member arrived
  Time end;           ///< the last member ended
  TaskId last_one;    ///< the member that arrived last; the one with the smallest id for ties
  bool alone = true;  ///< false if another collective of the same ranks moved bytes at that time; see mark_overlaps()
};

/// Returns the recorded times of a collective. O(members). Precondition: the rendezvous has a member, and the recording
/// is not empty.
[[nodiscard]] Transfer transfer_of(const Dag& dag, const Recording& recording, RendezvousId rendezvous) noexcept;

/// Sets Transfer::alone. O(members log members).
void mark_overlaps(const Dag& dag, std::vector<Transfer>& transfers);

}  // namespace stepsim

#endif
