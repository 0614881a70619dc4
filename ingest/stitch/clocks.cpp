#include "ingest/stitch/clocks.h"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <boost/graph/bellman_ford_shortest_paths.hpp>
#include <boost/graph/graph_traits.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <cmath>
#include <functional>
#include <utility>

namespace stepsim::ingest {
namespace {

/// The largest accepted clock difference, 73 years: one clock may count from 1970, the other from the start of its
/// host.
constexpr Duration kFurthest{2'300'000'000'000'000'000};
/// The sum of bounds for a clock that no chain of bounds reaches.
constexpr Duration kUnknown = Duration::max();

/// The clock `to` is ahead of `from` by at most `most`.
struct Bound {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Duration most{};
};

/// Bounds as a graph for Boost.Graph, without copies: its edges are pointers to the bounds. If `backward`, an edge
/// leads from the bound's `to` to its `from`.
struct BoundGraph {
  // NOLINTBEGIN(readability-identifier-naming): the names that Boost.Graph looks for
  using vertex_descriptor = std::uint32_t;
  using edge_descriptor = const Bound*;
  using edge_iterator = boost::counting_iterator<const Bound*>;
  using edges_size_type = std::size_t;
  using directed_category = boost::directed_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  using traversal_category = boost::edge_list_graph_tag;
  // NOLINTEND(readability-identifier-naming)
  const std::vector<Bound>& bounds;
  bool backward = false;
};

std::pair<BoundGraph::edge_iterator, BoundGraph::edge_iterator> edges(const BoundGraph& graph) {
  const Bound* const first = graph.bounds.data();
  return {BoundGraph::edge_iterator{first}, BoundGraph::edge_iterator{first + graph.bounds.size()}};
}
std::size_t num_edges(const BoundGraph& graph) { return graph.bounds.size(); }
std::uint32_t source(const Bound* bound, const BoundGraph& graph) { return graph.backward ? bound->to : bound->from; }
std::uint32_t target(const Bound* bound, const BoundGraph& graph) { return graph.backward ? bound->from : bound->to; }

/// Returns for each clock the smallest sum of bounds over all chains of bounds from `reference` to it, or from it to
/// `reference` if `backward` is set; kUnknown if there is no chain.
std::vector<Duration> chained(const std::vector<Bound>& bounds, bool backward, std::size_t clocks,
                              std::uint32_t reference) {
  std::vector<Duration> sums(clocks, kUnknown);
  sums[reference] = Duration{};
  const auto add = [](Duration sum, Duration bound) {
    if (sum == kUnknown) return sum;
    return -kFurthest <= sum + bound && sum + bound <= kFurthest ? sum + bound : kUnknown;
  };
  const BoundGraph graph{bounds, backward};
  // The reference stays at 0 even if bounds contradict each other. Contradicting chains form negative cycles;
  // Bellman-Ford then stops after as many rounds as there are clocks.
  const auto weight = boost::make_function_property_map<const Bound*>(
      [&](const Bound* bound) { return target(bound, graph) == reference ? kFurthest : bound->most; });
  (void)boost::bellman_ford_shortest_paths(graph, clocks, weight, boost::dummy_property_map{}, sums.data(), add,
                                           std::less<>{}, boost::bellman_visitor<>{});
  return sums;
}

/// Returns all clocks. A clock is marked as known if a chain of estimates connects it to the reference. The offset of a
/// known clock is the sum of the estimates along one such chain.
std::vector<AlignedClock> along_a_tree(std::size_t clocks, std::uint32_t reference,
                                       const std::vector<ClockDifference>& differences) {
  std::vector<AlignedClock> aligned(clocks);
  aligned[reference].known = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (const ClockDifference& d : differences) {
      AlignedClock& a = aligned[d.a];
      AlignedClock& b = aligned[d.b];
      if (a.known == b.known) continue;
      if (a.known) {
        b = {a.offset + *d.estimate, {}, true};
      } else {
        a = {b.offset - *d.estimate, {}, true};
      }
      changed = true;
    }
  }
  return aligned;
}

/// Corrects the offsets so that the weighted sum of the squared deviations from the estimates is minimal.
void refine(std::vector<AlignedClock>& clocks, std::uint32_t reference,
            const std::vector<ClockDifference>& differences) {
  const auto count = static_cast<Eigen::Index>(clocks.size());
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::VectorXd right = Eigen::VectorXd::Zero(count);
  for (const ClockDifference& d : differences) {
    if (!clocks[d.a].known) continue;
    const auto a = static_cast<int>(d.a);
    const auto b = static_cast<int>(d.b);
    const Duration left = *d.estimate - (clocks[d.b].offset - clocks[d.a].offset);
    entries.insert(entries.end(), {{a, a, d.weight}, {b, b, d.weight}, {a, b, -d.weight}, {b, a, -d.weight}});
    right[a] -= d.weight * static_cast<double>(left.count());
    right[b] += d.weight * static_cast<double>(left.count());
  }
  if (right.isZero(0)) return;
  for (std::uint32_t c = 0; c < clocks.size(); ++c) {
    if (c == reference || !clocks[c].known) entries.emplace_back(static_cast<int>(c), static_cast<int>(c), 1.0);
  }
  Eigen::SparseMatrix<double> laplacian(count, count);
  laplacian.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(laplacian);
  const Eigen::VectorXd more = solver.solve(right);
  for (std::size_t c = 0; c < clocks.size(); ++c) {
    if (clocks[c].known)
      clocks[c].offset += Duration{std::llround(more[static_cast<Eigen::Index>(c)] - more[reference])};
  }
}

std::vector<AlignedClock> by_estimates(std::size_t clocks, std::uint32_t reference,
                                       const std::vector<ClockDifference>& differences) {
  std::vector<AlignedClock> aligned = along_a_tree(clocks, reference, differences);
  refine(aligned, reference, differences);
  std::vector<Bound> open;
  for (const ClockDifference& d : differences) {
    const Duration reach = std::min(d.bounds.reach(aligned[d.b].offset - aligned[d.a].offset), kFurthest);
    open.insert(open.end(), {{d.a, d.b, reach}, {d.b, d.a, reach}});
  }
  const std::vector<Duration> residual = chained(open, false, clocks, reference);
  for (std::size_t c = 0; c < clocks; ++c) {
    if (aligned[c].known) aligned[c].residual = std::min(residual[c], kFurthest);
  }
  return aligned;
}

std::vector<AlignedClock> by_bounds(std::size_t clocks, std::uint32_t reference,
                                    const std::vector<ClockDifference>& differences) {
  std::vector<Bound> bounds;
  for (const auto& [a, b, within, estimate, weight] : differences) {
    if (within.most) bounds.push_back({a, b, *within.most});
    if (within.least) bounds.push_back({b, a, -*within.least});
  }
  const std::vector<Duration> ahead = chained(bounds, false, clocks, reference);
  const std::vector<Duration> behind = chained(bounds, true, clocks, reference);
  std::vector<AlignedClock> aligned(clocks);
  aligned[reference].known = true;
  for (std::size_t c = 0; c < clocks; ++c) {
    if (c == reference || ahead[c] == kUnknown || behind[c] == kUnknown) continue;
    const ClockBounds bounds_of_clock{-behind[c], ahead[c]};
    const bool may_agree = behind[c] >= Duration{} && ahead[c] >= Duration{};
    const Duration offset = may_agree ? Duration{} : -behind[c] + (ahead[c] + behind[c]) / 2;
    aligned[c] = {offset, bounds_of_clock.reach(offset), true};
  }
  return aligned;
}

}  // namespace

std::vector<AlignedClock> align_clocks(std::size_t clocks, std::uint32_t reference,
                                       const std::vector<ClockDifference>& differences) {
  const bool estimated = std::any_of(differences.begin(), differences.end(),
                                     [](const ClockDifference& d) { return d.estimate.has_value(); });
  return estimated ? by_estimates(clocks, reference, differences) : by_bounds(clocks, reference, differences);
}

}  // namespace stepsim::ingest
