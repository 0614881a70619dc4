#include "ingest/load/operator_links.h"

#include <algorithm>

#include <fmt/format.h>

#include "ingest/json/json_values.h"
#include "ingest/parts/byteps_names.h"
#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "model/base/error.h"
#include "model/job/dag_builder.h"

namespace stepsim::ingest {

void OperatorLinks::add(OperatorGraph graph) {
  std::vector<std::uint32_t> place;
  for (OperatorGraph::Node& node : graph.nodes) {
    place.push_back(node_of(node.label));
    graph_.nodes[place.back()].attributes = std::move(node.attributes);
  }
  for (const OperatorGraph::Edge& edge : graph.edges) add_edge(place[edge.source], place[edge.target]);
}

void OperatorLinks::refuse_cycle(const std::string& file) const {
  DagBuilder builder;
  const LaneId lane = builder.add_lane({});
  for (const OperatorGraph::Node& node : graph_.nodes)
    (void)builder.add_task({.name = builder.intern(node.label), .lane = lane});
  for (const OperatorGraph::Edge& edge : graph_.edges) {
    if (!is_update(split_process(graph_.nodes[edge.source].label).name))
      builder.add_edge(TaskId{edge.source}, TaskId{edge.target}, EdgeKind::kData);
  }
  try {
    (void)std::move(builder).build();
  } catch (const CycleError& error) {
    throw InputError({file, {}, {}},
                     fmt::format("{}; expected none but those from UPDATE or STEP into the next step", error.what()));
  }
}

void OperatorLinks::add_inputs(std::string_view name, const ChromeEvent& event) {
  event.for_each_argument([&](std::string_view key, std::string_view value) {
    const bool is_input = key.starts_with("input") || key.starts_with("arg");
    const std::string_view number = key.substr(std::min(key.size(), key.find_first_of("0123456789")));
    if (!is_input || number.empty() || number.find_first_not_of("0123456789") != std::string_view::npos) return;
    const std::string input = as_text(value);
    const std::uint32_t from = node_of(std::string(split_process(input).name));
    grew_ = add_edge(from, node_of(std::string(name))) || grew_;
  });
}

std::vector<std::string> OperatorLinks::inputs_of(const std::string& name) const {
  std::vector<std::string> inputs;
  const auto node = nodes_.find(name);
  if (node == nodes_.end()) return inputs;
  std::vector<std::uint32_t> places = inputs_[node->second];
  std::sort(places.begin(), places.end());
  for (const std::uint32_t input : places) inputs.push_back(graph_.nodes[input].label);
  return inputs;
}

std::uint32_t OperatorLinks::node_of(const std::string& label) {
  const auto [slot, added] = nodes_.try_emplace(label, static_cast<std::uint32_t>(graph_.nodes.size()));
  if (added) {
    graph_.nodes.push_back({label, {}});
    inputs_.emplace_back();
  }
  return slot->second;
}

bool OperatorLinks::add_edge(std::uint32_t from, std::uint32_t to) {
  if (!edges_.emplace(from, to).second) return false;
  graph_.edges.push_back({from, to});
  inputs_[to].push_back(from);
  return true;
}

}  // namespace stepsim::ingest
