#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ingest/formats/execution_trace/observed_operator.h"
#include "ingest/formats/execution_trace/process_groups.h"
#include "ingest/formats/format.h"
#include "ingest/formats/kineto/operators.h"
#include "ingest/json/json_reader.h"
#include "ingest/json/json_values.h"
#include "ingest/parts/execution_trace.h"
#include "ingest/parts/text_table.h"
#include "model/base/error.h"
#include "model/base/known_diagnostics.h"
#include "model/job/dag_builder.h"

// What torch.profiler's ExecutionTraceObserver writes, schemas 1.0.1 to 1.1.1: operators with their tensors, without
// times. Nodes are written as they end, and numbered as they begin.

namespace stepsim::ingest {
namespace {

int recognise_execution_trace(std::string_view /*file_name*/, std::string_view head) {
  constexpr int kSure = 96;
  const std::size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string_view::npos || head[first] != '{' || !contains(head, "\"schema\"")) return 0;
  const bool observed =
      contains(head, "|execution_trace|") || contains(head, "|execution_graph|") || contains(head, "-chakra.");
  return observed && !contains(head, "\"traceEvents\"") && !contains(head, "\"workload_graph\"") ? kSure : 0;
}

class ExecutionTraceReader {
 public:
  ExecutionTraceReader(Input& input, PartSink& sink) : json_(input.stream()), file_(input.name()), sink_(sink) {
    trace_.rank = rank_in_file_name(file_);
  }

  ExecutionTrace read() {
    try {
      json_.object([this](const std::string& key) { read_member(key); });
      json_.expect_end();
    } catch (const InputError&) {
      if (!json_.ended() || added_.empty()) throw;
      sink_.diagnostics.count(diagnostic("truncated_file"), {file_, json_.offset(), {}});
    }
    if (added_.empty()) throw InputError({file_, {}, {}}, "no node is in this trace; expected at least one");
    name_local_groups();
    sort();
    trace_.texts = std::move(texts_).take();
    trace_.operators = std::move(operators_).take();
    trace_.groups = std::move(groups_.groups);
    trace_.world = groups_.world;
    trace_.messages = std::move(messages_);
    return std::move(trace_);
  }

 private:
  struct Added {
    ExecutionTrace::Operator run;
    std::uint64_t begin = 0;  // of its uses
    std::uint64_t offset = 0;
  };

  void read_member(const std::string& key) {
    const char first = json_.peek();
    if (key == "nodes" && first == '[') {
      json_.array([this] { read_node(); });
    } else if (key == "pid" && first >= '0' && first <= '9') {
      trace_.process = as_integer(json_.number()).value_or(-1);
    } else {
      json_.skip();
    }
  }

  void read_node() {
    const std::uint64_t offset = json_.offset();
    ++sink_.events;
    read_observed_operator(json_, node_);
    if (!node_.id) {
      ++sink_.skipped;
      sink_.diagnostics.count(diagnostic("bad_node"), {file_, offset, {}}, "a node without an id");
      return;
    }
    check_task_count(added_.size() + 1, {file_, offset, {}});
    const TextId name = texts_.intern(node_.name);
    Added added{{.id = *node_.id, .parent = node_.parent, .name = name.value()}, uses_.size(), offset};
    const std::int64_t bytes = add_uses(added.run);
    added.run.uses_end = uses_.size();
    if (!node_.schema.empty()) added.run.role = ExecutionTrace::Role::kOperator;
    const auto which =
        operators_.number_of(node_.name, name, node_.input_shapes, kineto_types(node_.input_types), settings_text());
    if (which) added.run.which = *which;
    if (node_.name == "record_param_comms") add_communication(bytes, added.run);
    if (node_.name.find("process_group:init") != std::string::npos) add_process_groups(node_.inputs, groups_);
    added_.push_back(added);
  }

  /// The node's tensors; returns the bytes of those that it reads.
  std::int64_t add_uses(ExecutionTrace::Operator& run) {
    std::int64_t bytes = 0;
    for (const bool written : {false, true}) {
      tensors_.clear();
      append_tensors(written ? node_.outputs : node_.inputs, tensors_);
      for (const ObservedTensor& tensor : tensors_) {
        run.on_device = run.on_device || tensor.on_device;
        if (!written) bytes += tensor.bytes;
        uses_.push_back({tensor.storage, written});
      }
    }
    return bytes;
  }

  /// As Kineto has them in "Concrete Inputs": each a text.
  std::string settings_text() const {
    if (node_.name.find("conv") == std::string::npos) return {};
    std::string list = "[";
    ItemCursor items{node_.inputs};
    std::string_view item;
    while (items.next(item)) {
      if (list.size() > 1) list += ',';
      const bool plain = item.find_first_of("\"\\") == std::string_view::npos;
      list += fmt::format("\"{}\"", plain ? item : std::string_view{});
    }
    return list + ']';
  }

  void add_communication(std::int64_t bytes, ExecutionTrace::Operator& run) {
    const CommunicationCall call = communication_call(node_);
    run.sequence = call.sequence;
    if (call.operation == "wait") {
      run.role = ExecutionTrace::Role::kWait;
      return;
    }
    const CollectiveOp op = collective_called(call.operation);
    if (op == CollectiveOp::kUnknown && bytes == 0) return;  // "init"
    run.role = ExecutionTrace::Role::kCollective;
    run.message = static_cast<std::uint32_t>(messages_.size());
    const bool possible = bytes >= 0 && bytes <= (std::int64_t{1} << 60U);
    messages_.push_back({.op = op, .bytes = Bytes{possible ? bytes : 0}, .group = texts_.intern(call.group).value()});
    if (!call.is_local) return;
    local_.push_back(run.message);
    if (local_groups_.size() < kMostGroups &&
        std::find(local_groups_.begin(), local_groups_.end(), call.group) == local_groups_.end())
      local_groups_.push_back(call.group);
  }

  /// Schema 1.0.1 names groups by where they are in memory, which differs between ranks. The only one is that of all
  /// ranks; several are told apart by the order in which they are used first.
  void name_local_groups() {
    const bool several = local_groups_.size() > 1;
    for (const std::uint32_t message : local_) {
      const std::string& group = texts_.text(TextId{messages_[message].group});
      const auto place = std::find(local_groups_.begin(), local_groups_.end(), group) - local_groups_.begin();
      messages_[message].group = texts_.intern(several ? fmt::format("group {} by use", place) : std::string{}).value();
    }
  }

  void sort() {
    std::stable_sort(added_.begin(), added_.end(), [](const Added& a, const Added& b) { return a.run.id < b.run.id; });
    for (std::size_t i = 0; i < added_.size(); ++i) {
      const Added& added = added_[i];
      if (i > 0 && added.run.id == added_[i - 1].run.id) {
        ++sink_.skipped;
        sink_.diagnostics.count(diagnostic("node_id_again"), {file_, added.offset, {}},
                                fmt::format("node {}", added.run.id));
        continue;
      }
      const auto at = uses_.begin();
      trace_.uses.insert(trace_.uses.end(), at + static_cast<std::ptrdiff_t>(added.begin),
                         at + static_cast<std::ptrdiff_t>(added.run.uses_end));
      trace_.runs.push_back(added.run);
      trace_.runs.back().uses_end = trace_.uses.size();
    }
  }

  static constexpr std::size_t kMostGroups = 1000;

  JsonReader json_;
  const std::string& file_;
  PartSink& sink_;
  ExecutionTrace trace_;
  ExecutionGraph groups_;  // where groups and world are collected
  TextTable texts_;
  KinetoOperators operators_;
  std::vector<Added> added_;
  std::vector<ExecutionTrace::Use> uses_;  // in the order of the file
  std::vector<ExecutionGraph::Message> messages_;
  std::vector<std::uint32_t> local_;       // messages of groups that only this process calls so
  std::vector<std::string> local_groups_;  // by first use; a process has few
  std::vector<ObservedTensor> tensors_;
  ObservedOperator node_;
};

void read_execution_trace(Input& input, PartSink& sink) { sink.add(ExecutionTraceReader(input, sink).read()); }

}  // namespace

extern const Format execution_trace_format;
const Format execution_trace_format{
    .name = "execution_trace",
    .summary = "PyTorch's ExecutionTraceObserver: operators, their tensors and collectives; no times",
    .recognise = recognise_execution_trace,
    .read = read_execution_trace,
};

}  // namespace stepsim::ingest
