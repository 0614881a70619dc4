#include "model/job/symmetry.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <unordered_map>
#include <vector>

namespace stepsim {
namespace {

using UplinkPath = Cluster::UplinkPath;

constexpr std::uint32_t kNoEqual = 0xFFFFFFFFU;

/// Things of one kind that endpoints use (hosts, switches or links), and the equal of each in the first block.
class Equals {
 public:
  explicit Equals(std::size_t blocks) : own_(blocks) {}

  /// Notes that an endpoint of `block` uses `thing`. Call it for all uses before the first call of pair().
  void use(std::uint32_t thing, std::size_t block) {
    const auto [place, is_new] = things_.try_emplace(thing, Thing{block});
    if (is_new || place->second.block == block) return;
    place->second.block = kSeveral;
    any_shared_ = true;
  }

  /// Notes that `block` uses `thing` where the first block uses `first`. Returns false if the two are not equals: a
  /// thing that blocks share is its own equal, and one of a single block has one equal in the first block.
  [[nodiscard]] bool pair(std::uint32_t thing, std::size_t block, std::uint32_t first) {
    Thing& one = things_.at(thing);
    if (one.block == kSeveral) return thing == first;
    if (things_.at(first).block != 0) return false;
    if (one.first == kNoEqual) ++own_[block];
    if (one.first == kNoEqual) one.first = first;
    return one.first == first;
  }
  /// True if each block has as many things of its own as the first one. Call it after all calls of pair().
  [[nodiscard]] bool are_as_many() const {
    return std::all_of(own_.begin(), own_.end(), [this](std::uint32_t own) { return own == own_.front(); });
  }
  [[nodiscard]] bool any_shared() const noexcept { return any_shared_; }

 private:
  static constexpr std::size_t kSeveral = std::numeric_limits<std::size_t>::max();
  struct Thing {
    std::size_t block = 0;           ///< the block that uses it, or kSeveral
    std::uint32_t first = kNoEqual;  ///< its equal in the first block
  };
  std::unordered_map<std::uint32_t, Thing> things_;
  std::vector<std::uint32_t> own_;  ///< for each block, how many things it does not share
  bool any_shared_ = false;
};

/// Returns all links of a path.
Route links_of(const UplinkPath& path) {
  Route links;
  for (const Route* const list : {&path.up, &path.down, &path.out, &path.in})
    links.insert(links.end(), list->begin(), list->end());
  return links;
}

bool is_equal(const Link& a, const Link& b) {
  return a.bandwidth == b.bandwidth && a.latency == b.latency && a.efficiency == b.efficiency && a.is_bus == b.is_bus;
}

/// Returns how many hops of the first endpoints' paths messages between them can use: up to the first switch that all
/// of them reach with the same hop, or all if there is none.
std::size_t hops_in_use(const Cluster& cluster, std::uint32_t endpoints) {
  const std::vector<std::uint32_t>& first = cluster.uplinks.front().switches;
  for (std::size_t hop = 0; hop < first.size(); ++hop) {
    const bool all_reach = std::all_of(cluster.uplinks.begin(), cluster.uplinks.begin() + endpoints,
                                       [&first, hop](const UplinkPath& path) {
                                         return hop < path.switches.size() && path.switches[hop] == first[hop];
                                       });
    if (all_reach) return hop + 1;
  }
  return std::numeric_limits<std::size_t>::max();
}

/// Returns the paths of the first endpoints, without links that messages between them cannot use.
std::vector<UplinkPath> paths_of(const Cluster& cluster, std::uint32_t endpoints) {
  std::vector<UplinkPath> paths(cluster.uplinks.begin(), cluster.uplinks.begin() + endpoints);
  const std::size_t most = hops_in_use(cluster, endpoints);
  for (UplinkPath& path : paths) {
    if (path.switches.size() <= most) continue;
    path.down.erase(path.down.begin(), path.down.end() - static_cast<std::ptrdiff_t>(most));
    path.up.resize(most);
    path.switches.resize(most);
  }
  return paths;
}

/// The first endpoints of a cluster, divided into blocks.
class Blocks {
 public:
  /// Keeps references to `cluster` and `paths`, the paths of the endpoints. Precondition: their number is a multiple of
  /// `block`.
  Blocks(const Cluster& cluster, const std::vector<UplinkPath>& paths, std::size_t block)
      : cluster_(cluster), paths_(paths), block_(block) {}

  /// True if all blocks are equal and share no link.
  [[nodiscard]] bool are_equal() const {
    // First what is cheap to compare, because most sizes of blocks are wrong.
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      if (!looks_like_first(i)) return false;
    }
    Equals hosts(paths_.size() / block_);
    Equals switches(paths_.size() / block_);
    Equals links(paths_.size() / block_);
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      hosts.use(host(i).value(), i / block_);
      for (const std::uint32_t number : paths_[i].switches) switches.use(number, i / block_);
      for (const LinkId link : links_of(paths_[i])) links.use(link.value(), i / block_);
    }
    if (links.any_shared()) return false;
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      const std::size_t block = i / block_;
      const UplinkPath& first = paths_[i % block_];
      if (!hosts.pair(host(i).value(), block, host(i % block_).value())) return false;
      for (std::size_t hop = 0; hop < first.switches.size(); ++hop) {
        if (!switches.pair(paths_[i].switches[hop], block, first.switches[hop])) return false;
      }
      const Route own = links_of(paths_[i]);
      const Route of_first = links_of(first);
      for (std::size_t k = 0; k < own.size(); ++k) {
        if (!links.pair(own[k].value(), block, of_first[k].value())) return false;
      }
    }
    return hosts.are_as_many() && switches.are_as_many() && links.are_as_many();
  }

  /// Returns the cluster with the links of the first block. Precondition: are_equal().
  [[nodiscard]] Cluster fold() const {
    Cluster folded;
    std::unordered_map<std::uint32_t, LinkId> numbers;  // of the first block's links, in the result
    for (std::size_t i = 0; i < block_; ++i) {
      for (const LinkId link : links_of(paths_[i])) {
        if (numbers.try_emplace(link.value(), folded.links.size()).second)
          folded.links.push_back(cluster_.links[link.index()]);
      }
    }
    folded.endpoints.assign(cluster_.endpoints.begin(),
                            cluster_.endpoints.begin() + static_cast<std::ptrdiff_t>(paths_.size()));
    folded.uplinks = paths_;
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      const UplinkPath& first = paths_[i % block_];
      const auto set = [&numbers](Route& list, const Route& from) {
        std::transform(from.begin(), from.end(), list.begin(),
                       [&numbers](LinkId link) { return numbers.at(link.value()); });
      };
      UplinkPath& path = folded.uplinks[i];
      set(path.up, first.up);
      set(path.down, first.down);
      set(path.out, first.out);
      set(path.in, first.in);
    }
    folded.network = cluster_.network;
    return folded;
  }

 private:
  [[nodiscard]] HostId host(std::size_t endpoint) const { return cluster_.endpoints[endpoint].host; }

  /// True if an endpoint has as many links and switches as the one in its place in the first block, equal links, and
  /// the relays that are in the same places of its own block.
  [[nodiscard]] bool looks_like_first(std::size_t endpoint) const {
    const UplinkPath& own = paths_[endpoint];
    const UplinkPath& first = paths_[endpoint % block_];
    const std::size_t shift = endpoint - endpoint % block_;
    const auto are_equal = [this](const Route& a, const Route& b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), [this](LinkId one, LinkId other) {
        return is_equal(cluster_.links[one.index()], cluster_.links[other.index()]);
      });
    };
    return are_equal(own.up, first.up) && are_equal(own.down, first.down) && are_equal(own.out, first.out) &&
           are_equal(own.in, first.in) && own.switches.size() == first.switches.size() &&
           std::equal(own.relays.begin(), own.relays.end(), first.relays.begin(), first.relays.end(),
                      [this, shift](EndpointId a, EndpointId b) {
                        return a.index() == b.index() + shift && a.index() < paths_.size();
                      });
  }

  const Cluster& cluster_;
  const std::vector<UplinkPath>& paths_;
  std::size_t block_;
};

}  // namespace

std::optional<FoldedCluster> folded(const Cluster& cluster, std::uint32_t endpoints) {
  if (!cluster.routes.empty() || cluster.uplinks.size() < endpoints || cluster.endpoints.size() < endpoints) return {};
  const auto end = cluster.endpoints.begin() + endpoints;
  const auto other = std::find_if(cluster.endpoints.begin(), end, [&cluster](const Endpoint& one) {
    return one.host != cluster.endpoints.front().host;
  });
  const auto on_host = static_cast<std::uint32_t>(other - cluster.endpoints.begin());
  const std::vector<UplinkPath> paths = paths_of(cluster, endpoints);
  for (std::uint32_t block = on_host; block <= endpoints / 2; block += on_host) {
    if (endpoints % block != 0) continue;
    const Blocks blocks(cluster, paths, block);
    if (blocks.are_equal()) return FoldedCluster{block, blocks.fold()};
  }
  return {};
}

}  // namespace stepsim
