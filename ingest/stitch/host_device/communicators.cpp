#include "ingest/stitch/host_device/host_device.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/parts/process_groups.h"
#include "ingest/stitch/host_device/collectives.h"
#include "model/cost/collective/algorithm.h"
#include "model/job/collective.h"

namespace stepsim::ingest {
namespace {

/// A communicator, as far as the traces describe it.
struct Communicator {
  std::uint32_t size = 0;
  std::map<std::int32_t, Rank> members;  ///< members by their numbers in the group
  bool is_listed = false;
};

/// The largest total length of all lists of members. Groups beyond it, and groups of more than kMostMembers, get no
/// list, because a damaged trace may claim any size.
constexpr std::uint64_t kMostListed = 20'000'000;

using Communicators = std::map<std::string, Communicator>;  // by name

Communicators communicators_in(const std::vector<RankTrace>& ranks) {
  Communicators all;
  auto world = static_cast<std::int64_t>(ranks.size());
  for (const RankTrace& rank : ranks) {
    world = std::max(world, rank.trace.world_size.value_or(0));
    for (const ProcessGroup& known : rank.trace.groups) {
      if (known.own < 0) continue;
      Communicator& group = all[rank.trace.text(known.name)];
      group.size = std::max({group.size, known.size, static_cast<std::uint32_t>(known.own) + 1});
      group.members.emplace(known.own, rank.rank);
    }
  }
  std::uint64_t listed = 0;
  for (auto& [name, group] : all) {
    const std::uint64_t more = std::uint64_t{group.size} * group.members.size();
    group.is_listed = group.size <= kMostMembers && listed + more <= kMostListed;
    if (!group.is_listed) continue;
    listed += more;
    const bool in_order = std::all_of(group.members.begin(), group.members.end(),
                                      [](const auto& member) { return member.first == member.second; });
    if (group.size != world || !in_order) continue;
    for (Rank rank = 0; std::cmp_less(rank, group.size); ++rank) group.members.emplace(rank, rank);
  }
  return all;
}

void resolve(HostDeviceTrace& trace, const Communicators& all) {
  std::vector<const Communicator*> found;  // by group
  for (ProcessGroup& row : trace.groups) {
    const Communicator* const group = row.own < 0 ? nullptr : &all.at(trace.text(row.name));
    found.push_back(group);
    if (group == nullptr) continue;
    row.own = -1;
    row.size = group->is_listed ? group->size : 0;
    if (group->members.size() != row.size) continue;
    for (const auto& [number, rank] : group->members) row.ranks.push_back(rank);
    std::sort(row.ranks.begin(), row.ranks.end());
  }
  for (EventDetail& detail : trace.details) {
    const Communicator* const group = detail.group.valid() ? found[detail.group.index()] : nullptr;
    if (group == nullptr || detail.peer < 0) continue;
    const auto member = group->members.find(detail.peer);
    detail.peer = member == group->members.end() ? -1 : static_cast<std::int32_t>(member->second);
  }
}

}  // namespace

void resolve_groups(std::vector<RankTrace>& ranks) {
  const Communicators all = communicators_in(ranks);
  if (all.empty()) return;
  for (RankTrace& rank : ranks) resolve(rank.trace, all);
}

namespace {

/// Returns true if a host annotation describes the part. The annotation has the size of the input, while a kernel's
/// metadata has the larger of input and output.
bool described_by_host(const RankEvents& events, const CollectiveUse& use) {
  return events.trace->kind[use.described_by] == EventKind::kAnnotation;
}

/// Returns the operation of a part from its metadata, else from its name; null if neither gives one.
const NamedOperation* operation_of_use(const RankEvents& events, const CollectiveUse& use) {
  const EventDetail* const detail = events.trace->detail_of(use.described_by);
  if (detail != nullptr && detail->collective.valid()) return find_operation(events.trace->text(detail->collective));
  const std::string_view name = events.name_of(use.described_by);
  return find_operation(described_by_host(events, use) ? name.substr(name.find(':') + 1)
                                                       : collective_in(name).value_or(""));
}

/// Returns the model for NCCL's kernels, and for RCCL's, which have the same names. The algorithm in a kernel's name
/// need not be the one that ran: NCCL compiles a few kernels ("_RING_LL") and runs other algorithms' functions through
/// them.
const CollectiveModel* algorithm_of(std::string_view kernel) {
  return kernel.find("nccl") == std::string_view::npos ? nullptr : find_collective_model("nccl");
}

/// Returns the largest size that a member gives, because members' sizes may differ in an all-to-all. For an all-gather
/// described on the host, the size that is given is one member's input, so it is multiplied by the number of members.
Bytes bytes_of(const MatchedCollective& match, const std::vector<RankEvents>& ranks, CollectiveOp op,
               std::size_t members) {
  std::int64_t bytes = 0;
  for (const CollectiveUse& use : match.uses) {
    const EventDetail* const detail = ranks[use.rank].trace->detail_of(use.described_by);
    if (detail != nullptr) bytes = std::max(bytes, detail->bytes.count());
  }
  const CollectiveUse& first = match.uses.front();
  if (op != CollectiveOp::kAllGather || !described_by_host(ranks[first.rank], first)) return Bytes{bytes};
  const auto parts = static_cast<std::int64_t>(members);
  return Bytes{bytes > std::numeric_limits<std::int64_t>::max() / parts ? 0 : bytes * parts};
}

/// Returns the index in match.uses of the sender; 0 if no part is a send.
std::uint32_t sender_in(const MatchedCollective& match, const std::vector<RankEvents>& ranks) {
  const auto sender = std::find_if(match.uses.begin(), match.uses.end(), [&](const CollectiveUse& use) {
    const NamedOperation* const operation = operation_of_use(ranks[use.rank], use);
    return operation != nullptr && operation->word == "send";
  });
  return sender == match.uses.end() ? 0 : static_cast<std::uint32_t>(sender - match.uses.begin());
}

/// Returns how much of a message is still in the transport's buffers when its send call returns. The message is assumed
/// to arrive at a constant rate until the receiver's call ends.
Bytes buffered_in(const MatchedCollective& match, std::uint32_t sender, Bytes bytes) {
  if (match.on_device() || match.uses.size() != 2) return {};
  const Time received = match.uses[1 - sender].end;
  const Duration whole = received - match.last_arrival();
  const Duration alone = received - match.uses[sender].end;
  if (alone <= Duration{} || alone > whole) return {};
  const double share = static_cast<double>(alone.count()) / static_cast<double>(whole.count());
  return Bytes{static_cast<std::int64_t>(share * static_cast<double>(bytes.count()))};
}

}  // namespace

bool is_rooted(const MatchedCollective& match, const std::vector<RankEvents>& ranks) {
  return std::any_of(match.uses.begin(), match.uses.end(), [&](const CollectiveUse& use) {
    const NamedOperation* const operation = operation_of_use(ranks[use.rank], use);
    if (operation == nullptr) return false;
    const std::string_view name = operation->word;
    return name == "broadcast" || name == "reduce" || name == "gather" || name == "scatter";
  });
}

Group group_of(const MatchedCollective& match, const std::vector<RankEvents>& ranks, std::size_t world) {
  if (match.point_to_point()) return {{}, 2};
  const CollectiveUse& first = match.uses.front();
  const HostDeviceTrace& trace = *ranks[first.rank].trace;
  const EventDetail* const detail = trace.detail_of(first.event);
  Group group = group_in(trace, detail == nullptr ? ProcessGroupId{} : detail->group);
  if (group.size == 0) group.size = static_cast<std::uint32_t>(std::min(world, kMostMembers + 1));
  return group;
}

bool shows_all_members(const MatchedCollective& match, const Group& group) noexcept {
  if (match.uses.size() >= group.size) return true;
  const bool known = match.uses.size() == 1 || !group.ranks.empty();
  return known && !match.point_to_point() && group.size <= kMostMembers;
}

bool records_size(const MatchedCollective& match, const std::vector<RankEvents>& ranks) {
  const CollectiveUse& first = match.uses.front();
  return operation_of_use(ranks[first.rank], first) != nullptr &&
         bytes_of(match, ranks, CollectiveOp::kUnknown, match.uses.size()) > Bytes{};
}

Collective payload_of(const MatchedCollective& match, const std::vector<RankEvents>& ranks, const Group& group) {
  const CollectiveUse& first = match.uses.front();
  const RankEvents& events = ranks[first.rank];
  Collective collective;
  const NamedOperation* const operation = operation_of_use(events, first);
  // NCCL's kernel "SendRecv" serves both messages and all-to-alls.
  if (operation != nullptr && operation->word != "sendrecv") collective.op = operation->op;
  if (collective.op == CollectiveOp::kUnknown || !shows_all_members(match, group)) return collective;
  collective.bytes = bytes_of(match, ranks, collective.op, group.size);
  if (match.on_device()) collective.algorithm = algorithm_of(events.name_of(first.event));
  if (collective.op == CollectiveOp::kSendRecv) {
    collective.root = sender_in(match, ranks);
    collective.buffered = buffered_in(match, collective.root, collective.bytes);
  }
  return collective;
}

}  // namespace stepsim::ingest
