#include "ingest/stitch/host_device/clock.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include "model/base/median.h"

namespace stepsim::ingest {
namespace {

struct Difference {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  double ahead = 0;   // of b over a, in nanoseconds; exact up to 2^53 ns, 104 days
  double weight = 0;  // number of pairs
};

std::vector<Difference> median_differences(const std::vector<ClockPair>& pairs) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::int64_t>> by_hosts;
  for (const ClockPair& pair : pairs) {
    if (pair.host_a == pair.host_b) continue;
    const bool swapped = pair.host_a > pair.host_b;
    const std::int64_t ahead = (pair.at_b - pair.at_a).count();
    by_hosts[std::minmax(pair.host_a, pair.host_b)].push_back(swapped ? -ahead : ahead);
  }
  std::vector<Difference> differences;
  differences.reserve(by_hosts.size());
  for (const auto& [hosts, values] : by_hosts) {
    differences.push_back(
        {hosts.first, hosts.second, static_cast<double>(upper_median(values)), static_cast<double>(values.size())});
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
    right[a] -= d.weight * d.ahead;
    right[b] += d.weight * d.ahead;
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

}  // namespace

std::vector<HostClock> align_clocks(const std::vector<std::string>& hosts, const std::vector<ClockPair>& pairs,
                                    std::vector<std::uint32_t>& part) {
  const std::vector<Difference> differences = median_differences(pairs);
  part = connected_parts(hosts.size(), differences);
  const std::vector<double> offsets = least_squares(hosts.size(), differences, part);
  std::vector<HostClock> clocks;
  for (std::size_t h = 0; h < hosts.size(); ++h)
    clocks.push_back({hosts[h], Duration{std::llround(offsets[h])}, {}, 0});
  for (const ClockPair& pair : pairs) {
    const Duration left = (pair.at_b - clocks[pair.host_b].offset) - (pair.at_a - clocks[pair.host_a].offset);
    const Duration size = std::max(left, -left);
    for (const std::uint32_t h : {pair.host_a, pair.host_b}) clocks[h].residual = std::max(clocks[h].residual, size);
  }
  return clocks;
}

}  // namespace stepsim::ingest
