#include "ingest/stitch/host_device/clock.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include "model/base/median.h"

namespace stepsim::ingest {
namespace {

/// A difference of two clocks lies between these.
struct Bounds {
  Duration low{};
  Duration high{};
};

Bounds ordered(Bounds bounds) { return {std::min(bounds.low, bounds.high), std::max(bounds.low, bounds.high)}; }

/// What the pairs of two hosts say about b's clock against a's.
struct Difference {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  Duration ahead{};
  Bounds open;        // what the pairs leave open
  Bounds ends;        // the range of the differences of ends
  double weight = 0;  // number of pairs
};

using Pairs = std::vector<ClockPair>;

std::vector<Duration> ends_of(const Pairs& pairs) {
  std::vector<Duration> ends;
  ends.reserve(pairs.size());
  for (const ClockPair& pair : pairs) ends.push_back(pair.ahead);
  return ends;
}

Bounds range_of(const std::vector<Duration>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {*low, *high};
}

/// The tightest bounds of the pairs. With `transfer`, each is closer by the least time of such a transfer: it
/// is over no sooner than that after the last member arrived. That is likely and not certain, because the
/// member that arrives first may end sooner than any ended that arrived last. So these may contradict each
/// other, by no more than the ends differ. Precondition: the pairs bound both sides.
Bounds bounds_of(const Pairs& pairs, bool transfer) {
  std::optional<Duration> low;
  std::optional<Duration> high;
  for (const ClockPair& pair : pairs) {
    const Duration alone = transfer ? std::min(pair.alone_a, pair.alone_b) : Duration{};
    if (pair.least.has_value()) low = std::max(low.value_or(*pair.least + alone), *pair.least + alone);
    if (pair.most.has_value()) high = std::min(high.value_or(*pair.most - alone), *pair.most - alone);
  }
  return {low.value(), high.value()};
}

Duration middle_of(Bounds bounds) { return bounds.low + (bounds.high - bounds.low) / 2; }

Duration clamped(Duration value, Bounds bounds) { return std::clamp(value, bounds.low, bounds.high); }

/// The difference by pairs of one tie on hosts. Ends that agree do not narrow what is open: a link that is slower
/// in one direction than in the other makes all ends of one host late alike.
Difference by_causes(const Pairs& pairs) {
  const Bounds likely = bounds_of(pairs, true);
  const bool by_middle = pairs.front().tie == ClockTie::kMessage || likely.low > likely.high;
  Difference out;
  out.open = ordered(bounds_of(pairs, false));
  out.ahead = by_middle ? middle_of(likely) : clamped(upper_median(ends_of(pairs)), likely);
  out.ahead = clamped(out.ahead, out.open);
  return out;
}

Difference by_ends(const Pairs& pairs) {
  Difference out;
  out.ahead = upper_median(ends_of(pairs));
  out.open = range_of(ends_of(pairs));
  return out;
}

bool bounded(const Pairs& pairs) {
  return std::any_of(pairs.begin(), pairs.end(), [](const ClockPair& pair) { return pair.least.has_value(); }) &&
         std::any_of(pairs.begin(), pairs.end(), [](const ClockPair& pair) { return pair.most.has_value(); });
}

/// The pair with its hosts in ascending order.
ClockPair ascending(const ClockPair& pair) {
  if (pair.host_a < pair.host_b) return pair;
  ClockPair out{pair.host_b, pair.host_a, pair.tie, -pair.ahead, {}, {}, pair.alone_b, pair.alone_a};
  if (pair.most.has_value()) out.least = -*pair.most;
  if (pair.least.has_value()) out.most = -*pair.least;
  return out;
}

/// One difference for each two hosts that a tie of use connects, by the strongest of them.
std::vector<Difference> differences_of(const Pairs& pairs) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<ClockTie, Pairs, std::greater<>>> by_hosts;
  for (const ClockPair& pair : pairs) {
    if (pair.host_a == pair.host_b) continue;
    by_hosts[std::minmax(pair.host_a, pair.host_b)][pair.tie].push_back(ascending(pair));
  }
  std::vector<Difference> differences;
  for (const auto& [hosts, by_tie] : by_hosts) {
    for (const auto& [tie, tied] : by_tie) {
      if (tie != ClockTie::kDeviceCollective && !bounded(tied)) continue;
      Difference found = tie == ClockTie::kDeviceCollective ? by_ends(tied) : by_causes(tied);
      std::tie(found.a, found.b) = hosts;
      found.ends = range_of(ends_of(tied));
      found.weight = static_cast<double>(tied.size());
      differences.push_back(found);
      break;
    }
  }
  return differences;
}

std::vector<std::uint32_t> connected_parts(std::size_t hosts, const std::vector<Difference>& differences) {
  std::vector<std::uint32_t> part(hosts);
  std::iota(part.begin(), part.end(), 0U);
  const auto root = [&](std::uint32_t h) {
    while (part[h] != h) h = part[h] = part[part[h]];
    return h;
  };
  for (const Difference& d : differences) {
    const auto [low, high] = std::minmax({root(d.a), root(d.b)});
    part[high] = low;
  }
  for (std::uint32_t h = 0; h < hosts; ++h) part[h] = root(h);
  return part;
}

/// Minimises the sum of weight * (offset_b - offset_a - ahead)^2, with offset 0 at each part's first host.
std::vector<double> least_squares(std::size_t hosts, const std::vector<Difference>& differences,
                                  const std::vector<std::uint32_t>& part) {
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::VectorXd right = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(hosts));
  for (const Difference& d : differences) {
    const auto a = static_cast<int>(d.a);
    const auto b = static_cast<int>(d.b);
    entries.emplace_back(a, a, d.weight);
    entries.emplace_back(b, b, d.weight);
    entries.emplace_back(a, b, -d.weight);
    entries.emplace_back(b, a, -d.weight);
    const auto ahead = static_cast<double>(d.ahead.count());  // exact up to 2^53 ns, 104 days
    right[a] -= d.weight * ahead;
    right[b] += d.weight * ahead;
  }
  for (std::uint32_t h = 0; h < hosts; ++h) {
    if (part[h] == h) entries.emplace_back(static_cast<int>(h), static_cast<int>(h), 1.0);
  }
  Eigen::SparseMatrix<double> laplacian(static_cast<Eigen::Index>(hosts), static_cast<Eigen::Index>(hosts));
  laplacian.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(laplacian);
  const Eigen::VectorXd solution = solver.solve(right);
  std::vector<double> offsets(hosts);
  for (std::size_t h = 0; h < hosts; ++h) {
    offsets[h] = solution[static_cast<Eigen::Index>(h)] - solution[static_cast<Eigen::Index>(part[h])];
  }
  return offsets;
}

/// How far a value is from the farther of two bounds, which need not be around it.
Duration reach(Duration value, Bounds bounds) {
  return std::max({value - bounds.low, bounds.low - value, value - bounds.high, bounds.high - value});
}

/// Sets how far each offset may be off: the reach of what the differences leave open, summed over the shortest
/// way to the reference (Bellman-Ford). And how far apart its ends remain.
void set_residuals(const std::vector<Difference>& differences, const std::vector<std::uint32_t>& part,
                   std::vector<HostClock>& clocks) {
  constexpr Duration kFar = Duration::max();
  const auto ahead = [&](const Difference& d) { return clocks[d.b].offset - clocks[d.a].offset; };
  for (const Difference& d : differences) {
    for (const std::uint32_t h : {d.a, d.b}) clocks[h].spread = std::max(clocks[h].spread, reach(ahead(d), d.ends));
  }
  for (std::size_t h = 0; h < clocks.size(); ++h) clocks[h].residual = part[h] == h ? Duration{} : kFar;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Difference& d : differences) {
      const Duration off = reach(ahead(d), d.open);
      for (const auto& [from, to] : {std::pair{d.a, d.b}, std::pair{d.b, d.a}}) {
        if (clocks[from].residual == kFar || off >= clocks[to].residual - clocks[from].residual) continue;
        clocks[to].residual = clocks[from].residual + off;
        changed = true;
      }
    }
  }
}

}  // namespace

std::vector<HostClock> align_clocks(const std::vector<std::string>& hosts, const std::vector<ClockPair>& pairs,
                                    std::vector<std::uint32_t>& part) {
  const std::vector<Difference> differences = differences_of(pairs);
  part = connected_parts(hosts.size(), differences);
  const std::vector<double> offsets = least_squares(hosts.size(), differences, part);
  std::vector<HostClock> clocks;
  for (std::size_t h = 0; h < hosts.size(); ++h)
    clocks.push_back({hosts[h], Duration{std::llround(offsets[h])}, {}, 0, {}});
  set_residuals(differences, part, clocks);
  return clocks;
}

}  // namespace stepsim::ingest
