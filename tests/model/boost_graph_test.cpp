#include "model/boost_graph.h"

#include <gtest/gtest.h>

#include <boost/concept/assert.hpp>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dag_shortest_paths.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/incremental_components.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/graph/topological_sort.hpp>
#include <boost/pending/disjoint_sets.hpp>
#include <boost/property_map/function_property_map.hpp>

#include "tests/model/random_dag.h"

namespace stepsim {
namespace {

using testing::below;
using testing::builder_of;
using testing::random_graph;
using testing::RandomGraph;
using testing::test_seed;

BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<Dag>));
BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<Dag>));
BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<Dag>));

constexpr int kGraphs = 300;

/// Runs `check(random)` for kGraphs seeds and names the one that fails.
template <class Check>
void for_random_graphs(Check check) {
  const std::uint64_t first = test_seed(1);
  for (std::uint64_t seed = first; seed < first + kGraphs && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("STEPSIM_TEST_SEED=" + std::to_string(seed));
    std::mt19937_64 random{seed};
    check(random);
  }
}

using PlainGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

bool boost_finds_a_cycle(const RandomGraph& graph) {
  PlainGraph plain(graph.durations.size());
  for (const DagBuilder::Edge& edge : graph.edges) boost::add_edge(edge.from.index(), edge.to.index(), plain);
  std::vector<std::size_t> order;
  try {
    boost::topological_sort(plain, std::back_inserter(order));
  } catch (const boost::not_a_dag&) {
    return true;
  }
  return false;
}

/// Latest end over all ways to each task: a source's own duration, or the latest
/// predecessor's end plus lag and duration. Right only because ids ascend along edges.
std::vector<std::int64_t> latest_ends(const Dag& dag) {
  std::vector<std::int64_t> end(dag.task_count());
  for (std::size_t i = 0; i < dag.task_count(); ++i) {
    const TaskId task{i};
    end[i] += dag.duration(task).count();
    for (EdgeId edge = dag.first_edge(task); edge < dag.first_edge(TaskId{i + 1}); edge = EdgeId{edge.index() + 1}) {
      std::int64_t& next = end[dag.target(edge).index()];
      next = std::max(next, end[i] + dag.lag(edge).count());
    }
  }
  return end;
}

/// The same by Boost: the longest path is the shortest with all lengths negated.
std::vector<std::int64_t> latest_ends_by_boost(const Dag& dag) {
  constexpr std::int64_t kUnreached = std::int64_t{1} << 60;
  const auto length = boost::make_function_property_map<DagEdge>(
      [&](const DagEdge& edge) { return -dag.duration(edge.from).count() - dag.lag(edge.edge).count(); });
  std::vector<std::int64_t> latest(dag.task_count(), 0);
  for (const TaskId root : boost::make_iterator_range(vertices(dag))) {
    if (dag.in_degrees()[root.index()] > 0) continue;
    std::vector<std::int64_t> distance(dag.task_count());
    std::vector<boost::default_color_type> color(dag.task_count());
    std::vector<TaskId> predecessor(dag.task_count());
    const DagTaskIndex index;
    boost::dag_shortest_paths(dag, root, boost::make_iterator_property_map(distance.begin(), index), length,
                              boost::make_iterator_property_map(color.begin(), index),
                              boost::make_iterator_property_map(predecessor.begin(), index),
                              boost::default_dijkstra_visitor(), std::less<>{},
                              boost::closed_plus<std::int64_t>(kUnreached), kUnreached, std::int64_t{0});
    for (std::size_t i = 0; i < distance.size(); ++i) {
      if (distance[i] < kUnreached) latest[i] = std::max(latest[i], dag.duration(TaskId{i}).count() - distance[i]);
    }
  }
  return latest;
}

TEST(BoostGraphPropertyTest, BuilderFindsACycleExactlyWhereBoostDoes) {
  int cyclic = 0;
  for_random_graphs([&](std::mt19937_64& random) {
    const RandomGraph graph = random_graph(random, true);
    const bool expected = boost_finds_a_cycle(graph);
    bool found = false;
    try {
      static_cast<void>(builder_of(graph, random).build());
    } catch (const CycleError&) {
      found = true;
    }
    EXPECT_EQ(found, expected);
    cyclic += expected ? 1 : 0;
  });
  EXPECT_GT(cyclic, kGraphs / 10) << "too few of the graphs had a cycle";
  EXPECT_LT(cyclic, kGraphs * 9 / 10) << "too few of the graphs had none";
}

TEST(BoostGraphPropertyTest, IdsAreATopologicalOrderAndBoostFindsOneToo) {
  for_random_graphs([](std::mt19937_64& random) {
    const Dag dag = std::move(builder_of(random_graph(random, false), random).build().dag);
    std::vector<TaskId> last_first;
    boost::topological_sort(dag, std::back_inserter(last_first));
    ASSERT_EQ(last_first.size(), dag.task_count());
    std::vector<std::size_t> place(dag.task_count());
    for (std::size_t i = 0; i < last_first.size(); ++i) place[last_first[i].index()] = last_first.size() - 1 - i;
    for (const DagEdge& edge : boost::make_iterator_range(edges(dag))) {
      EXPECT_LT(source(edge, dag), target(edge, dag));
      EXPECT_LT(place[source(edge, dag).index()], place[target(edge, dag).index()]);
    }
  });
}

TEST(BoostGraphPropertyTest, LongestPathsEqualBoosts) {
  for_random_graphs([](std::mt19937_64& random) {
    const Dag dag = std::move(builder_of(random_graph(random, false), random).build().dag);
    EXPECT_EQ(latest_ends(dag), latest_ends_by_boost(dag));
  });
}

TEST(BoostGraphPropertyTest, EveryTaskIsAStrongComponentOfItsOwn) {
  for_random_graphs([](std::mt19937_64& random) {
    const Dag dag = std::move(builder_of(random_graph(random, false), random).build().dag);
    std::vector<std::size_t> component(dag.task_count());
    const auto count =
        boost::strong_components(dag, boost::make_iterator_property_map(component.begin(), DagTaskIndex{}));
    EXPECT_EQ(static_cast<std::size_t>(count), dag.task_count());
  });
}

TEST(BoostGraphTest, IndependentPartsAreFoundByIncrementalComponents) {
  DagBuilder builder;
  const TaskSpec task{.name = builder.intern("task"), .lane = builder.add_lane(Lane{})};
  const TaskId a = builder.add_task(task);
  const TaskId b = builder.add_task(task);
  const TaskId c = builder.add_task(task);
  builder.add_edge(a, c, EdgeKind::kData);
  const auto [dag, new_id] = std::move(builder).build();
  std::vector<std::size_t> rank(dag.task_count());
  std::vector<TaskId> parent(dag.task_count());
  boost::disjoint_sets sets(boost::make_iterator_property_map(rank.begin(), DagTaskIndex{}),
                            boost::make_iterator_property_map(parent.begin(), DagTaskIndex{}));
  boost::initialize_incremental_components(dag, sets);
  boost::incremental_components(dag, sets);
  EXPECT_EQ(sets.find_set(new_id[a.index()]), sets.find_set(new_id[c.index()]));
  EXPECT_NE(sets.find_set(new_id[a.index()]), sets.find_set(new_id[b.index()]));
}

TEST(BoostGraphTest, EdgesAreListedOnceEachWithTheirSource) {
  DagBuilder builder;
  const TaskSpec task{.name = builder.intern("task"), .lane = builder.add_lane(Lane{})};
  for (int i = 0; i < 5; ++i) builder.add_task(task);
  // Tasks 1 and 3 have no edge out, so the list must skip from 0 to 2 and end there.
  builder.add_edge(TaskId{0}, TaskId{1}, EdgeKind::kData);
  builder.add_edge(TaskId{0}, TaskId{4}, EdgeKind::kData);
  builder.add_edge(TaskId{2}, TaskId{3}, EdgeKind::kData);
  const Dag dag = std::move(std::move(builder).build().dag);
  std::vector<std::pair<std::size_t, std::size_t>> listed;
  for (const DagEdge& edge : boost::make_iterator_range(edges(dag))) {
    listed.emplace_back(source(edge, dag).index(), target(edge, dag).index());
  }
  EXPECT_EQ(num_edges(dag), 3U);
  EXPECT_EQ(listed, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {0, 4}, {2, 3}}));
}

TEST(BoostGraphTest, EmptyDagHasNoVerticesAndNoEdges) {
  const Dag dag = std::move(DagBuilder{}.build().dag);
  EXPECT_EQ(num_vertices(dag), 0U);
  EXPECT_TRUE(edges(dag).first == edges(dag).second);
}

}  // namespace
}  // namespace stepsim
