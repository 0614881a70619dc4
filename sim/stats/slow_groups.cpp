#include "sim/stats/slow_groups.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "model/base/median.h"

namespace stepsim::sim {
namespace {

/// Number of ranks and hosts.
using Layout = std::pair<std::uint32_t, std::uint32_t>;
using RowList = std::vector<const CollectiveRow*>;

/// The transfers of a group, relative to those of its siblings.
struct Compared {
  SlowGroup group;
  std::vector<double> factors;

  [[nodiscard]] bool is_slow() const {
    return group.transfers >= kFewestTransfers &&
           static_cast<double>(group.slow) >= kSlowShare * static_cast<double>(group.transfers);
  }
};

double ratio_of(Duration time, Duration typical) {
  return static_cast<double>(time.count()) / static_cast<double>(typical.count());
}

/// Returns the lower median of the rows' median times.
Duration typical_time(const RowList& siblings) {
  std::vector<Duration> times;
  for (const CollectiveRow* row : siblings) times.push_back(row->time.median);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// Returns the number of different groups. Two communicators can have the same ranks.
std::size_t count_groups(const RowList& rows) {
  std::set<std::string_view> groups;
  for (const CollectiveRow* row : rows) groups.insert(row->group);
  return groups.size();
}

void add_row(Compared& to, const CollectiveRow& row, Duration typical, std::size_t siblings) {
  SlowGroup& group = to.group;
  group.group = row.group;
  group.ranks = row.members;
  group.siblings = std::max(group.siblings, siblings);
  group.transfers += row.times.size();
  for (const Duration time : row.times) {
    to.factors.push_back(ratio_of(time, typical));
    if (to.factors.back() >= kSlowFactor && time - typical > row.clock_error) ++group.slow;
  }
}

/// Returns the only key that is in each of `slow` and in none of `normal`.
template <class Key>
std::optional<Key> only_common(const std::vector<std::set<Key>>& slow, const std::vector<std::set<Key>>& normal) {
  std::optional<Key> found;
  for (const Key& key : slow.front()) {
    const auto has = [&key](const std::set<Key>& keys) { return keys.contains(key); };
    if (!std::all_of(slow.begin(), slow.end(), has) || std::any_of(normal.begin(), normal.end(), has)) continue;
    if (found) return std::nullopt;
    found = key;
  }
  return found;
}

/// Returns the slow groups among the groups of one layout, and their cause.
SlowGroups slow_among(const std::vector<Compared>& groups, const std::map<Rank, std::string>& hosts) {
  SlowGroups found;
  std::vector<std::set<Rank>> slow_ranks;
  std::vector<std::set<Rank>> normal_ranks;
  std::vector<std::set<std::string>> slow_hosts;
  std::vector<std::set<std::string>> normal_hosts;
  for (const Compared& one : groups) {
    std::set<std::string> on;
    for (const Rank rank : one.group.ranks) {
      if (const auto host = hosts.find(rank); host != hosts.end() && !host->second.empty()) on.insert(host->second);
    }
    (one.is_slow() ? slow_ranks : normal_ranks).emplace_back(one.group.ranks.begin(), one.group.ranks.end());
    (one.is_slow() ? slow_hosts : normal_hosts).push_back(std::move(on));
    if (!one.is_slow()) continue;
    found.groups.push_back(one.group);
    found.groups.back().factor = median(one.factors);
  }
  if (found.groups.empty()) return found;
  found.rank = only_common(slow_ranks, normal_ranks);
  if (!found.rank) found.host = only_common(slow_hosts, normal_hosts).value_or("");
  std::stable_sort(found.groups.begin(), found.groups.end(),
                   [](const SlowGroup& a, const SlowGroup& b) { return a.factor > b.factor; });
  return found;
}

}  // namespace

SiblingComparison compare_siblings(const std::vector<CollectiveRow>& rows, const std::map<Rank, std::string>& hosts) {
  std::map<std::tuple<Layout, std::string, Bytes>, RowList> families;
  for (const CollectiveRow& row : rows) {
    if (row.is_whole() && row.bytes)
      families[{Layout{row.ranks, row.hosts}, row.operation, *row.bytes}].push_back(&row);
  }
  std::map<Layout, std::map<std::string, Compared>> layouts;
  for (const auto& [key, siblings] : families) {
    const Duration typical = typical_time(siblings);
    const std::size_t groups = count_groups(siblings);
    if (groups < kFewestSiblings || typical <= Duration{}) continue;
    for (const CollectiveRow* row : siblings)
      add_row(layouts[std::get<Layout>(key)][row->group], *row, typical, groups - 1);
  }
  SiblingComparison comparison;
  for (const auto& [layout, by_group] : layouts) {
    std::vector<Compared> groups;
    for (const auto& [name, group] : by_group) groups.push_back(group);
    comparison.groups += groups.size();
    if (SlowGroups slow = slow_among(groups, hosts); !slow.groups.empty()) comparison.slow.push_back(std::move(slow));
  }
  return comparison;
}

}  // namespace stepsim::sim
