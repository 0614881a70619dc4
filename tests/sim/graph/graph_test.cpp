#include "sim/graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/analysis/critical_path.h"
#include "sim/analysis/longest_path.h"
#include "sim/engine/engine.h"
#include "sim/graph/graph_text.h"
#include "tests/sim/dag_maker.h"

namespace stepsim::testing {
namespace {

using sim::Fold;
using sim::Folding;
using sim::Graph;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Returns a capture of two ranks. Each runs FW.a (10 ns on rank 0, 30 ns on rank 1), BW.a (5 ns), an all-reduce with
/// the other rank (7 ns) and UPDATE (1 ns). The critical path is on rank 1.
Capture two_ranks() {
  DagMaker maker;
  TaskId parts[2];
  for (const Rank rank : {0, 1}) {
    const LaneId lane = maker.lane(rank);
    const TaskId forward = maker.task(lane, rank == 0 ? 10 : 30, {}, "FW.a", TaskKind::kOperator);
    const TaskId backward = maker.task(lane, 5, {forward}, "BW.a", TaskKind::kOperator);
    parts[rank] = maker.task(lane, 7, {backward, forward}, "all-reduce", TaskKind::kCollective);
    maker.task(lane, 1, {parts[rank]}, "UPDATE", TaskKind::kOperator);
  }
  maker.rendezvous({parts[0], parts[1]});
  Capture capture;
  capture.dag = maker.build();
  return capture;
}

Graph graph_of(const Capture& capture, const std::optional<Folding>& folding) {
  const sim::Timeline timeline = sim::replay(capture.dag, sim::Machine::as_recorded(capture), {});
  return sim::graph_of(capture, sim::critical_path(capture, timeline), folding);
}

std::vector<std::string> names_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const Graph::Node& node : graph.nodes) names.push_back(node.name);
  return names;
}

/// Returns "a-b" for each edge of this kind.
std::vector<std::string> edges_of(const Graph& graph, Graph::Link link) {
  std::vector<std::string> edges;
  for (const Graph::Edge& edge : graph.edges) {
    if (edge.link == link) edges.push_back(graph.nodes[edge.from].name + "-" + graph.nodes[edge.to].name);
  }
  return edges;
}

/// Returns a capture of two equal ranks. Step 4 has three tasks of 2 ns, and step 5 has one task of 10 ns.
Capture two_steps_of_two_ranks() {
  DagMaker maker;
  for (const Rank rank : {0, 1}) {
    const LaneId lane = maker.lane(rank);
    TaskId before = maker.task(lane, 2, {}, "FW.a", TaskKind::kOperator);
    for (const char* name : {"FW.b", "FW.c"}) before = maker.task(lane, 2, {before}, name, TaskKind::kOperator);
    maker.task(lane, 10, {before}, "BW.a", TaskKind::kOperator);
  }
  Capture capture;
  capture.dag = maker.build();
  capture.recording.ranks = {0, 1};
  for (const Rank rank : {0, 1}) {
    for (const std::int64_t number : {4, 5}) capture.recording.steps.push_back({.rank = rank, .number = number});
  }
  for (const TaskId task : capture.dag.tasks()) {
    const bool in_second = capture.dag.name(task) == "BW.a";
    capture.recording.step.push_back(2 * capture.dag.lane(task).rank + (in_second ? 1 : 0));
  }
  return capture;
}

TEST(GraphTest, PictureAndPartPathsAreOfTheStepWithMostOfThePathsTimeNotOfItsTasks) {
  const Capture capture = two_steps_of_two_ranks();
  const sim::Timeline timeline = sim::replay(capture.dag, sim::Machine::as_recorded(capture), {});
  const sim::CriticalPath path = sim::critical_path(capture, timeline);
  ASSERT_EQ(path.tasks.size(), 4U);  // three tasks of step 4 take 6 ns, one task of step 5 takes 10 ns
  EXPECT_EQ(sim::step_of_path(capture.recording, path), 5);
  EXPECT_EQ(sim::graph_of(capture, path, std::nullopt).of, "step 5");
  EXPECT_EQ(sim::part_paths(capture, timeline, path).step, 5);
}

TEST(GraphTest, UnfoldedHasANodeATaskAndAnEdgeADependency) {
  const Graph graph = graph_of(two_ranks(), std::nullopt);
  EXPECT_EQ(graph.folding.by, Fold::kTask);
  EXPECT_EQ(graph.nodes.size(), 8U);
  EXPECT_EQ(graph.tasks, 8U);
  EXPECT_EQ(graph.dependencies, 8U);
  EXPECT_EQ(edges_of(graph, Graph::Link::kDependency).size(), 8U);
  EXPECT_THAT(edges_of(graph, Graph::Link::kMeeting), ElementsAre("all-reduce-all-reduce"));
  EXPECT_EQ(graph.path, Duration{30 + 5 + 7 + 1});
}

TEST(GraphTest, ThePathIsMarkedAndAddsUp) {
  const Graph graph = graph_of(two_ranks(), Folding{Fold::kTask, true});
  Duration on_path{};
  for (const Graph::Node& node : graph.nodes) {
    const bool before = node.name == "FW.a" || node.name == "BW.a";
    if (before) {
      EXPECT_EQ(node.critical, node.rank == Rank{1}) << node.name;
    }
    on_path += node.on_path;
  }
  EXPECT_EQ(on_path, graph.path);
}

TEST(GraphTest, NamesOfAllRanksAreOneNodeWhereRanksAreMerged) {
  const Graph graph = graph_of(two_ranks(), Folding{Fold::kName, false});
  EXPECT_THAT(names_of(graph), ::testing::UnorderedElementsAre("FW.a", "BW.a", "all-reduce", "UPDATE"));
  for (const Graph::Node& node : graph.nodes) {
    EXPECT_FALSE(node.rank);
    EXPECT_EQ(node.tasks, 2U);
  }
  const auto forward =
      std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) { return node.name == "FW.a"; });
  EXPECT_EQ(forward->time, Duration{40});
  EXPECT_TRUE(forward->critical);
  EXPECT_EQ(forward->on_path, Duration{30});
  for (const Graph::Edge& edge : graph.edges) EXPECT_EQ(edge.edges, 2U);
  EXPECT_TRUE(edges_of(graph, Graph::Link::kMeeting).empty());
}

TEST(GraphTest, DependenciesInsideANodeAreCountedNotDrawn) {
  const Graph graph = graph_of(two_ranks(), Folding{Fold::kRank, true});
  EXPECT_THAT(names_of(graph), ElementsAre("rank 0", "rank 1"));
  EXPECT_EQ(graph.inner_dependencies, 8U);
  EXPECT_TRUE(edges_of(graph, Graph::Link::kDependency).empty());
  EXPECT_THAT(edges_of(graph, Graph::Link::kMeeting), ElementsAre("rank 0-rank 1"));
}

TEST(GraphTest, ALayerHoldsItsForwardBackwardAndParameters) {
  DagMaker maker;
  const LaneId lane = maker.lane(0);
  const TaskId forward = maker.task(lane, 1, {}, "FW.conv_1", TaskKind::kOperator);
  const TaskId backward = maker.task(lane, 1, {forward}, "BW.conv_1", TaskKind::kOperator);
  maker.task(lane, 1, {backward}, "Comm.conv_1_weight.PUSH.0", TaskKind::kTransfer);
  maker.task(lane, 1, {backward}, "Comm.other_bias", TaskKind::kTransfer);
  maker.task(lane, 1, {backward}, "loop", TaskKind::kHost);
  Capture capture;
  capture.dag = maker.build();
  EXPECT_THAT(names_of(graph_of(capture, Folding{Fold::kLayer, true})), ElementsAre("conv_1", "other_bias", "host"));
}

TEST(GraphTest, IsFoldedOnlyAsFarAsItMustBe) {
  DagMaker maker;
  const LaneId lane = maker.lane(0);
  TaskId last = maker.task(lane, 1, {}, "name 0", TaskKind::kOperator);
  for (std::size_t i = 1; i < 2 * sim::kReadableNodes; ++i)
    last = maker.task(lane, 1, {last}, "name " + std::to_string(i % sim::kReadableNodes), TaskKind::kOperator);
  Capture capture;
  capture.dag = maker.build();
  const Graph graph = graph_of(capture, std::nullopt);
  EXPECT_EQ(graph.folding.by, Fold::kName);
  EXPECT_EQ(graph.nodes.size(), sim::kReadableNodes);
}

TEST(GraphTest, DotQuotesWhatNamesHold) {
  DagMaker maker;
  maker.task(maker.lane(0), 1, {}, "a\"b\\c\n<d>", TaskKind::kOperator);
  Capture capture;
  capture.dag = maker.build();
  const std::string text = sim::dot_text(graph_of(capture, std::nullopt), "by hand");
  EXPECT_THAT(text, AllOf(HasSubstr("// by hand\ndigraph"), HasSubstr(R"(label="a\"b\\c\\n<d>\nrank 0, 1 ns")")));
}

TEST(GraphTest, GmlHasDependenciesOnlyAndLabelsThatDiffer) {
  DagMaker maker;
  const LaneId lane = maker.lane(2);
  const TaskId first = maker.task(lane, 1'500'000, {}, "x & \"\xc3\xa9\"", TaskKind::kOperator);
  maker.task(lane, 500'000, {first}, "x & \"\xc3\xa9\"", TaskKind::kOperator);
  Capture capture;
  capture.dag = maker.build();
  EXPECT_EQ(sim::gml_text(graph_of(capture, std::nullopt), "me"),
            "Creator \"me\"\ngraph [\n  directed 1\n"
            "  node [\n    id 0\n    label \"rank2->x &#38; &#34;&#233;&#34;\"\n    avg 1.5\n    tasks 1\n    time_ms "
            "1.5\n    critical 1\n  ]\n"
            "  node [\n    id 1\n    label \"rank2->x &#38; &#34;&#233;&#34;~>2\"\n    avg 0.5\n    tasks 1\n    "
            "time_ms 0.5\n    critical 1\n  ]\n"
            "  edge [\n    source 0\n    target 1\n    edges 1\n    critical 1\n  ]\n]\n");
  EXPECT_THAT(sim::gml_text(graph_of(two_ranks(), std::nullopt), "me"), Not(HasSubstr("meeting")));
}

TEST(GraphTest, TheLayoutIsThatOfGraphviz) {
  const Graph graph{.nodes = {{.name = "a"}, {.name = "b"}}, .edges = {{.from = 0, .to = 1}}};
  // The text is the output of `dot -Tplain`. Lengths are in inches, and positions count from the lower left corner.
  const sim::Layout layout = sim::parse_plain_layout(
      "graph 1 2 3\n"
      "node n0 1 2.5 0.5 0.25 \"a \\\"b\\\"\" solid box black lightgrey\n"
      "node n1 1 0.5 0.5 0.25 b solid box black lightgrey\n"
      "node n7 1 1 1 1 unknown\nedge n9 n0 4 0 0\n"
      "edge n0 n1 7 1 2.375 1 2 1 1.75 1 1.5 1 1.25 0 1 1 0.625 solid black\n"
      "stop\n",
      graph);
  EXPECT_DOUBLE_EQ(layout.width, 192);
  EXPECT_DOUBLE_EQ(layout.height, 288);
  EXPECT_DOUBLE_EQ(layout.nodes[0].centre.x, 96);
  EXPECT_DOUBLE_EQ(layout.nodes[0].centre.y, 48);
  EXPECT_DOUBLE_EQ(layout.nodes[1].centre.y, 240);
  EXPECT_DOUBLE_EQ(layout.nodes[0].width, 48);
  ASSERT_EQ(layout.edges[0].size(), 7U);  // the unknown node n7 and the edge n9-n0 are ignored
  EXPECT_DOUBLE_EQ(layout.edges[0][0].y, 60);
  EXPECT_DOUBLE_EQ(layout.edges[0][5].x, 0);
  EXPECT_DOUBLE_EQ(layout.edges[0][6].y, 228);
}

/// Each edit makes a valid layout invalid.
TEST(GraphTest, NonsenseInALayoutIsRefused) {
  const Graph graph{.nodes = {{.name = "a"}, {.name = "b"}}, .edges = {{.from = 0, .to = 1}}};
  const std::string right =
      "graph 1 2 3\nnode n0 1 2.5 .5 .25 a\nnode n1 1 .5 .5 .25 b\nedge n0 n1 4 1 2 1 1.75 1 1.5 1 1 solid\nstop\n";
  EXPECT_EQ(sim::parse_plain_layout(right, graph).edges[0].size(), 4U);
  const std::pair<std::string_view, std::string_view> edits[] = {
      {"2.5", "nan"},       {"2.5", "-inf"},       {"2.5", "1e308"},
      {"2.5", "99"},        {"2.5", "-99"},        {"2.5", "x"},
      {".25 a", "-1 a"},    {".25 a", "1e300 a"},  {"1 2 3", "1 2"},
      {"1 2 3", "1 1e9 3"}, {"1 2 3", "1 2 nan"},  {"n1 4", "n1 5"},
      {"n1 4", "n1 0"},     {"n1 4", "n1 -4"},     {"n1 4", "n1 99999999999999"},
      {"1.75", "infinity"}, {"1.75", "-1e200"},    {"1 1 solid", "1"},
      {"node n1", "nood"},  {"edge", "edgy"},      {"n1 4", "n0 4"},
      {"stop", ""},         {"graph 1 2 3\n", ""}, {right, ""}};
  for (const auto& [part, other] : edits) {
    std::string text = right;
    text.replace(text.find(part), part.size(), other);
    EXPECT_THROW(static_cast<void>(sim::parse_plain_layout(text, graph)), OutputError) << text;
  }
  EXPECT_THAT(
      [&] { static_cast<void>(sim::parse_plain_layout("node n0 \x1b[2J 1", graph)); },
      ::testing::ThrowsMessage<OutputError>("dot printed 'node n0 \\x1b[2J 1'; expected a line of a layout in inches"));
  EXPECT_THAT([&] { static_cast<void>(sim::parse_plain_layout("", graph)); },
              ::testing::ThrowsMessage<OutputError>("dot placed 0 of 2 nodes and 0 of 1 edges; expected all of them"));
}

TEST(GraphTest, LayersGoDownWhereGraphvizIsInstalled) {
  const Graph graph = graph_of(two_ranks(), Folding{Fold::kName, false});
  try {
    sim::refuse_without_layout();
  } catch (const UsageError&) {
    GTEST_SKIP() << "Graphviz is not installed";
  }
  const sim::Layout layout = sim::layout_of(graph);
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    EXPECT_LT(layout.nodes[graph.edges[i].from].centre.y, layout.nodes[graph.edges[i].to].centre.y);
    EXPECT_EQ(layout.edges[i].size() % 3, 1U);
  }
}

TEST(GraphTest, WhatNoPictureCanShowIsRefused) {
  Graph graph;
  graph.nodes.resize(5'000);
  EXPECT_THROW(sim::refuse_too_large(graph), UsageError);
}

}  // namespace
}  // namespace stepsim::testing
