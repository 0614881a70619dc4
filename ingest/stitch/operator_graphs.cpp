#include "ingest/stitch/operator_graphs.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "ingest/parts/byteps_names.h"
#include "model/base/known_diagnostics.h"
#include "model/base/number.h"

namespace stepsim::ingest {
namespace {

TaskKind kind_of(std::string_view name) {
  if (name.starts_with("Comm.")) return TaskKind::kTransfer;
  if (name.starts_with("I/O")) return TaskKind::kHost;
  return TaskKind::kOperator;
}

bool ends_iteration(std::string_view name) { return name.starts_with("UPDATE") || name.starts_with("STEP"); }
bool begins_iteration(std::string_view name) { return name.starts_with("FW.") || name.starts_with("I/O"); }

class OperatorGraphStitcher {
 public:
  explicit OperatorGraphStitcher(Assembly& assembly) : assembly_(assembly) { assembly_.measured = false; }

  void add(const OperatorGraph& graph) {
    lanes_.clear();
    std::vector<TaskId> tasks;
    for (const OperatorGraph::Node& node : graph.nodes) tasks.push_back(add_node(node));
    for (const OperatorGraph::Edge& edge : graph.edges) {
      if (ends_iteration(name_of(graph, edge.source)) && begins_iteration(name_of(graph, edge.target))) {
        assembly_.diagnostics.count(diagnostic("edge_to_next_iteration"));
      } else {
        assembly_.add_edge(tasks[edge.source], tasks[edge.target], EdgeKind::kData);
      }
    }
  }

 private:
  static std::string_view name_of(const OperatorGraph& graph, std::uint32_t node) {
    return split_process(graph.nodes[node].label).name;
  }

  TaskId add_node(const OperatorGraph::Node& node) {
    const QualifiedName label = split_process(node.label);
    return assembly_.builder.add_task({.kind = kind_of(label.name),
                                       .name = assembly_.builder.intern(label.name),
                                       .lane = lane_of(label.process),
                                       .duration = duration_of(node)});
  }

  LaneId lane_of(std::string_view process) {
    const auto [lane, is_new] = lanes_.try_emplace(std::string(process));
    if (is_new) {
      lane->second = assembly_.builder.add_lane({.name = process.empty() ? "operators" : std::string(process),
                                                 .rank = ranks_++,
                                                 .kind = LaneKind::kOperators});
    }
    return lane->second;
  }

  static Duration duration_of(const OperatorGraph::Node& node) {
    constexpr double kNanosecondsAMillisecond = 1e6;
    constexpr double kLongest = 1e18;  // 31 years: sums stay in range
    for (const OperatorGraph::Attribute& attribute : node.attributes) {
      if (attribute.key != "avg") continue;
      const double nanoseconds = parse_number<double>(attribute.value).value_or(0) * kNanosecondsAMillisecond;
      if (nanoseconds > 0 && nanoseconds < kLongest) return Duration{std::llround(nanoseconds)};
    }
    return {};
  }

  Assembly& assembly_;
  std::map<std::string, LaneId> lanes_;  ///< of the graph at hand, by process
  Rank ranks_ = 0;
};

}  // namespace

void stitch_operator_graphs(const std::vector<OperatorGraph>& graphs, Assembly& assembly) {
  std::size_t nodes = 0;
  for (const OperatorGraph& graph : graphs) nodes += graph.nodes.size();
  check_task_count(nodes);
  OperatorGraphStitcher stitcher(assembly);
  for (const OperatorGraph& graph : graphs) stitcher.add(graph);
}

}  // namespace stepsim::ingest
