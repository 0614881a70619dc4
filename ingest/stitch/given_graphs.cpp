#include "ingest/stitch/given_graphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/parts/names.h"
#include "model/base/known_diagnostics.h"
#include "model/base/limits.h"
#include "model/base/number.h"
#include "model/base/units.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

/// Properties shared by all transfers over one route.
struct Connection {
  LaneId lane;
  Duration latency{};
  Bandwidth narrowest;  ///< bandwidth of its narrowest link

  /// Returns the latency plus the time of the bytes on the narrowest link.
  [[nodiscard]] Duration transfer(Bytes bytes) const { return latency + transfer_time(bytes, narrowest); }
};

/// The largest accepted number of hosts. A file may use any host numbers, but network models keep a table of all hosts
/// up to the largest number.
constexpr std::size_t kMostHosts = kMostRanks;

/// Returns one more than the largest host number that a task or a route uses.
std::size_t hosts_used(const TaskGraph& graph) {
  std::size_t hosts = 0;
  const auto use = [&hosts](std::size_t host) { hosts = std::max(hosts, host + 1); };
  for (const TaskGraph::Task& task : graph.tasks) {
    use(task.host);
    if (task.transfer) use(task.destination);
  }
  for (const auto& [ends, links] : graph.routes) {
    use(ends.first);
    use(ends.second);
  }
  return hosts;
}

Cluster cluster_of(const TaskGraph& graph, std::size_t hosts) {
  Cluster cluster;
  for (std::size_t i = 0; i < hosts; ++i) {
    cluster.hosts.push_back({std::to_string(i)});
    cluster.endpoints.push_back({HostId{i}, {}});
  }
  for (const TaskGraph::Link& link : graph.links) {
    cluster.links.push_back({{}, Bandwidth::from_bytes_per_second(link.bandwidth), link.latency, 1});
  }
  for (const auto& [ends, links] : graph.routes) {
    Route& route = cluster.routes[{EndpointId{ends.first}, EndpointId{ends.second}}];
    for (const std::uint32_t link : links) route.emplace_back(link);
  }
  return cluster;
}

class TaskGraphStitcher {
 public:
  TaskGraphStitcher(TaskGraph& graph, Assembly& assembly) : graph_(graph), assembly_(assembly) {}

  void run() {
    assembly_.measured = false;
    reserve();
    for (const TaskGraph::Task& task : graph_.tasks) add_task(task);
    add_cluster();
    add_edges();
  }

 private:
  void reserve() {
    const std::size_t tasks = graph_.tasks.size();
    assembly_.builder.reserve(tasks, graph_.after.size());
    assembly_.task_ids.reserve(tasks);
    const auto named = static_cast<std::size_t>(std::count_if(
        graph_.tasks.begin(), graph_.tasks.end(), [](const TaskGraph::Task& task) { return task.name.valid(); }));
    assembly_.builder.reserve_names(tasks - named + graph_.texts.size());
    name_of_text_.resize(graph_.texts.size());
    some_are_named_ = named > 0 && named < tasks;
  }

  NameId name_of(const TaskGraph::Task& task) {
    if (!task.name.valid()) return add_name((task.transfer ? "transfer " : "compute ") + std::to_string(task.id));
    NameId& name = name_of_text_[task.name.index()];
    if (!name.valid()) name = add_name(graph_.texts[task.name.index()]);
    return name;
  }

  NameId add_name(std::string name) {
    return some_are_named_ ? assembly_.builder.intern(name) : assembly_.builder.add_name(std::move(name));
  }

  void add_task(const TaskGraph::Task& task) {
    const Connection* const route = task.transfer ? &connection(task.host, task.destination) : nullptr;
    const LaneId lane = route != nullptr ? route->lane : host_lane(task.host);
    const Duration duration = route != nullptr ? route->transfer(task.bytes) : task.duration;
    (void)assembly_.builder.add_task({.kind = task.transfer ? TaskKind::kTransfer : TaskKind::kOperator,
                                      .name = name_of(task),
                                      .lane = lane,
                                      .duration = duration,
                                      .bytes = task.bytes});
    assembly_.task_ids.push_back(task.id);
  }

  void add_cluster() {
    const std::size_t hosts = hosts_used(graph_);
    if (hosts <= kMostHosts) {
      assembly_.cluster = cluster_of(graph_, hosts);
    } else {
      assembly_.diagnostics.count(diagnostic("hosts_numbered_too_high"));
    }
  }

  /// Adds the edges. Call this last: it first frees the graph's tasks, to have memory for the edges.
  void add_edges() {
    std::vector<std::uint64_t> ends;
    ends.reserve(graph_.tasks.size());
    for (const TaskGraph::Task& task : graph_.tasks) ends.push_back(task.after_end);
    graph_.tasks = std::vector<TaskGraph::Task>{};
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      for (; at < ends[i]; ++at) assembly_.add_edge(TaskId{graph_.after[at]}, TaskId{i}, EdgeKind::kData);
    }
  }

  LaneId host_lane(std::uint32_t host) {
    const auto [slot, added] = hosts_.try_emplace(host);
    if (added) {
      slot->second = assembly_.builder.add_lane({fmt::format("host {}", host), std::to_string(host),
                                                 static_cast<Rank>(host), LaneKind::kOperators, LaneOrder::kFifo, -1});
    }
    return slot->second;
  }

  const Connection& connection(std::uint32_t from, std::uint32_t to) {
    const auto [slot, added] = routes_.try_emplace({from, to});
    Connection& made = slot->second;
    if (!added) return made;
    made.lane = assembly_.builder.add_lane({fmt::format("link {}-{}", from, to), std::to_string(from),
                                            static_cast<Rank>(from), LaneKind::kLink, LaneOrder::kEdges, -1, 1, Bytes{},
                                            EndpointId{from}, EndpointId{to}});
    double narrowest = 0;
    for (const std::uint32_t index : graph_.routes.at({from, to})) {
      const TaskGraph::Link& link = graph_.links[index];
      made.latency += link.latency;
      if (narrowest <= 0 || link.bandwidth < narrowest) narrowest = link.bandwidth;
    }
    made.narrowest = Bandwidth::from_bytes_per_second(narrowest);
    return made;
  }

  TaskGraph& graph_;
  Assembly& assembly_;
  /// True if some tasks have a name in the file and others do not: only then can two names be equal.
  bool some_are_named_ = false;
  std::vector<NameId> name_of_text_;  ///< by TextId; invalid until a task has it
  std::map<std::uint32_t, LaneId> hosts_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Connection> routes_;
};

}  // namespace

void stitch_given_graph(TaskGraph graph, Assembly& assembly) {
  check_task_count(graph.tasks.size());
  TaskGraphStitcher(graph, assembly).run();
}

namespace {

TaskKind kind_of(std::string_view name) {
  if (name.starts_with(kComm)) return TaskKind::kTransfer;
  if (name.starts_with("I/O")) return TaskKind::kHost;
  return TaskKind::kOperator;
}

bool ends_iteration(std::string_view name) { return name.starts_with("UPDATE") || name.starts_with("STEP"); }
bool begins_iteration(std::string_view name) { return name.starts_with(kForward) || name.starts_with("I/O"); }

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
    // Durations of this many nanoseconds (31 years) or more are ignored, so that sums do not overflow.
    constexpr double kLongest = 1e18;
    for (const OperatorGraph::Attribute& attribute : node.attributes) {
      if (attribute.key != "avg") continue;
      const double nanoseconds = parse_number<double>(attribute.value).value_or(0) * kNanosecondsAMillisecond;
      if (nanoseconds > 0 && nanoseconds < kLongest) return Duration{std::llround(nanoseconds)};
    }
    return {};
  }

  Assembly& assembly_;
  std::map<std::string, LaneId> lanes_;  ///< lanes of the current graph, by process
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
