#include "ingest/stitch/execution_graph/execution_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <string_view>
#include <utility>

#include "ingest/parts/successors.h"
#include "ingest/stitch/execution_graph/communication.h"
#include "model/base/known_diagnostics.h"
#include "model/base/text.h"
#include "model/base/units.h"

namespace stepsim::ingest {
namespace {

/// Returns the order in which a rank issues its nodes, as indices into graph.nodes. The next node is always the one
/// with the smallest id among those whose dependencies were issued. O((nodes + dependencies) log nodes).
std::vector<std::uint32_t> issue_order(const ExecutionGraph& graph) {
  const auto count = static_cast<std::uint32_t>(graph.nodes.size());
  Successors successors(count, [&](const auto& edge) {
    for (std::uint32_t i = 0; i < count; ++i) {
      for (const std::uint32_t before : graph.after_of(i)) edge(before, i);
    }
  });
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (successors.waiting()[i] == 0) ready.push(i);
  }
  std::vector<std::uint32_t> order;
  order.reserve(count);
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    successors.end(order.back(), [&ready](std::uint32_t next) { ready.push(next); });
  }
  return order;
}

/// Returns true if all tasks of `builder` can run: no task waits for itself,
/// directly or through a rendezvous. O(tasks + edges).
bool can_run(DagBuilder& builder) {
  const auto tasks = static_cast<std::uint32_t>(builder.task_count());
  // By task: the vertex that its successors wait for. For a member of a rendezvous this is the rendezvous.
  std::vector<std::uint32_t> end(tasks);
  for (std::uint32_t i = 0; i < tasks; ++i) {
    const RendezvousId rendezvous = builder.rendezvous(TaskId{i});
    end[i] = rendezvous.valid() ? tasks + static_cast<std::uint32_t>(rendezvous.index()) : i;
  }
  const std::vector<std::uint32_t> waiting =
      count_blocked_predecessors(tasks + builder.rendezvous_count(), [&](const auto& edge) {
        for (const DagBuilder::Edge& e : builder.edges()) edge(end[e.from.index()], e.to.index());
        for (std::uint32_t i = 0; i < tasks; ++i) {
          if (end[i] != i) edge(i, end[i]);
        }
      });
  return std::all_of(waiting.begin(), waiting.end(), [](std::uint32_t n) { return n == 0; });
}

using Graph = ExecutionGraph;

TaskKind task_kind(Graph::Kind kind) noexcept {
  switch (kind) {
    case Graph::Kind::kDevice: return TaskKind::kKernel;
    case Graph::Kind::kMemory: return TaskKind::kCopy;
    case Graph::Kind::kCollective:
    case Graph::Kind::kSend:
    case Graph::Kind::kReceive: return TaskKind::kCollective;
    case Graph::Kind::kHost:
    case Graph::Kind::kNothing: break;
  }
  return TaskKind::kHost;
}

/// Returns the lane of a node. The caller sets the lane's rank.
Lane lane_of(const Graph::Node& node) {
  const auto named = [&node](std::string_view with, std::string_view without) {
    return node.row == Graph::kNoRow ? std::string{without} : fmt::format("{} {}", with, node.row);
  };
  Lane lane;
  switch (node.kind) {
    case Graph::Kind::kNothing: return {.name = "no work"};
    case Graph::Kind::kHost: lane = {.name = named("thread", "host")}; break;
    case Graph::Kind::kDevice: lane = {.name = named("stream", "device"), .kind = LaneKind::kStream}; break;
    case Graph::Kind::kMemory: lane = {.name = "memory", .kind = LaneKind::kCopyEngine}; break;
    case Graph::Kind::kReceive: return {.name = "receives", .kind = LaneKind::kStream, .device = 0};
    case Graph::Kind::kCollective:
    case Graph::Kind::kSend: return {.name = "communication", .kind = LaneKind::kStream, .device = 0};
  }
  lane.order = LaneOrder::kPriority;
  if (node.kind != Graph::Kind::kHost) lane.device = 0;
  return lane;
}

bool communicates(const Graph::Node& node) noexcept { return node.kind >= Graph::Kind::kCollective; }

/// Returns true if a node's lane runs its nodes in the order in which the rank issues them. This order is known only
/// for a recorded thread or stream and for the communication lane; any other lane may stand for several threads or
/// streams.
bool is_in_order(const Graph::Node& node) noexcept {
  return node.row != Graph::kNoRow || node.kind == Graph::Kind::kCollective || node.kind == Graph::Kind::kSend;
}

EdgeKind edge_kind(Graph::Kind kind) noexcept {
  return kind == Graph::Kind::kHost ? EdgeKind::kProgram : EdgeKind::kStream;
}

/// The nodes of a rank in the order in which it issues them.
struct RankOrder {
  const Graph* graph = nullptr;
  std::uint32_t first_task = 0;  ///< task of node 0; the tasks of the other nodes follow in order
  std::vector<std::uint32_t> nodes;
};

/// Throws InputError if the sum of all durations exceeds kLongestRun. A replay may run all nodes one after another, and
/// the total must fit in 64 bits.
void check_span(const std::vector<ExecutionRank>& ranks) {
  constexpr double kLongestRun = 3e18;  // nanoseconds
  double sum = 0;
  for (const ExecutionRank& rank : ranks) {
    for (const Graph::Node& node : rank.graph.nodes) sum += static_cast<double>(node.duration.count());
    if (sum > kLongestRun) {
      throw InputError({rank.file, {}, {}},
                       "the nodes up to this one take more than 100 years in a row; expected shorter durations");
    }
  }
}

class Stitcher {
 public:
  Stitcher(std::vector<ExecutionRank> ranks, Assembly& assembly) : ranks_(std::move(ranks)), assembly_(assembly) {}

  void run() {
    assembly_.measured = false;
    std::size_t nodes = 0;
    std::size_t edges = 0;
    for (const ExecutionRank& rank : ranks_) {
      nodes += rank.graph.nodes.size();
      edges += rank.graph.after.size();
    }
    assembly_.builder.reserve(nodes, edges + nodes);
    for (const ExecutionRank& rank : ranks_) add_rank(rank);
    join_communication(communication_, assembly_);
    const std::size_t of_dependencies = assembly_.builder.edges().size();
    order_rows();
    // The builder now contains all tasks and edges.
    for (ExecutionRank& rank : ranks_) rank.graph = {};
    keep_order_of_rows(of_dependencies);
    state_assumptions();
  }

 private:
  void add_rank(const ExecutionRank& rank) {
    const Graph& graph = rank.graph;
    const auto first = static_cast<std::uint32_t>(assembly_.builder.task_count());
    const auto first_operator = static_cast<std::uint32_t>(assembly_.operators.operators.size());
    // issue_order() uses much temporary memory, so it runs before the rank's tasks are added.
    orders_.push_back({&graph, first, issue_order(graph)});
    std::map<std::pair<Graph::Kind, std::int64_t>, LaneId> lanes;
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
      const Graph::Node& node = graph.nodes[i];
      const TaskId task = add_task(rank, i, lane(rank, node, lanes));
      if (node.which != Graph::kNone) {
        assembly_.operators.uses.push_back(
            {task, first_operator + node.which, assembly_.operators.occurrences++, false});
      }
    }
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
      for (const std::uint32_t before : graph.after_of(i))
        assembly_.add_edge(TaskId{first + before}, TaskId{first + i}, EdgeKind::kData);
    }
    auto& operators = assembly_.operators.operators;
    operators.insert(operators.end(), graph.operators.begin(), graph.operators.end());
    communication_.push_back({&rank, first, {}});
    for (const std::uint32_t node : orders_.back().nodes) {
      if (communicates(graph.nodes[node])) communication_.back().nodes.push_back(node);
    }
  }

  LaneId lane(const ExecutionRank& rank, const Graph::Node& node,
              std::map<std::pair<Graph::Kind, std::int64_t>, LaneId>& lanes) {
    const Graph::Kind kind = node.kind == Graph::Kind::kSend ? Graph::Kind::kCollective : node.kind;
    const auto [slot, added] = lanes.try_emplace({kind, node.row});
    if (added) {
      Lane made = lane_of(node);
      made.rank = rank.rank;
      slot->second = assembly_.builder.add_lane(std::move(made));
    }
    return slot->second;
  }

  TaskId add_task(const ExecutionRank& rank, std::uint32_t index, LaneId lane) {
    const Graph& graph = rank.graph;
    const Graph::Node& node = graph.nodes[index];
    count_untimed(rank, index);
    return assembly_.builder.add_task(
        {.kind = task_kind(node.kind),
         .name = assembly_.builder.intern(graph.name_of(index)),
         .lane = lane,
         .duration = node.duration,
         .bytes = node.message == Graph::kNone ? Bytes{} : graph.messages[node.message].bytes,
         .hint = Time{Duration{index}},
         .priority = static_cast<std::int32_t>(index)});
  }

  /// Counts a node without a duration if no device or network model can compute one from its work or size.
  void count_untimed(const ExecutionRank& rank, std::uint32_t index) {
    const Graph& graph = rank.graph;
    const Graph::Node& node = graph.nodes[index];
    const bool sized = node.message != Graph::kNone && graph.messages[node.message].bytes > Bytes{};
    if (node.duration > Duration{} || node.kind == Graph::Kind::kNothing || sized) return;
    const bool has_shapes = node.which != Graph::kNone && node.kind == Graph::Kind::kDevice;
    if (has_shapes && graph.operators[node.which].work.bytes + graph.operators[node.which].work.flops > 0) return;
    assembly_.diagnostics.count(has_shapes ? diagnostic("unmodelled_operator") : diagnostic("nodes_without_duration"),
                                {rank.file, {}, {}},
                                fmt::format("node {}, {}", node.id, shown(graph.name_of(index), 60)));
  }

  /// Adds edges so that the nodes of a thread, a stream, or a rank's communication run one after another in issue
  /// order.
  void order_rows() {
    for (const RankOrder& rank : orders_) {
      std::map<LaneId, TaskId> last;
      for (const std::uint32_t node : rank.nodes) {
        const TaskId task{rank.first_task + node};
        if (!is_in_order(rank.graph->nodes[node])) continue;
        TaskId& before = last[assembly_.builder.task(task).lane];
        if (before.valid()) assembly_.add_edge(before, task, edge_kind(rank.graph->nodes[node].kind));
        before = task;
      }
    }
  }

  /// If ranks disagree on the order, the edges that order_rows() added can make tasks wait for each other forever. In
  /// this case, removes all edges that order_rows() added, which are those with the index `of_dependencies` or larger.
  void keep_order_of_rows(std::size_t of_dependencies) {
    if (can_run(assembly_.builder)) return;
    assembly_.builder.edges().resize(of_dependencies);
    if (can_run(assembly_.builder))
      assembly_.diagnostics.count(diagnostic("communication_order_differs"), {ranks_.front().file, {}, {}});
    // If tasks still wait for each other, build() reports them.
  }

  void state_assumptions() {
    assembly_.assumptions.push_back(
        {"execution_trace_rows",
         "An execution trace records dependencies, but not the order in which nodes are queued: the nodes of a thread "
         "or stream run one after the other in the order of their ids, and so do the collectives and sends of a rank. "
         "Without a named thread or stream, the host, device and memory of a rank each run one node at a time, the "
         "ready one with the smallest id first."});
  }

  std::vector<ExecutionRank> ranks_;
  Assembly& assembly_;
  std::vector<RankOrder> orders_;                 // by rank
  std::vector<RankCommunication> communication_;  // by rank
};

}  // namespace

void stitch_execution_graphs(std::vector<ExecutionRank> ranks, Assembly& assembly) {
  std::sort(ranks.begin(), ranks.end(), [](const ExecutionRank& a, const ExecutionRank& b) { return a.rank < b.rank; });
  std::size_t nodes = 0;
  for (const ExecutionRank& rank : ranks) nodes += rank.graph.nodes.size();
  check_task_count(nodes);
  check_span(ranks);
  Stitcher(std::move(ranks), assembly).run();
}

}  // namespace stepsim::ingest
