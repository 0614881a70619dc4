#include "sim/graph/graph_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/text.h"
#include "sim/report/class_style.h"
#include "sim/report/field.h"
#include "sim/report/headline.h"

namespace stepsim::sim {
namespace {

std::string headline(const Graph& graph) {
  std::string text = fmt::format("{} and {} of {}", counted(graph.nodes.size(), "node"),
                                 counted(graph.edges.size(), "edge"), graph.of);
  if (graph.folding.by != Fold::kTask) {
    text += fmt::format(", one node per {}; they stand for {} with {}", to_text(graph.folding),
                        counted(graph.tasks, "task"), counted(graph.dependencies, "dependency"));
  }
  if (graph.path == Duration{}) return text + ".";
  const auto critical =
      std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const Graph::Node& node) { return node.critical; });
  return fmt::format("{}. The critical path of {} goes through {}.", text, stepsim::to_text(graph.path),
                     counted(static_cast<std::size_t>(critical), "node"));
}

/// Counts, for each node, the nodes it waits for (`in`) and the nodes that wait for it (`out`).
struct Degrees {
  explicit Degrees(const Graph& graph) : in(graph.nodes.size()), out(graph.nodes.size()) {
    for (const Graph::Edge& edge : graph.edges) {
      if (edge.link != Graph::Link::kDependency) continue;
      ++out[edge.from];
      ++in[edge.to];
    }
  }
  std::vector<std::size_t> in;
  std::vector<std::size_t> out;
};

struct NodeLine {
  std::size_t id;
  const Graph::Node* node;
  std::size_t waits_for;
  std::size_t awaited_by;
};
constexpr auto kNode = std::to_array<Field<NodeLine>>({
    {"id", at<&NodeLine::id>},
    {"name", at<&NodeLine::node, &Graph::Node::name>, {"node"}},
    {"rank", at<&NodeLine::node, &Graph::Node::rank>, {"rank", Use::kMain, Form::kId}},
    {"class",
     at<&NodeLine::node, &Graph::Node::part>,
     {.title = "class",
      .use = Use::kHelp,
      .cell = [](const NodeLine& line) -> Cell { return std::string(style_of(line.node->part).label); }}},
    {"tasks", at<&NodeLine::node, &Graph::Node::tasks>, {"tasks", Use::kHelp}},
    {"time_ns", at<&NodeLine::node, &Graph::Node::time>, {"time"}},
    {"critical", at<&NodeLine::node, &Graph::Node::critical>},
    {"on_path_ns",
     at<&NodeLine::node, &Graph::Node::on_path>,
     {.title = "on the path",
      .cell = [](const NodeLine& line) { return line.node->critical ? Cell(line.node->on_path) : Cell("-"); }}},
    {"", at<&NodeLine::waits_for>, {"waits for", Use::kDetail}},
    {"", at<&NodeLine::awaited_by>, {"awaited by", Use::kDetail}},
});
constexpr auto kEdge = std::to_array<Field<Graph::Edge>>({
    {"from", at<&Graph::Edge::from>},
    {"to", at<&Graph::Edge::to>},
    {"edges", at<&Graph::Edge::edges>},
    {"link", at<&Graph::Edge::link>},
    {"critical", at<&Graph::Edge::critical>},
});

std::vector<NodeLine> node_lines(const Graph& graph) {
  const Degrees degrees(graph);
  std::vector<NodeLine> lines;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    lines.push_back({i, &graph.nodes[i], degrees.in[i], degrees.out[i]});
  return lines;
}

constexpr auto kGraph = std::to_array<Field<Graph>>({
    {"of", at<&Graph::of>},
    {"fold", at<&Graph::folding, &Folding::by>},
    {"ranks_apart", at<&Graph::folding, &Folding::ranks_apart>},
    {"tasks", at<&Graph::tasks>},
    {"dependencies", at<&Graph::dependencies>},
    {"inner_dependencies", at<&Graph::inner_dependencies>},
    {"tasks_left_out", at<&Graph::tasks_of_other_steps>},
    {"critical_path_ns", at<&Graph::path>, {}, kLineAfter},
    {"nodes", at<node_lines>, kNode, kRowLines},
    {"edges", at<&Graph::edges>, kEdge, kRowLines},
});

Section nodes_section(const Graph& graph, std::size_t rows) {
  std::vector<NodeLine> lines = node_lines(graph);
  std::stable_sort(lines.begin(), lines.end(), [](const NodeLine& a, const NodeLine& b) {
    return a.node->on_path != b.node->on_path ? a.node->on_path > b.node->on_path : a.node->time > b.node->time;
  });
  Section section{.title = "Nodes", .table = table_of(kNode, lines, {.most = rows, .compared = true})};
  add_more_sentence(section, lines.size(), std::min(rows, lines.size()), "--head");
  return section;
}

Section notes_section(const Graph& graph) {
  Section section{.title = "What is drawn"};
  if (graph.tasks_of_other_steps > 0) {
    section.sentences.emplace_back(
        fmt::format("{} outside {} left out; choose others with --steps.", counted(graph.tasks_of_other_steps, "task"),
                    fmt::format("{} {}", graph.of, graph.tasks_of_other_steps == 1 ? "is" : "are")));
  }
  if (graph.inner_dependencies > 0) {
    section.sentences.emplace_back(
        fmt::format("{} of {} {} inside one node and not drawn.", grouped(graph.inner_dependencies),
                    counted(graph.dependencies, "dependency"), graph.inner_dependencies == 1 ? "is" : "are"));
  }
  if (graph.path == Duration{}) section.sentences.emplace_back("The input has no times, so there is no critical path.");
  return section;
}

}  // namespace

Document graph_document(const Graph& graph, const Capture& capture, std::size_t rows, const Provenance& provenance) {
  Document document{
      .warning = warning_of(capture), .headline = headline(graph), .caution = caution_of(capture.diagnostics)};
  document.sections.push_back(nodes_section(graph, rows));
  document.sections.push_back(notes_section(graph));
  std::erase_if(document.sections, [](const Section& section) { return section.empty(); });
  document.rows = [&graph] { return table_of(kNode, node_lines(graph), {.compared = true}); };
  document.json = [&graph, &provenance](JsonWriter& json) {
    write_answer(json, "stepsim.graph/1", kGraph, graph, provenance);
  };
  return document;
}

AnswerSchema graph_schema() { return schema_of("stepsim.graph/1", kGraph); }

}  // namespace stepsim::sim
