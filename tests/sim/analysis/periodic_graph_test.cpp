#include "sim/analysis/steady.h"

#include <gtest/gtest.h>

#include <array>

namespace stepsim::sim {
namespace {

using Node = PeriodicGraph::Node;

/// Makes pace() measure the time between the ends of `task` in consecutive rounds.
void watch(PeriodicGraph& graph, Node task) { graph.watch_end(graph.add_clock(), task); }

TEST(PeriodicGraphTest, RoundOfAChainThatGoesOnAtOnceTakesItsSumAndItsDelays) {
  PeriodicGraph graph;
  const Node first = graph.add_task(Duration{10});
  const Node second = graph.add_task(Duration{20});
  graph.add_edge(first, second, Duration{3});
  graph.add_edge_to_next(second, first, Duration{4});
  watch(graph, second);
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
  watch(graph, kernel);
  EXPECT_EQ(graph.pace(), Duration{25});
}

TEST(PeriodicGraphTest, SlowestClockCounts) {
  PeriodicGraph graph;
  for (const int duration : {5, 9, 7}) {
    const Node task = graph.add_task(Duration{duration});
    graph.add_edge_to_next(task, task, Duration{});
    watch(graph, task);
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
    graph.watch_start(graph.add_clock(), computes[rank]);
  }
  EXPECT_EQ(graph.pace(), Duration{30 + 5});
}

TEST(PeriodicGraphTest, HeadStartLetsATaskBeginBeforeTheEndOfItsPredecessor) {
  PeriodicGraph graph;
  const Node send = graph.add_task(Duration{10});
  const Node next = graph.add_task(Duration{20});
  graph.add_edge(send, next, Duration{-6});
  graph.add_edge_to_next(next, send, Duration{});
  watch(graph, next);
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
  watch(graph, a);
  watch(graph, b);
  EXPECT_EQ(graph.pace(), Duration{(10 + 30) / 2});
}

TEST(PeriodicGraphTest, NothingThatIsWatchedHasNoPace) {
  PeriodicGraph graph;
  (void)graph.add_task(Duration{10});
  EXPECT_EQ(graph.pace(), Duration{});
}

}  // namespace
}  // namespace stepsim::sim
