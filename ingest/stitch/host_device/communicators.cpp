#include "ingest/stitch/host_device/host_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/stitch/host_device/collectives.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "model/cost/collective/algorithm.h"
#include "model/job/collective.h"

namespace stepsim::ingest {
namespace {

/// A communicator, as far as the traces describe it.
struct Communicator {
  std::int32_t size = 0;
  std::map<std::int32_t, Rank> members;  ///< members by place in the group
  bool is_listed = false;
};

/// The largest total length of all lists of members. Groups beyond it, and groups of more than kMostMembers, get no
/// list, because a damaged trace may claim any size.
constexpr std::int64_t kMostListed = 20'000'000;

class Groups {
 public:
  explicit Groups(const std::vector<RankTrace>& ranks) {
    for (const RankTrace& rank : ranks) {
      world_ = std::max(world_, rank.trace.world_size.value_or(0));
      for (const HostDeviceTrace::Communicator& known : rank.trace.communicators) {
        Communicator& group = groups_[rank.trace.text(known.group)];
        group.size = std::max({group.size, known.size, known.rank + 1});
        group.members.emplace(known.rank, rank.rank);
      }
    }
    world_ = std::max(world_, static_cast<std::int64_t>(ranks.size()));
    std::int64_t listed = 0;
    for (auto& [name, group] : groups_) {
      const std::int64_t more = std::int64_t{group.size} * static_cast<std::int64_t>(group.members.size());
      group.is_listed = std::cmp_less_equal(group.size, kMostMembers) && listed + more <= kMostListed;
      if (!group.is_listed) continue;
      listed += more;
      complete(group);
    }
  }

  /// Returns the group of the communicator `name`; null if there is no communicator of this name.
  [[nodiscard]] const Communicator* find(const std::string& name) const {
    const auto found = groups_.find(name);
    return found == groups_.end() ? nullptr : &found->second;
  }

  [[nodiscard]] static std::string text_of(const std::string& name, const Communicator& group) {
    if (!group.is_listed) return name;
    std::string ranks;
    for (std::int32_t place = 0; place < group.size; ++place) {
      const auto member = group.members.find(place);
      add_item(ranks, member == group.members.end() ? "?" : std::to_string(member->second));
    }
    return fmt::format("[{}] {}", ranks, name);
  }

 private:
  void complete(Communicator& group) const {
    const bool in_order = std::all_of(group.members.begin(), group.members.end(),
                                      [](const auto& member) { return member.first == member.second; });
    if (group.size != world_ || !in_order) return;
    for (std::int32_t place = 0; place < group.size; ++place) group.members.emplace(place, place);
  }

  std::int64_t world_ = 0;
  std::map<std::string, Communicator> groups_;
};

void resolve(HostDeviceTrace& trace, const Groups& groups) {
  std::map<TextId, std::pair<TextId, const Communicator*>> renamed;
  for (const HostDeviceTrace::Communicator& known : trace.communicators) {
    const std::string name = trace.text(known.group);
    const Communicator* const group = groups.find(name);
    if (group == nullptr || renamed.contains(known.group)) continue;
    renamed.emplace(known.group, std::pair{TextId{trace.texts.size()}, group});
    trace.texts.push_back(Groups::text_of(name, *group));
  }
  for (EventDetail& detail : trace.details) {
    const auto found = detail.group.valid() ? renamed.find(detail.group) : renamed.end();
    if (found == renamed.end()) continue;
    const auto& [text, group] = found->second;
    detail.group = text;
    if (detail.peer < 0) continue;
    const auto member = group->members.find(detail.peer);
    detail.peer = member == group->members.end() ? -1 : static_cast<std::int32_t>(member->second);
  }
}

}  // namespace

void resolve_communicators(std::vector<RankTrace>& ranks) {
  const bool any =
      std::any_of(ranks.begin(), ranks.end(), [](const RankTrace& rank) { return !rank.trace.communicators.empty(); });
  if (!any) return;
  const Groups groups(ranks);
  for (RankTrace& rank : ranks) resolve(rank.trace, groups);
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

Group group_named(std::string_view text) {
  const std::size_t end = text.find(']');
  if (!text.starts_with('[') || end == std::string_view::npos || contains(text, "...")) return {std::string(text)};
  std::string_view list = text.substr(1, end - 1);
  Group group{std::string(text.substr(std::min(text.find_first_not_of(' ', end + 1), text.size())))};
  bool all_known = true;
  while (!list.empty()) {
    const std::size_t first = std::min(list.find_first_not_of(' '), list.size());
    const std::size_t comma = std::min(list.find(',', first), list.size());
    const std::optional<Rank> rank = parse_number<Rank>(list.substr(first, comma - first));
    all_known = all_known && rank && *rank >= 0;
    if (all_known) group.ranks.push_back(*rank);
    ++group.size;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  std::sort(group.ranks.begin(), group.ranks.end());
  const bool repeats = std::adjacent_find(group.ranks.begin(), group.ranks.end()) != group.ranks.end();
  if (!all_known || repeats) group.ranks.clear();
  return group;
}

Group group_of(const MatchedCollective& match, const std::vector<RankEvents>& ranks, std::size_t world) {
  if (match.point_to_point()) return {{}, 2};
  const CollectiveUse& first = match.uses.front();
  const EventDetail* const detail = ranks[first.rank].trace->detail_of(first.event);
  Group group;
  if (detail != nullptr && detail->group.valid()) group = group_named(ranks[first.rank].trace->text(detail->group));
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
