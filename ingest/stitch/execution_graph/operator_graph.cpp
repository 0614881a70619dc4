#include "ingest/stitch/execution_graph/execution_graph.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stepsim::ingest {
namespace {

using Graph = ExecutionGraph;

class Builder {
 public:
  explicit Builder(ExecutionTrace trace) : trace_(std::move(trace)) {}

  Graph run() {
    find_computing();
    for (std::uint32_t i = 0; i < trace_.runs.size(); ++i) add(i);
    graph_.messages = std::move(trace_.messages);
    graph_.operators = std::move(trace_.operators);
    graph_.groups = std::move(trace_.groups);
    graph_.texts = std::move(trace_.texts);
    graph_.rank = trace_.rank;
    graph_.world = trace_.world;
    return std::move(graph_);
  }

 private:
  [[nodiscard]] bool has_work(std::size_t i) const {
    const ExecutionTrace::Operator& run = trace_.runs[i];
    return run.which != ExecutionTrace::kNone && run.role == ExecutionTrace::Role::kOperator;
  }
  [[nodiscard]] bool is_product(std::size_t i) const {
    return has_work(i) && trace_.operators[trace_.runs[i].which].work.flops > 0;
  }

  /// Finds the operators that compute, from the innermost out: inner operators begin later, so they have larger ids.
  void find_computing() {
    const std::size_t count = trace_.runs.size();
    std::unordered_map<std::int64_t, std::uint32_t> index;  // never iterated, so its order does not matter
    for (std::uint32_t i = 0; i < count; ++i) index.emplace(trace_.runs[i].id, i);
    computes_.assign(count, false);
    std::vector<bool> has_operator(count, false);
    std::vector<bool> has_product(count, false);
    for (std::size_t i = count; i-- > 0;) {
      const ExecutionTrace::Operator& run = trace_.runs[i];
      computes_[i] = (is_product(i) && !has_product[i]) || (has_work(i) && !has_operator[i]);
      const auto parent = index.find(run.parent);
      if (parent == index.end() || parent->second >= i) continue;
      has_product[parent->second] = has_product[parent->second] || has_product[i] || is_product(i);
      has_operator[parent->second] =
          has_operator[parent->second] || has_operator[i] || run.role == ExecutionTrace::Role::kOperator;
    }
  }

  void add(std::uint32_t i) {
    const ExecutionTrace::Operator& run = trace_.runs[i];
    Graph::Node node{.id = run.id, .name = run.name, .kind = kind_of(i)};
    if (node.kind == Graph::Kind::kDevice || node.kind == Graph::Kind::kHost) node.which = run.which;
    if (node.kind == Graph::Kind::kCollective) node.message = run.message;
    if (run.role == ExecutionTrace::Role::kWait) {
      if (const auto collective = collectives_.find(run.sequence); collective != collectives_.end())
        waited_for_.push_back(collective->second);
    }
    const bool on_host = node.kind == Graph::Kind::kHost || node.kind == Graph::Kind::kNothing;
    const std::size_t first = graph_.after.size();
    graph_.after.insert(graph_.after.end(), host_.begin(), host_.end());
    if (node.kind != Graph::Kind::kNothing) add_writers(i);
    if (node.kind == Graph::Kind::kDevice) {
      if (device_ != Graph::kNone) graph_.after.push_back(device_);
      graph_.after.insert(graph_.after.end(), waited_for_.begin(), waited_for_.end());
      waited_for_.clear();
      device_ = i;
    }
    const auto begin = graph_.after.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, graph_.after.end());
    graph_.after.erase(std::unique(begin, graph_.after.end()), graph_.after.end());
    node.after_end = graph_.after.size();
    graph_.nodes.push_back(node);
    if (on_host) host_ = {i};
    if (node.kind == Graph::Kind::kCollective) collectives_[run.sequence] = i;
    if (node.kind == Graph::Kind::kDevice && returns_number(i)) host_.push_back(i);
    if (node.kind != Graph::Kind::kNothing) note_writes(i);
  }

  [[nodiscard]] Graph::Kind kind_of(std::size_t i) const {
    const ExecutionTrace::Operator& run = trace_.runs[i];
    if (run.role == ExecutionTrace::Role::kCollective) return Graph::Kind::kCollective;
    if (!computes_[i]) return Graph::Kind::kNothing;
    return run.on_device ? Graph::Kind::kDevice : Graph::Kind::kHost;
  }

  /// Returns true for operators that return a number to the host, so that the host waits for them.
  [[nodiscard]] bool returns_number(std::size_t i) const {
    const std::string_view name = trace_.texts[trace_.runs[i].name];
    return name == "aten::item" || name == "aten::_local_scalar_dense" || name == "aten::is_nonzero";
  }

  void add_writers(std::uint32_t i) {
    for (const ExecutionTrace::Use& use : trace_.uses_of(i)) {
      const auto writer = writer_.find(use.storage);
      if (writer != writer_.end()) graph_.after.push_back(writer->second);
    }
  }

  /// Notes the memory that an operator writes: its results, or all of its tensors (in place) if it names no result.
  void note_writes(std::uint32_t i) {
    const auto uses = trace_.uses_of(i);
    const bool in_place = std::none_of(uses.begin(), uses.end(), [](const auto& use) { return use.written; });
    for (const ExecutionTrace::Use& use : uses) {
      if (use.written || in_place) writer_[use.storage] = i;
    }
  }

  ExecutionTrace trace_;
  Graph graph_;
  std::vector<bool> computes_;                              // by operator: whether it computes
  std::vector<std::uint32_t> host_;                         // nodes that the host's next node waits for
  std::uint32_t device_ = Graph::kNone;                     // the last device work
  std::vector<std::uint32_t> waited_for_;                   // collectives for which the next device work waits
  std::unordered_map<std::int64_t, std::uint32_t> writer_;  // last writer, by storage; never iterated
  std::map<std::int64_t, std::uint32_t> collectives_;       // collectives by sequence number
};

}  // namespace

ExecutionGraph graph_of_operators(ExecutionTrace trace) { return Builder(std::move(trace)).run(); }

}  // namespace stepsim::ingest
