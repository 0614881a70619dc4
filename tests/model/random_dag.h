#ifndef STEPSIM_TESTS_MODEL_RANDOM_DAG_H
#define STEPSIM_TESTS_MODEL_RANDOM_DAG_H

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "model/dag_builder.h"

namespace stepsim::testing {

/// Seed of a random test: STEPSIM_TEST_SEED if it is set, else `otherwise`. Tests print it
/// with SCOPED_TRACE, so that a failure can be run again.
inline std::uint64_t test_seed(std::uint64_t otherwise) {
  const char* given = std::getenv("STEPSIM_TEST_SEED");
  return given == nullptr ? otherwise : std::strtoull(given, nullptr, 10);
}

/// A number in [0, bound), the same with every standard library. Precondition: bound > 0.
inline std::uint64_t below(std::mt19937_64& random, std::uint64_t bound) { return random() % bound; }

/// What a random graph is made of, before any builder has seen it.
struct RandomGraph {
  std::vector<Duration> durations;
  std::vector<DagBuilder::Edge> edges;
};

/// Up to 60 tasks, up to three times as many edges, some twice, some with a lag. With
/// `may_be_cyclic` edges go anywhere, otherwise along a hidden order unlike the ids'.
inline RandomGraph random_graph(std::mt19937_64& random, bool may_be_cyclic) {
  RandomGraph graph;
  const std::uint64_t tasks = 1 + below(random, 60);
  for (std::uint64_t i = 0; i < tasks; ++i) graph.durations.emplace_back(below(random, 100));
  std::vector<std::size_t> hidden(tasks);
  for (std::size_t i = 0; i < tasks; ++i) hidden[i] = i;
  for (std::size_t i = tasks; i > 1; --i) std::swap(hidden[i - 1], hidden[below(random, i)]);
  for (std::uint64_t i = below(random, 3 * tasks + 1); i > 0; --i) {
    std::size_t from = below(random, tasks);
    std::size_t to = below(random, tasks);
    if (!may_be_cyclic && from == to) continue;
    if (!may_be_cyclic && from > to) std::swap(from, to);
    const Duration lag{below(random, 4) == 0 ? below(random, 50) : 0};
    graph.edges.push_back({TaskId{hidden[from]}, TaskId{hidden[to]}, EdgeKind::kData, lag});
  }
  return graph;
}

/// A builder that holds `graph`, every task on one lane whose order is left to the edges.
inline DagBuilder builder_of(const RandomGraph& graph, std::mt19937_64& random) {
  DagBuilder builder;
  const LaneId lane = builder.add_lane(Lane{});
  for (const Duration duration : graph.durations) {
    const NameId name = builder.intern("task " + std::to_string(builder.task_count()));
    const Time hint{Duration{below(random, 1000)}};
    builder.add_task(TaskSpec{.name = name, .lane = lane, .duration = duration, .hint = hint});
  }
  for (const DagBuilder::Edge& edge : graph.edges) builder.add_edge(edge.from, edge.to, edge.kind, edge.lag);
  return builder;
}

}  // namespace stepsim::testing

#endif
