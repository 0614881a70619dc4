#include "model/job/transfer.h"

#include <algorithm>
#include <map>
#include <optional>

namespace stepsim {

Transfer transfer_of(const Dag& dag, const Recording& recording, RendezvousId rendezvous) noexcept {
  Transfer transfer{rendezvous, Time::max(), Time::min(), Time::min(), {}};
  for (const TaskId member : dag.members(rendezvous)) {
    const Time start = recording.start[member.index()];
    transfer.first = std::min(transfer.first, start);
    transfer.end = std::max(transfer.end, recording.finish[member.index()]);
    if (transfer.last_one.valid() && start <= transfer.last) continue;
    transfer.last = start;
    transfer.last_one = member;
  }
  return transfer;
}

void mark_overlaps(const Dag& dag, std::vector<Transfer>& transfers) {
  std::map<Rank, std::vector<std::size_t>> by_rank;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    for (const TaskId member : dag.members(transfers[i].rendezvous)) by_rank[dag.lane(member).rank].push_back(i);
  }
  for (auto& [rank, own] : by_rank) {
    std::stable_sort(own.begin(), own.end(),
                     [&](std::size_t a, std::size_t b) { return transfers[a].last < transfers[b].last; });
    std::optional<std::size_t> latest;  // the transfer with the latest end so far
    for (const std::size_t one : own) {
      if (latest && *latest != one && transfers[one].last < transfers[*latest].end)
        transfers[one].alone = transfers[*latest].alone = false;
      if (!latest || transfers[one].end > transfers[*latest].end) latest = one;
    }
  }
}

}  // namespace stepsim
