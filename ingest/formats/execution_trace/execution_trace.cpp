#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/formats/execution_trace/process_groups.h"
#include "ingest/formats/format.h"
#include "ingest/formats/kineto/arguments.h"
#include "ingest/json/json_reader.h"
#include "ingest/json/json_values.h"
#include "ingest/parts/execution_graph.h"
#include "ingest/parts/names.h"
#include "ingest/parts/text_table.h"
#include "model/base/error.h"
#include "model/base/known_diagnostics.h"
#include "model/base/limits.h"
#include "model/job/dag_builder.h"

// This file reads the output of torch.profiler's ExecutionTraceObserver, schemas 1.0.1 to 1.1.1: operators with their
// tensors, without times. Nodes are numbered in the order in which they begin, and written in the order in which they
// end.

namespace stepsim::ingest {
namespace {
/// A node of PyTorch's execution trace as read from its file. Lists are kept as JSON text. Missing members are empty.
struct ObservedOperator {
  std::optional<std::int64_t> id;
  std::int64_t parent = 0;  ///< "parent"; since schema 1.0.2 "ctrl_deps"
  std::string name;
  std::string schema;
  std::string inputs, input_shapes, input_types, outputs;
  std::string collective, group;  ///< attributes collective_name and pg_name of schema 1.1.1

  void clear();
};

/// A tensor among the values of a node: [tensor, storage, offset, elements, bytes of an element, device].
struct ObservedTensor {
  std::int64_t storage = 0;
  std::int64_t bytes = 0;
  bool on_device = false;
};

/// The arguments of "record_param_comms": tensors, then number, group, rank, operation and sizes. Arguments are
/// recognised by their types, because their number differs between versions.
struct CommunicationCall {
  std::string operation;  ///< "allreduce", "wait"
  std::string group;      ///< the group's name, or else the process's number for it
  bool is_local = false;  ///< the group is named by a number that other ranks do not share
  std::int64_t sequence = -1;
};

constexpr int kDeepest = 3;  // the maximum nesting of `values`: lists of lists of tensors
constexpr std::size_t kTensorMembers = 6;

bool is_list(std::string_view value) noexcept { return value.starts_with('['); }
bool is_text(std::string_view value) noexcept { return value.starts_with('"'); }

/// Reads the members of a tensor; false if the list is not a tensor.
bool tensor_in(std::string_view list, ObservedTensor& tensor) {
  std::array<std::int64_t, kTensorMembers - 1> numbers{};
  ItemCursor items{list};
  std::string_view item;
  std::size_t count = 0;
  while (items.next(item)) {
    if (count < numbers.size()) {
      const auto number = is_text(item) || is_list(item) ? std::nullopt : as_integer(item);
      if (!number) return false;
      numbers[count] = *number;
    } else if (count > numbers.size() || !is_text(item)) {
      return false;
    } else {
      const std::string device = as_text(item);
      tensor.on_device = !device.empty() && !device.starts_with("cpu") && !device.starts_with("meta");
    }
    ++count;
  }
  if (count != kTensorMembers) return false;
  const auto [id, storage, offset, elements, size] = numbers;
  const bool fits = elements >= 0 && size >= 0 && (size == 0 || elements <= kMostRecordedBytes / size);
  tensor.storage = storage;
  tensor.bytes = fits ? elements * size : 0;
  return true;
}

/// Appends the tensors among the values, including those in lists. Skips deeper nesting and anything that is not a
/// tensor.
// NOLINTNEXTLINE(misc-no-recursion): kDeepest bounds the depth
void append_tensors(std::string_view values, std::vector<ObservedTensor>& tensors, int depth) {
  ItemCursor items{values};
  std::string_view item;
  while (items.next(item)) {
    if (!is_list(item)) continue;
    ObservedTensor tensor;
    if (tensor_in(item, tensor)) {
      tensors.push_back(tensor);
    } else if (depth < kDeepest) {
      append_tensors(item, tensors, depth + 1);
    }
  }
}

/// Returns the type of a tensor, or of the first one in a list: "float" for "GenericList[Tensor(float)]".
std::string_view element_in(std::string_view type) {
  constexpr std::string_view kTensor = "Tensor(";
  const std::size_t begin = type.find(kTensor);
  if (begin == std::string_view::npos) return type;
  const std::string_view rest = type.substr(begin + kTensor.size());
  return rest.substr(0, rest.find(')'));
}

void take_values(JsonReader& json, std::string& values, std::string* shapes, std::string* types) {
  if (json.peek() != '{') return json.skip();
  json.object([&](const std::string& key) {
    if (key == "values") {
      values = json.raw();
    } else if (key == "shapes" && shapes != nullptr) {
      *shapes = json.raw();
    } else if (key == "types" && types != nullptr) {
      *types = json.raw();
    } else {
      json.skip();
    }
  });
}

/// Reads an attribute: {"name": "rf_id", "type": "uint64", "value": 4}
void take_attribute(JsonReader& json, ObservedOperator& node) {
  if (json.peek() != '{') return json.skip();
  std::string name;
  std::string value;
  json.object([&](const std::string& key) {
    if ((key == "name" || key == "value") && json.peek() == '"') {
      (key == "name" ? name : value) = json.text();
    } else {
      json.skip();
    }
  });
  if (name == "op_schema") {
    node.schema = std::move(value);
  } else if (name == "collective_name") {
    node.collective = std::move(value);
  } else if (name == "pg_name") {
    node.group = std::move(value);
  }
}

bool is_number(JsonReader& json) {
  const char first = json.peek();
  return first == '-' || (first >= '0' && first <= '9');
}

void take_member(JsonReader& json, const std::string& key, ObservedOperator& node) {
  if (key == "id" && is_number(json)) {
    node.id = as_integer(json.number());
  } else if ((key == "parent" || key == "ctrl_deps") && is_number(json)) {
    node.parent = as_integer(json.number()).value_or(0);
  } else if (key == "name" && json.peek() == '"') {
    node.name = json.text();
  } else if (key == "op_schema" && json.peek() == '"') {
    node.schema = json.text();
  } else if (key == "inputs" && json.peek() == '{') {
    take_values(json, node.inputs, &node.input_shapes, &node.input_types);
  } else if (key == "inputs") {
    node.inputs = json.raw();
  } else if (key == "input_shapes") {
    node.input_shapes = json.raw();
  } else if (key == "input_types") {
    node.input_types = json.raw();
  } else if (key == "outputs" && json.peek() == '{') {
    take_values(json, node.outputs, nullptr, nullptr);
  } else if (key == "outputs") {
    node.outputs = json.raw();
  } else if (key == "attrs" && json.peek() == '[') {
    json.array([&] { take_attribute(json, node); });
  } else {
    json.skip();
  }
}

void ObservedOperator::clear() {
  id.reset();
  parent = 0;
  for (std::string* const text : {&name, &schema, &inputs, &input_shapes, &input_types, &outputs, &collective, &group})
    text->clear();
}

/// Reads a node, in the flat form of schema 1.0.1 or the form of 1.0.2 and later. Throws InputError at a syntax error.
void read_observed_operator(JsonReader& json, ObservedOperator& node) {
  node.clear();
  if (json.peek() != '{') return json.skip();
  json.object([&](const std::string& key) { take_member(json, key, node); });
}

void append_tensors(std::string_view values, std::vector<ObservedTensor>& tensors) {
  append_tensors(values, tensors, 1);
}

/// Returns the types of a node in Kineto's form: ["Tensor(float)", "GenericList[Tensor(long int)]"] becomes
/// ["float","long int"].
std::string kineto_types(std::string_view types) {
  std::string list = "[";
  ItemCursor items{types};
  std::string_view item;
  while (items.next(item)) {
    if (list.size() > 1) list += ',';
    const std::string type = as_text(item);
    std::string plain{element_in(type)};
    std::erase_if(plain, [](char c) { return c == '"' || c == '\\'; });
    list += '"' + plain + '"';
  }
  return list + ']';
}

CommunicationCall communication_call(const ObservedOperator& node) {
  CommunicationCall call{.operation = node.collective, .group = node.group};
  ItemCursor items{node.inputs};
  std::string_view item;
  bool has_group = !node.group.empty();
  while (items.next(item)) {
    if (is_text(item)) {
      if (call.operation.empty()) call.operation = as_text(item);
    } else if (is_list(item)) {
      ItemCursor members{item};  // ["0", "default_pg"]; other lists are tensors or sizes
      std::string_view first;
      if (!has_group && members.next(first) && is_text(first)) {
        call.group = as_text(first);
        has_group = true;
      }
    } else if (const auto number = as_integer(item)) {
      if (call.sequence < 0) {
        call.sequence = *number;
      } else if (!has_group) {
        call.group = std::to_string(*number);
        call.is_local = true;
        has_group = true;
      }
    }
  }
  return call;
}

constexpr Sign kObserverSigns[]{{.sure = 96,
                                 .opens = "{",
                                 .all = {"\"schema\""},
                                 .any = {"|execution_trace|", "|execution_graph|", "-chakra."},
                                 .without = {"\"traceEvents\"", "\"workload_graph\""}}};

class ObserverReader {
 public:
  ObserverReader(Input& input, PartSink& sink) : json_(input.stream()), file_(input.name()), sink_(sink) {
    trace_.rank = rank_of_execution_trace(file_);
  }

  ExecutionTrace read() {
    try {
      json_.object([this](const std::string& key) { read_member(key); });
      json_.expect_end();
    } catch (const InputError&) {
      if (!json_.ended() || added_.empty()) throw;
      sink_.diagnostics.count(diagnostic("truncated_file"), {file_, json_.offset(), {}});
    }
    if (added_.empty()) throw InputError({file_, {}, {}}, "the trace has no node; expected at least one");
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
    std::uint64_t begin = 0;  // index in uses_ of the operator's first entry
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
      sink_.skip(diagnostic("bad_node"), {file_, offset, {}}, "a node without an id");
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

  /// Adds the tensors of the current node to uses_. Returns the total size of its inputs in bytes.
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

  /// Returns the operator's settings in the form of Kineto's "Concrete Inputs": each value is a text.
  [[nodiscard]] std::string settings_text() const {
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
    if (op == CollectiveOp::kUnknown && bytes == 0) return;  // a call such as "init"
    run.role = ExecutionTrace::Role::kCollective;
    run.message = static_cast<std::uint32_t>(messages_.size());
    messages_.push_back(
        {.op = op, .bytes = Bytes{is_size(bytes) ? bytes : 0}, .group = texts_.intern(call.group).value()});
    if (!call.is_local) return;
    local_.push_back(run.message);
    if (local_groups_.size() < kMostGroups &&
        std::find(local_groups_.begin(), local_groups_.end(), call.group) == local_groups_.end())
      local_groups_.push_back(call.group);
  }

  /// Names the groups of schema 1.0.1. This schema identifies a group by a memory address, and the address differs
  /// between ranks. A single group is assumed to contain all ranks; several groups are numbered by first use.
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
        sink_.skip(diagnostic("node_id_again"), {file_, added.offset, {}}, fmt::format("node {}", added.run.id));
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
  ExecutionGraph groups_;  // collects the groups and the world size
  TextTable texts_;
  KinetoOperators operators_;
  std::vector<Added> added_;
  std::vector<ExecutionTrace::Use> uses_;  // in file order
  std::vector<ExecutionGraph::Message> messages_;
  std::vector<std::uint32_t> local_;       // messages of groups with process-local names
  std::vector<std::string> local_groups_;  // in the order of first use; a process has few
  std::vector<ObservedTensor> tensors_;
  ObservedOperator node_;
};

void read_execution_trace(Input& input, PartSink& sink) { sink.add(ObserverReader(input, sink).read()); }

}  // namespace

extern const Format execution_trace_format{
    .name = "execution_trace",
    .summary = "PyTorch ExecutionTraceObserver: operators, tensors and collectives, without times",
    .recognise = kObserverSigns,
    .read = read_execution_trace,
};

}  // namespace stepsim::ingest
