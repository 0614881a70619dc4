#include "ingest/formats/chakra/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ingest/formats/chrome_spans.h"
#include "ingest/formats/execution_trace/process_groups.h"
#include "ingest/parts/successors.h"
#include "model/base/error.h"
#include "model/base/known_diagnostics.h"
#include "model/base/limits.h"
#include "model/base/text.h"
#include "model/job/dag_builder.h"
#include "model/job/kernel_class.h"

namespace stepsim::ingest {

std::uint32_t ExecutionGraphBuilder::add_message(const ExecutionGraph::Message& message) {
  graph_.messages.push_back(message);
  return static_cast<std::uint32_t>(graph_.messages.size() - 1);
}

std::uint32_t ExecutionGraphBuilder::add_operator(OperatorTable::Operator op) {
  graph_.operators.push_back(std::move(op));
  return static_cast<std::uint32_t>(graph_.operators.size() - 1);
}

void ExecutionGraphBuilder::add(const ExecutionGraph::Node& node, std::span<const std::int64_t> data,
                                std::span<const std::int64_t> control, std::uint64_t offset) {
  check_task_count(graph_.nodes.size() + 1, {file_, offset, {}});
  dependencies_.insert(dependencies_.end(), data.begin(), data.end());
  const std::uint64_t middle = dependencies_.size();
  dependencies_.insert(dependencies_.end(), control.begin(), control.end());
  graph_.nodes.push_back(node);
  // The node's index in waits_, for sort_nodes(). resolve() replaces it by the end of the node's range in graph_.after.
  graph_.nodes.back().after_end = waits_.size();
  waits_.push_back({middle, dependencies_.size(), offset});
}

ExecutionGraph ExecutionGraphBuilder::finish() && {
  if (empty()) throw InputError({file_, {}, {}}, "the trace has no node; expected at least one");
  sort_nodes();
  std::size_t stuck = 0;
  if (!resolve(true, stuck)) {
    std::uint64_t control = 0;
    for (const std::uint32_t added : added_) control += waits_[added].end - waits_[added].control;
    if (!resolve(false, stuck)) {
      throw InputError(
          {file_, waits_[added_[stuck]].offset, {}},
          fmt::format("node {} waits for itself through its dependencies; expected no cycle", graph_.nodes[stuck].id));
    }
    sink_.diagnostics.count(diagnostic("control_dependencies_not_used"), {file_, {}, {}}, {}, control);
  }
  graph_.texts = std::move(texts_).take();
  return std::move(graph_);
}

void ExecutionGraphBuilder::sort_nodes() {
  using Node = ExecutionGraph::Node;
  std::vector<Node>& nodes = graph_.nodes;
  std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) {
    return std::pair{a.id, a.after_end} < std::pair{b.id, b.after_end};
  });
  const auto same = [](const Node& a, const Node& b) { return a.id == b.id; };
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    if (!same(nodes[i - 1], nodes[i])) continue;
    sink_.diagnostics.count(diagnostic("node_id_again"), {file_, waits_[nodes[i].after_end].offset, {}},
                            fmt::format("node {}", nodes[i].id));
    ++sink_.skipped;
  }
  nodes.erase(std::unique(nodes.begin(), nodes.end(), same), nodes.end());
  added_.reserve(nodes.size());
  for (const Node& node : nodes) added_.push_back(static_cast<std::uint32_t>(node.after_end));
}

bool ExecutionGraphBuilder::resolve(bool with_control, std::size_t& stuck) {
  const Diagnostics before = sink_.diagnostics;
  graph_.after.clear();
  graph_.after.reserve(dependencies_.size());
  for (std::size_t node = 0; node < added_.size(); ++node) {
    const std::uint32_t added = added_[node];
    const std::uint64_t begin = added == 0 ? 0 : waits_[added - 1].end;
    const std::uint64_t end = with_control ? waits_[added].end : waits_[added].control;
    const auto first = static_cast<std::ptrdiff_t>(graph_.after.size());
    for (std::uint64_t i = begin; i < end; ++i) resolve_one(dependencies_[i], waits_[added].offset);
    std::sort(graph_.after.begin() + first, graph_.after.end());
    graph_.after.erase(std::unique(graph_.after.begin() + first, graph_.after.end()), graph_.after.end());
    graph_.nodes[node].after_end = graph_.after.size();
  }
  const std::optional<std::uint32_t> in_cycle =
      find_cycle(graph_.nodes.size(), [this](std::uint32_t node) { return graph_.after_of(node); });
  if (!in_cycle) return true;
  stuck = *in_cycle;
  sink_.diagnostics = before;
  return false;
}

void ExecutionGraphBuilder::resolve_one(std::int64_t id, std::uint64_t offset) {
  const auto& nodes = graph_.nodes;
  const auto place =
      std::lower_bound(nodes.begin(), nodes.end(), id,
                       [](const ExecutionGraph::Node& node, std::int64_t wanted) { return node.id < wanted; });
  if (place != nodes.end() && place->id == id) {
    graph_.after.push_back(static_cast<std::uint32_t>(place - nodes.begin()));
    return;
  }
  sink_.diagnostics.count(diagnostic("unknown_dependency"), {file_, offset, {}}, fmt::format("node {}", id));
}

namespace {

using Graph = ExecutionGraph;

constexpr std::int64_t kMetadata = 1;  // a node of this type does nothing, and neither does one of type 0
constexpr std::int64_t kCompute = 4;
constexpr std::int64_t kSend = 5;
constexpr std::int64_t kReceive = 6;
constexpr std::int64_t kCollective = 7;

/// The operations of CollectiveCommType (et_def.proto), by number. Gathers and scatters, in which one root does all the
/// work, have no model here.
constexpr std::array<CollectiveOp, 10> kCollectives{
    CollectiveOp::kAllReduce,     CollectiveOp::kReduce,    CollectiveOp::kAllGather, CollectiveOp::kUnknown,
    CollectiveOp::kUnknown,       CollectiveOp::kBroadcast, CollectiveOp::kAllToAll,  CollectiveOp::kReduceScatter,
    CollectiveOp::kReduceScatter, CollectiveOp::kBarrier};

/// Returns where a node runs. A collective runs on the device; the host only makes the call that starts it. A node
/// without is_cpu_op is assumed to run on the device, as in handmade graphs. add_chakra_node() counts such nodes,
/// because mlcommons/chakra's et_feeder assumed the host up to 0.0.4 (`is_cpu_op_ = 1`).
Graph::Kind kind_of(const ChakraNode& node) {
  if (node.type <= kMetadata) return Graph::Kind::kNothing;
  if (node.on_host.value_or(false)) return Graph::Kind::kHost;
  switch (node.type) {
    case kSend: return Graph::Kind::kSend;
    case kReceive: return Graph::Kind::kReceive;
    case kCollective: return Graph::Kind::kCollective;
    case kCompute: return Graph::Kind::kDevice;
    default: return Graph::Kind::kMemory;
  }
}

/// Describes what is wrong with a node; empty if it is usable.
std::string problem_with(const ChakraNode& node) {
  if (!node.id) return "a node without an id";
  if (node.type < 0 || node.type > kCollective) return fmt::format("node {} has type {}", *node.id, node.type);
  if (node.nanoseconds < 0 || Duration{node.nanoseconds} > kLongestEvent)
    return fmt::format("node {} takes more than 7 days", *node.id);
  if (!is_size(node.bytes) || !is_size(node.tensor_bytes.value_or(0)) || node.operations.value_or(0) < 0)
    return fmt::format("node {} has an impossible size", *node.id);
  return {};
}

/// Returns the operation of a communication node, by its type or else by the name of its kernel.
CollectiveOp operation_of(const ChakraNode& node) {
  if (node.type != kCollective) return CollectiveOp::kSendRecv;
  if (!node.collective) {
    const auto kernel = communication_kernel(node.name);
    return kernel ? collective_called(kernel->operation) : CollectiveOp::kUnknown;
  }
  const bool known = *node.collective >= 0 && *node.collective < static_cast<std::int64_t>(kCollectives.size());
  return known ? kCollectives[static_cast<std::size_t>(*node.collective)] : CollectiveOp::kUnknown;
}

Graph::Message message_of(const ChakraNode& node, ExecutionGraphBuilder& graph) {
  Graph::Message message{.op = operation_of(node), .bytes = Bytes{node.bytes}, .group = graph.text(node.group)};
  if (node.type == kSend) message.peer = node.destination.value_or(-1);
  if (node.type == kReceive) message.peer = node.source.value_or(-1);
  if (node.type == kCollective) message.peer = node.root.value_or(-1);
  message.tag = node.tag;
  return message;
}

/// Returns the operator of a compute node. Its work comes from num_ops and tensor_size, which ASTRA-sim's roofline
/// model also uses.
OperatorTable::Operator operator_of(const ChakraNode& node) {
  OperatorTable::Operator op{.name = node.name, .shapes = {}, .work = {}};
  const auto operations = static_cast<double>(node.operations.value_or(0));
  op.work.kind = operations > 0 ? KernelClass::kGemm : KernelClass::kElementwise;
  op.work.flops = operations;
  op.work.bytes = static_cast<double>(node.tensor_bytes.value_or(0));
  return op;
}

}  // namespace

void ChakraNode::clear() {
  ChakraNode empty;
  empty.name = std::move(name);
  empty.control = std::move(control);
  empty.data = std::move(data);
  empty.values = std::move(values);
  empty.name.clear();
  empty.control.clear();
  empty.data.clear();
  empty.values.clear();
  *this = std::move(empty);
}

void take_chakra_number(std::string_view name, std::int64_t value, ChakraNode& node) {
  std::string letters{name};
  std::erase(letters, '_');
  if (letters == "iscpuop") node.on_host = value != 0;
  if (letters == "tid") node.thread = value;
  if (letters == "stream") node.stream = value;
  if (letters == "numops") node.operations = value;
  if (letters == "tensorsize") node.tensor_bytes = value;
  if (letters == "commtype") node.collective = value;
  if (letters == "commsize") node.bytes = value;
  if (letters == "commsrc") node.source = value;
  if (letters == "commdst") node.destination = value;
  if (letters == "commtag") node.tag = value;
  if (letters == "root") node.root = value;
}

void add_chakra_node(const ChakraNode& node, std::uint64_t offset, const ChakraFile& file, PartSink& sink,
                     ExecutionGraphBuilder& graph) {
  if (const std::string problem = problem_with(node); !problem.empty()) {
    sink.skip(diagnostic("bad_node"), {file.name, offset, {}}, problem);
    return;
  }
  if (node.type >= kCompute && !node.on_host) {
    sink.diagnostics.count(diagnostic("host_or_device_assumed"), {file.name, offset, {}},
                           file.version.empty() ? "the file states no version" : "version " + shown(file.version, 40));
  }
  Graph::Node added{.id = *node.id, .name = graph.text(node.name), .kind = kind_of(node)};
  added.duration = Duration{node.nanoseconds};
  if (added.kind == Graph::Kind::kHost) added.row = node.thread.value_or(Graph::kNoRow);
  if (added.kind == Graph::Kind::kDevice) added.row = node.stream ? *node.stream : node.thread.value_or(Graph::kNoRow);
  if (added.kind >= Graph::Kind::kCollective) added.message = graph.add_message(message_of(node, graph));
  const bool has_work = node.operations.value_or(0) > 0 || node.tensor_bytes.value_or(0) > 0;
  if (added.kind == Graph::Kind::kDevice && has_work) added.which = graph.add_operator(operator_of(node));
  if (node.type == kMetadata) add_process_groups(node.values, graph.graph());
  graph.add(added, node.data, node.control, offset);
}

}  // namespace stepsim::ingest
