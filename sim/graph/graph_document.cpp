#include "sim/graph/graph_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "model/base/text.h"
#include "sim/output/json_writer.h"
#include "sim/report/cautions.h"

namespace stepsim::sim {
namespace {

std::string headline(const Graph& graph) {
  std::string text = fmt::format("{} and {} of {}", counted(graph.nodes.size(), "node"),
                                 counted(graph.edges.size(), "edge"), graph.of);
  if (graph.folding.by != Fold::kTask)
    text += fmt::format(", one node a {}; in them {} with {}", to_text(graph.folding), counted(graph.tasks, "task"),
                        graph.dependencies == 1 ? "1 dependency" : fmt::format("{} dependencies", graph.dependencies));
  if (graph.path == Duration{}) return text + ".";
  const auto critical =
      std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const Graph::Node& node) { return node.critical; });
  return fmt::format("{}. The critical path of {} goes through {}.", text, stepsim::to_text(graph.path),
                     counted(static_cast<std::size_t>(critical), "node"));
}

std::vector<std::size_t> by_path(const Graph& graph) {
  std::vector<std::size_t> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&graph](std::size_t a, std::size_t b) {
    const Graph::Node& left = graph.nodes[a];
    const Graph::Node& right = graph.nodes[b];
    return left.on_path != right.on_path ? left.on_path > right.on_path : left.time > right.time;
  });
  return order;
}

/// Of each node, by id: how many nodes it waits for, and how many wait for it.
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

Table table_of(const Graph& graph, const std::vector<std::size_t>& order, std::size_t rows) {
  const Degrees degrees(graph);
  Table table({{"node", Align::kLeft},
               {"rank"},
               {"class", Align::kLeft, Use::kHelp},
               {"tasks", Align::kRight, Use::kHelp},
               {"time"},
               {"on the path"},
               {"waits for", Align::kRight, Use::kDetail},
               {"awaited by", Align::kRight, Use::kDetail}});
  table.compare_times();
  for (std::size_t i = 0; i < std::min(rows, order.size()); ++i) {
    const Graph::Node& node = graph.nodes[order[i]];
    table.add_row({node.name, node.rank ? Cell(*node.rank) : Cell("-"), std::string(to_text(node.part)), node.tasks,
                   node.time, node.critical ? Cell(node.on_path) : Cell("-"), degrees.in[order[i]],
                   degrees.out[order[i]]});
  }
  return table;
}

Section nodes_section(const Graph& graph, std::size_t rows) {
  Section section{.title = "Nodes", .table = table_of(graph, by_path(graph), rows)};
  add_more_sentence(section, graph.nodes.size(), std::min(rows, graph.nodes.size()), "--head");
  return section;
}

Section notes_section(const Graph& graph) {
  Section section{.title = "What is drawn"};
  if (graph.tasks_of_other_steps > 0)
    section.sentences.emplace_back(
        fmt::format("{} outside {} left out; --steps chooses others.", counted(graph.tasks_of_other_steps, "task"),
                    fmt::format("{} {}", graph.of, graph.tasks_of_other_steps == 1 ? "is" : "are")));
  if (graph.inner_dependencies > 0)
    section.sentences.emplace_back(fmt::format("{} of {} dependencies are inside a node and not drawn.",
                                               graph.inner_dependencies, graph.dependencies));
  if (graph.path == Duration{})
    section.sentences.emplace_back("The input holds no times, so there is no critical path.");
  return section;
}

void write(JsonWriter& json, const Graph& graph) {
  json.key("of").value(graph.of).key("fold").value(to_text(graph.folding.by));
  json.key("ranks_apart").value(graph.folding.ranks_apart).key("tasks").value(graph.tasks);
  json.key("dependencies").value(graph.dependencies).key("inner_dependencies").value(graph.inner_dependencies);
  json.key("tasks_left_out").value(graph.tasks_of_other_steps).key("critical_path_ns").value(graph.path).new_line();
  json.key("nodes").begin_array();
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Graph::Node& node = graph.nodes[i];
    json.new_line().begin_object().key("id").value(i).key("name").value(node.name).key("rank");
    node.rank ? json.value(*node.rank) : json.null();
    json.key("class").value(to_text(node.part)).key("tasks").value(node.tasks).key("time_ns").value(node.time);
    json.key("critical").value(node.critical).key("on_path_ns").value(node.on_path).end_object();
  }
  json.end_array().new_line().key("edges").begin_array();
  for (const Graph::Edge& edge : graph.edges) {
    json.new_line().begin_object().key("from").value(edge.from).key("to").value(edge.to).key("edges").value(edge.edges);
    json.key("link").value(to_text(edge.link)).key("critical").value(edge.critical).end_object();
  }
  json.end_array().new_line();
}

}  // namespace

Document graph_document(const Graph& graph, const Capture& capture, std::size_t rows, const Provenance& provenance) {
  Document document{
      .warning = warning_of(capture), .headline = headline(graph), .caution = caution_of(capture.diagnostics)};
  document.sections.push_back(nodes_section(graph, rows));
  document.sections.push_back(notes_section(graph));
  std::erase_if(document.sections, [](const Section& section) { return section.empty(); });
  document.rows = [&graph] {
    std::vector<std::size_t> order(graph.nodes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return table_of(graph, order, order.size());
  };
  document.json = [&graph, &provenance](JsonWriter& json) {
    json.begin_object().key("schema").value("stepsim.graph/1").new_line();
    write(json, graph);
    write_provenance(json, provenance);
    json.end_object();
  };
  return document;
}

}  // namespace stepsim::sim
