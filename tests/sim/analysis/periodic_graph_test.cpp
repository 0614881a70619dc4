#include "sim/analysis/periodic_graph.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace stepsim::sim {
namespace {

using Node = PeriodicGraph::Node;

TEST(PeriodicGraphTest, RoundOfAChainThatGoesOnAtOnceTakesItsSumAndItsDelays) {
  PeriodicGraph graph;
  const Node first = graph.add_task(Duration{10});
  const Node second = graph.add_task(Duration{20});
  graph.add_edge(first, second, Duration{3});
  graph.add_edge_to_next(second, first, Duration{4});
  graph.watch(second);
  EXPECT_EQ(graph.pace(), Duration{10 + 3 + 20 + 4});
}

TEST(PeriodicGraphTest, SlowerOfTwoCyclesSetsThePaceOfWhatFollowsIt) {
  // The thread launches a kernel every 10 ns, but the stream needs 25 ns for each.
  PeriodicGraph graph;
  const Node launch = graph.add_task(Duration{10});
  const Node kernel = graph.add_task(Duration{25});
  graph.add_edge(launch, kernel, Duration{});
  graph.add_edge_to_next(launch, launch, Duration{});
  graph.add_edge_to_next(kernel, kernel, Duration{});
  graph.watch(kernel);
  EXPECT_EQ(graph.pace(), Duration{25});
}

TEST(PeriodicGraphTest, SlowestClockCounts) {
  PeriodicGraph graph;
  for (const int duration : {5, 9, 7}) {
    const Node task = graph.add_task(Duration{duration});
    graph.add_edge_to_next(task, task, Duration{});
    graph.watch(task);
  }
  EXPECT_EQ(graph.pace(), Duration{9});
}

TEST(PeriodicGraphTest, MembersOfARendezvousWaitForTheLastOne) {
  // The ranks compute for 10 and 30 ns, and then take part in a collective of 5 ns.
  PeriodicGraph graph;
  const std::array computes{graph.add_task(Duration{10}), graph.add_task(Duration{30})};
  const std::array members{graph.add_task(Duration{5}), graph.add_task(Duration{5})};
  graph.add_rendezvous(members);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    graph.add_edge(computes[rank], members[rank], Duration{});
    graph.add_edge_to_next(members[rank], computes[rank], Duration{});
    graph.watch(computes[rank]);
  }
  EXPECT_EQ(graph.pace(), Duration{30 + 5});
}

TEST(PeriodicGraphTest, HeadStartLetsATaskBeginBeforeTheEndOfItsPredecessor) {
  PeriodicGraph graph;
  const Node send = graph.add_task(Duration{10});
  const Node next = graph.add_task(Duration{20});
  graph.add_edge(send, next, Duration{-6});
  graph.add_edge_to_next(next, send, Duration{});
  graph.watch(next);
  EXPECT_EQ(graph.pace(), Duration{10 - 6 + 20});
}

TEST(PeriodicGraphTest, RoundsThatTakeTurnsTakeTheirMean) {
  // a waits for b of the previous round, and b for a of the previous round. So this cycle takes 10 + 30 ns for two
  // rounds.
  PeriodicGraph graph;
  const Node a = graph.add_task(Duration{10});
  const Node b = graph.add_task(Duration{30});
  graph.add_edge_to_next(a, b, Duration{});
  graph.add_edge_to_next(b, a, Duration{});
  graph.watch(a);
  graph.watch(b);
  EXPECT_EQ(graph.pace(), Duration{(10 + 30) / 2});
}

TEST(PeriodicGraphTest, NothingThatIsWatchedHasNoPace) {
  PeriodicGraph graph;
  (void)graph.add_task(Duration{10});
  EXPECT_EQ(graph.pace(), Duration{});
}

TEST(PeriodicGraphTest, ACycleThatStartsWithSlackIsSlowAllTheSame) {
  // The stream of the second kernel needs 7 ns in each round, but has a head start of 1000 ns: it limits the pace only
  // after a thousand rounds, in which the first stream's 6 ns do.
  PeriodicGraph graph;
  const Node first = graph.add_task(Duration{6});
  const Node wait = graph.add_task(Duration{1});
  const Node second = graph.add_task(Duration{7});
  graph.add_edge(first, wait, Duration{});
  graph.add_edge(second - 1, second, Duration{-1000});
  graph.add_edge_to_next(first, first, Duration{});
  graph.add_edge_to_next(second, second, Duration{});
  for (const Node task : {first, wait, second}) graph.watch(task);
  EXPECT_EQ(graph.pace(), Duration{7});
  const PeriodicGraph::Cycle cycle = graph.critical_cycle().value();
  EXPECT_EQ(cycle.tasks, std::vector<Node>{second});
  EXPECT_EQ(cycle.rounds, 1U);
}

TEST(PeriodicGraphTest, AMeanIsRoundedOnce) {
  PeriodicGraph graph;
  std::vector<Node> tasks;
  for (const int duration : {5, 5, 7}) tasks.push_back(graph.add_task(Duration{duration}));
  for (std::size_t i = 0; i < 3; ++i) graph.add_edge_to_next(tasks[i], tasks[(i + 1) % 3], Duration{});
  graph.watch(tasks[0]);
  EXPECT_EQ(graph.pace(), Duration{6});  // 17 / 3
  const PeriodicGraph::Cycle cycle = graph.critical_cycle().value();
  EXPECT_EQ(cycle.length, Duration{17});
  EXPECT_EQ(cycle.rounds, 3U);
}

TEST(PeriodicGraphTest, ACycleThatNothingWatchedWaitsForDoesNotCount) {
  PeriodicGraph graph;
  for (const int duration : {5, 50}) {
    const Node task = graph.add_task(Duration{duration});
    graph.add_edge_to_next(task, task, Duration{});
  }
  graph.watch(0);
  EXPECT_EQ(graph.pace(), Duration{5});
}

}  // namespace
}  // namespace stepsim::sim
