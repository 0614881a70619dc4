#include "ingest/stitch/execution_graph/execution_graph.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/ingest/stitched.h"

namespace stepsim::ingest::execution_graph_test {
namespace {

using testing::edge;
using testing::task_of;
using testing::us;
using Kind = ExecutionGraph::Kind;

/// The execution trace of one rank. Each node takes 1 us.
class Graph {
 public:
  /// Adds a node with the next id. `after` are the ids that it depends on.
  Graph& node(const std::string& name, Kind kind, std::int64_t row = ExecutionGraph::kNoRow,
              const std::vector<std::uint32_t>& after = {}) {
    ExecutionGraph::Node node{.id = static_cast<std::int64_t>(graph.nodes.size()), .kind = kind, .row = row};
    node.name = static_cast<std::uint32_t>(graph.texts.size());
    node.duration = us(1);
    graph.texts.push_back(name);
    graph.after.insert(graph.after.end(), after.begin(), after.end());
    node.after_end = graph.after.size();
    graph.nodes.push_back(node);
    return *this;
  }

  ExecutionGraph graph;
};

/// Returns the capture of a job with the ranks 0, 1, ..., which have these graphs.
Capture stitched(const std::vector<Graph>& graphs) {
  std::vector<ExecutionRank> ranks;
  ranks.reserve(graphs.size());
  for (const Graph& graph : graphs)
    ranks.push_back({graph.graph, "graph" + std::to_string(ranks.size()), static_cast<Rank>(ranks.size())});
  Assembly assembly;
  stitch_execution_graphs(std::move(ranks), assembly);
  return finish(std::move(assembly));
}

TEST(ExecutionGraphTest, ANodeWaitsForThoseItDependsOnAndForNoOther) {
  // The nodes of a rank have no threads or streams, so nothing but their dependencies orders them.
  Graph graph;
  graph.node("load", Kind::kHost)
      .node("scale", Kind::kHost)
      .node("compute", Kind::kDevice, ExecutionGraph::kNoRow, {0});
  const Capture capture = stitched({graph, graph});

  for (const Rank rank : {0, 1}) {
    const TaskId load = task_of(capture, rank, "load");
    const TaskId compute = task_of(capture, rank, "compute");
    ASSERT_TRUE(edge(capture, load, compute)) << rank;
    EXPECT_EQ(edge(capture, load, compute)->kind, EdgeKind::kData);
    EXPECT_EQ(capture.dag.successors(load).size(), 1U);
    EXPECT_TRUE(capture.dag.successors(task_of(capture, rank, "scale")).empty());
  }
}

TEST(ExecutionGraphTest, AStreamRunsItsNodesByIdAsFarAsDependenciesAllow) {
  constexpr std::int64_t kStream = 7;
  Graph graph;
  graph.node("third", Kind::kDevice, kStream, {2}).node("first", Kind::kDevice, kStream);
  graph.node("second", Kind::kDevice, kStream).node("elsewhere", Kind::kDevice, 8);
  const Capture capture = stitched({graph});

  const TaskId second = task_of(capture, 0, "second");
  EXPECT_EQ(edge(capture, task_of(capture, 0, "first"), second)->kind, EdgeKind::kStream);
  EXPECT_EQ(edge(capture, second, task_of(capture, 0, "third"))->kind, EdgeKind::kData);
  EXPECT_TRUE(capture.dag.successors(task_of(capture, 0, "third")).empty());
  EXPECT_TRUE(capture.dag.successors(task_of(capture, 0, "elsewhere")).empty());
}

}  // namespace
}  // namespace stepsim::ingest::execution_graph_test
