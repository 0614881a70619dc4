// Compares our graph algorithms with those of Boost.Graph, which read a Dag through the adaptor.

#include "tests/property/boost_graph.h"

#include <gtest/gtest.h>

#include <boost/concept/assert.hpp>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dag_shortest_paths.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/incremental_components.hpp>
#include <boost/graph/topological_sort.hpp>
#include <boost/pending/disjoint_sets.hpp>
#include <boost/property_map/function_property_map.hpp>

#include "model/job/dag_builder.h"
#include "sim/engine/engine.h"
#include "tests/property/random_dag.h"

namespace stepsim {
namespace {

using testing::random_dag;
using testing::test_seed;

BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<Dag>));
BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<Dag>));
BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<Dag>));

constexpr int kGraphs = 300;
/// In these graphs only edges and lags determine when a task starts.
constexpr testing::RandomDagShape kEdgesOnly{.most_tasks = 100, .fifo_lanes = false, .rendezvous = false};

/// Runs `check(generator)` for kGraphs seeds and reports the first that fails.
template <class Check>
void for_random_graphs(Check check) {
  for (std::uint32_t seed = test_seed(); seed < test_seed() + kGraphs && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("STEPSIM_TEST_SEED=" + std::to_string(seed));
    std::mt19937 generator{seed};
    check(generator);
  }
}

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

/// Returns up to `tasks` edges between random tasks, in any direction. About half of such graphs have a cycle.
Edges random_edges(std::mt19937& generator, std::size_t tasks) {
  Edges edges;
  for (std::size_t i = generator() % (tasks + 1); i > 0; --i)
    edges.emplace_back(generator() % tasks, generator() % tasks);
  return edges;
}

bool builder_finds_a_cycle(const Edges& edges, std::size_t tasks) {
  DagBuilder builder;
  const TaskSpec task{.name = builder.intern("task"), .lane = builder.add_lane(Lane{})};
  for (std::size_t i = 0; i < tasks; ++i) builder.add_task(task);
  for (const auto& [from, to] : edges) builder.add_edge(TaskId{from}, TaskId{to}, EdgeKind::kData);
  try {
    static_cast<void>(std::move(builder).build());
  } catch (const CycleError&) {
    return true;
  }
  return false;
}

bool boost_finds_a_cycle(const Edges& edges, std::size_t tasks) {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  const Graph graph(edges.begin(), edges.end(), tasks);
  std::vector<std::size_t> order;
  try {
    boost::topological_sort(graph, std::back_inserter(order));
  } catch (const boost::not_a_dag&) {
    return true;
  }
  return false;
}

/// Returns the latest end over all paths from `root` to each task; 0 for tasks that it does not reach. The longest
/// path is the shortest path with all lengths negated.
std::vector<std::int64_t> latest_ends_from(TaskId root, const Dag& dag) {
  constexpr std::int64_t kUnreached = std::int64_t{1} << 60;
  const auto length = boost::make_function_property_map<DagEdge>(
      [&](const DagEdge& edge) { return -dag.duration(edge.from).count() - dag.lag(edge.edge).count(); });
  std::vector<std::int64_t> distance(dag.task_count());
  std::vector<boost::default_color_type> color(dag.task_count());
  std::vector<TaskId> predecessor(dag.task_count());
  const auto by_task = [](auto& column) { return boost::make_iterator_property_map(column.begin(), DagTaskIndex{}); };
  boost::dag_shortest_paths(dag, root, by_task(distance), length, by_task(color), by_task(predecessor),
                            boost::default_dijkstra_visitor(), std::less<>{},
                            boost::closed_plus<std::int64_t>(kUnreached), kUnreached, std::int64_t{0});
  std::vector<std::int64_t> ends(dag.task_count());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (distance[i] < kUnreached) ends[i] = dag.duration(TaskId{i}).count() - distance[i];
  }
  return ends;
}

std::vector<std::int64_t> latest_ends_by_boost(const Dag& dag) {
  std::vector<std::int64_t> latest(dag.task_count());
  for (const TaskId root : boost::make_iterator_range(vertices(dag))) {
    if (dag.in_degrees()[root.index()] > 0) continue;
    const std::vector<std::int64_t> ends = latest_ends_from(root, dag);
    for (std::size_t i = 0; i < ends.size(); ++i) latest[i] = std::max(latest[i], ends[i]);
  }
  return latest;
}

TEST(BoostGraphPropertyTest, BuilderFindsACycleExactlyWhereBoostDoes) {
  int cyclic = 0;
  for_random_graphs([&](std::mt19937& generator) {
    const std::size_t tasks = 1 + generator() % 40;
    const Edges edges = random_edges(generator, tasks);
    const bool expected = boost_finds_a_cycle(edges, tasks);
    EXPECT_EQ(builder_finds_a_cycle(edges, tasks), expected);
    cyclic += expected ? 1 : 0;
  });
  EXPECT_GT(cyclic, kGraphs / 10) << "too few of the graphs had a cycle";
  EXPECT_LT(cyclic, kGraphs * 9 / 10) << "too few of the graphs had none";
}

TEST(BoostGraphPropertyTest, IdsAreATopologicalOrderAndBoostFindsOneToo) {
  for_random_graphs([](std::mt19937& generator) {
    const Dag dag = random_dag(generator, {.most_tasks = 100});
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

TEST(BoostGraphPropertyTest, ReplayWithoutQueuesEndsEachTaskWhereBoostsLongestPathDoes) {
  for_random_graphs([](std::mt19937& generator) {
    const Dag dag = random_dag(generator, kEdgesOnly);
    const sim::Timeline timeline = sim::replay(dag, sim::Machine{dag});
    std::vector<std::int64_t> ends;
    for (const Time finish : timeline.finish) ends.push_back(finish.time_since_epoch().count());
    EXPECT_EQ(ends, latest_ends_by_boost(dag));
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
  // Tasks 1 and 3 have no outgoing edge, so the list must skip from 0 to 2 and end there.
  builder.add_edge(TaskId{0}, TaskId{1}, EdgeKind::kData);
  builder.add_edge(TaskId{0}, TaskId{4}, EdgeKind::kData);
  builder.add_edge(TaskId{2}, TaskId{3}, EdgeKind::kData);
  const Dag dag = std::move(builder).build().dag;
  std::vector<std::pair<std::size_t, std::size_t>> listed;
  for (const DagEdge& edge : boost::make_iterator_range(edges(dag))) {
    listed.emplace_back(source(edge, dag).index(), target(edge, dag).index());
  }
  EXPECT_EQ(num_edges(dag), 3U);
  EXPECT_EQ(listed, (Edges{{0, 1}, {0, 4}, {2, 3}}));
}

TEST(BoostGraphTest, EmptyDagHasNoVerticesAndNoEdges) {
  const Dag dag = DagBuilder{}.build().dag;
  EXPECT_EQ(num_vertices(dag), 0U);
  EXPECT_TRUE(edges(dag).first == edges(dag).second);
}

}  // namespace
}  // namespace stepsim
