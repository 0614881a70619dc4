#include "ingest/stitch/host_device/host_device.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "ingest/stitch/host_device/collectives.h"

namespace stepsim::ingest {
namespace {

/// A group of ranks, as far as the traces describe it.
struct Group {
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
        Group& group = groups_[rank.trace.text(known.group)];
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
  [[nodiscard]] const Group* find(const std::string& name) const {
    const auto found = groups_.find(name);
    return found == groups_.end() ? nullptr : &found->second;
  }

  [[nodiscard]] static std::string text_of(const std::string& name, const Group& group) {
    if (!group.is_listed) return name;
    std::string text = "[";
    for (std::int32_t place = 0; place < group.size; ++place) {
      const auto member = group.members.find(place);
      text += place == 0 ? "" : ", ";
      text += member == group.members.end() ? "?" : std::to_string(member->second);
    }
    return text + "] " + name;
  }

 private:
  void complete(Group& group) const {
    const bool in_order = std::all_of(group.members.begin(), group.members.end(),
                                      [](const auto& member) { return member.first == member.second; });
    if (group.size != world_ || !in_order) return;
    for (std::int32_t place = 0; place < group.size; ++place) group.members.emplace(place, place);
  }

  std::int64_t world_ = 0;
  std::map<std::string, Group> groups_;
};

void resolve(HostDeviceTrace& trace, const Groups& groups) {
  std::map<TextId, std::pair<TextId, const Group*>> renamed;
  for (const HostDeviceTrace::Communicator& known : trace.communicators) {
    const std::string name = trace.text(known.group);
    const Group* const group = groups.find(name);
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

}  // namespace stepsim::ingest
