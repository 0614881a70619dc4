// The pace of random periodic graphs, compared with Boost.Graph's maximum cycle ratio.

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/howard_cycle_ratio.hpp>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "sim/analysis/periodic_graph.h"

namespace stepsim::sim {
namespace {

using Node = PeriodicGraph::Node;

/// A random graph, kept as lists for the other solver. Tasks take longer than head starts, because Boost.Graph takes a
/// ratio of 0 or less for none.
struct RandomPeriodicGraph {
  struct Edge {
    Node from;
    Node to;
    int delay;
    int rounds;
  };
  std::vector<int> durations;
  std::vector<Edge> edges;    ///< those within a round first, by source
  std::vector<Node> members;  ///< of the only rendezvous; may be empty

  explicit RandomPeriodicGraph(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&random](int bound) { return static_cast<int>(random() % static_cast<std::uint32_t>(bound)); };
    const int tasks = 1 + below(9);
    const int largest = below(2) == 0 ? 3 : 1000;
    for (int i = 0; i < tasks; ++i) durations.push_back(6 + below(largest));
    // The members of the rendezvous come first, because they end together.
    for (int i = 0; i < std::min(tasks, below(4)); ++i) members.push_back(static_cast<Node>(i));
    if (members.size() == 1) members.clear();
    const auto joined = static_cast<Node>(members.size());
    for (Node from = 0; from < durations.size(); ++from) {
      for (Node to = std::max(from + 1, joined); to < durations.size(); ++to) {
        if (below(3) == 0) edges.push_back({from, to, below(20) - 5, 0});
      }
    }
    for (int i = below(2 * tasks); i >= 0; --i)
      edges.push_back({static_cast<Node>(below(tasks)), static_cast<Node>(below(tasks)), below(20) - 5, 1});
    for (Node task = 0; task < durations.size(); ++task) {
      if (below(4) != 0) edges.push_back({task, task, 0, 1});
    }
  }

  [[nodiscard]] PeriodicGraph graph() const {
    PeriodicGraph graph;
    for (const int duration : durations) graph.add_task(Duration{duration});
    if (!members.empty()) graph.add_rendezvous(members);
    for (const Edge& edge : edges) {
      if (edge.rounds == 0) graph.add_edge(edge.from, edge.to, Duration{edge.delay});
      if (edge.rounds == 1) graph.add_edge_to_next(edge.from, edge.to, Duration{edge.delay});
    }
    for (Node task = 0; task < durations.size(); ++task) graph.watch(task);
    return graph;
  }

  /// Returns the largest mean of a cycle by Boost.Graph; minus infinity without cycles. The members of the rendezvous
  /// are one vertex.
  [[nodiscard]] double by_boost() const {
    using Weights = boost::property<boost::edge_weight_t, double, boost::property<boost::edge_weight2_t, double>>;
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Weights>;
    const auto vertex = [this](Node task) { return task < members.size() ? Node{0} : task; };
    Graph graph(durations.size());
    for (const Edge& edge : edges) {
      const double weight = durations[edge.from] + edge.delay;
      boost::add_edge(vertex(edge.from), vertex(edge.to), Weights(weight, {static_cast<double>(edge.rounds)}), graph);
    }
    return boost::maximum_cycle_ratio(graph, boost::get(boost::vertex_index, graph),
                                      boost::get(boost::edge_weight, graph), boost::get(boost::edge_weight2, graph));
  }
};

TEST(PeriodicGraphProperty, ThePaceIsTheLargestCycleRatio) {
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    const RandomPeriodicGraph random(seed);
    const std::optional<PeriodicGraph::Cycle> cycle = random.graph().critical_cycle();
    const double expected = random.by_boost();
    if (!cycle) {
      EXPECT_TRUE(std::isinf(expected)) << seed;
      continue;
    }
    EXPECT_NEAR(static_cast<double>(cycle->length.count()) / cycle->rounds, expected, 1e-6) << seed;
  }
}

TEST(PeriodicGraphProperty, LessWorkNeverTakesLonger) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    RandomPeriodicGraph random(seed);
    const Duration before = random.graph().pace();
    random.durations[seed % random.durations.size()] /= 2;
    EXPECT_LE(random.graph().pace(), before) << seed;
  }
}

}  // namespace
}  // namespace stepsim::sim
