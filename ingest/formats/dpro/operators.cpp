// metadata.json of a dPRO trial of TensorFlow: its operators.
//
//   {"m/a": {"op": "MatMul", "input": [{"name": "x:0", "shape": [8, 4], "dtype": "float32"}], "output": [...]}}
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/formats/chrome_spans.h"
#include "ingest/formats/format.h"
#include "ingest/json/json_reader.h"
#include "ingest/json/json_values.h"
#include "ingest/parts/names.h"
#include "model/base/known_diagnostics.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

/// Returns the operator "x" of the inputs "x:0" and "^x"; the latter is a pure ordering dependency.
std::string operator_of(std::string_view tensor) {
  if (tensor.starts_with('^')) tensor.remove_prefix(1);
  return std::string{tensor.substr(0, tensor.rfind(':'))};
}

class MetadataReader {
 public:
  MetadataReader(Input& input, PartSink& sink) : json_(input.stream()), file_(input.name()), sink_(sink) {}

  [[nodiscard]] OperatorMetadata read() {
    json_.object([&](const std::string& name) {
      if (json_.peek() == '{') {
        read_operator(name);
      } else {
        json_.skip();
      }
    });
    json_.expect_end();
    if (metadata_.operators.empty()) {
      throw InputError({file_, std::uint64_t{0}, {}},
                       R"(no operator in the file; expected members such as "m/a": {"op": .., "input": [..]})");
    }
    return std::move(metadata_);
  }

 private:
  void read_operator(const std::string& name) {
    ++sink_.events;
    OperatorMetadata::Operator made{name, {}, {}, {}};
    json_.object([&](const std::string& key) {
      if (key == "op" && json_.peek() == '"') {
        made.type = json_.text();
      } else if (key == "input" && json_.peek() == '[') {
        json_.array([&] { made.inputs.push_back(operator_of(read_tensor().name)); });
        std::erase(made.inputs, std::string{});
      } else if (key == "output" && json_.peek() == '[') {
        bool first = true;
        json_.array([&] {
          const Tensor tensor = read_tensor();
          if (std::exchange(first, false)) made.output = tensor_size(tensor.shape, tensor.dtype);
        });
      } else {
        json_.skip();
      }
    });
    metadata_.operators.push_back(std::move(made));
  }

  struct Tensor {
    std::string name;
    std::string shape = "?";
    std::string dtype;
  };

  Tensor read_tensor() {
    Tensor tensor;
    if (json_.peek() == '"') {
      tensor.name = json_.text();
    } else if (json_.peek() == '{') {
      json_.object([&](const std::string& key) {
        if (key == "name" && json_.peek() == '"') {
          tensor.name = json_.text();
        } else if (key == "dtype" && json_.peek() == '"') {
          tensor.dtype = json_.text();
        } else if (key == "shape" && json_.peek() == '[') {
          tensor.shape = read_shape();
        } else {
          json_.skip();
        }
      });
    } else {
      json_.skip();
    }
    return tensor;
  }

  std::string read_shape() {
    std::string shape;
    json_.array([&] {
      const char next = json_.peek();
      if (is_digit(next) || next == '-') {
        (shape += json_.number()) += ',';
      } else {
        shape += '?';  // an unknown extent
        json_.skip();
      }
    });
    return shape;
  }

  JsonReader json_;
  std::string file_;
  PartSink& sink_;
  OperatorMetadata metadata_;
};

constexpr Sign kMetadataSigns[]{
    {.sure = 90, .named = {"metadata.json", "metadata.json.gz"}, .all = {"\"op\"", "\"input\""}}};

void read_operator_metadata(Input& input, PartSink& sink) { sink.add(MetadataReader(input, sink).read()); }

}  // namespace

extern const Format operator_metadata_format{
    "operator_metadata", "dPRO trial, metadata.json: TensorFlow operators with types, shapes and inputs",
    kMetadataSigns, read_operator_metadata};

// trace.json.gz of the TensorFlow profiler; a dPRO trial has one per GPU:
//
//   {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:0 (pid 1)"}},
//   {"ph": "M", "pid": 1, "tid": 7, "name": "thread_name", "args": {"name": "TensorFlow Ops"}},
//   {"ph": "X", "pid": 1, "tid": 7, "ts": 0, "dur": 1000, "name": "MatMul",
//    "args": {"group_id": "3", "long_name": "StatefulPartitionedCall/m/a:MatMul"}}
//
// The rows "TensorFlow Ops" of GPUs contain the operators. The duration of an operator is that of its work on the
// device. Other rows show the kernels of this work, the steps, the modules, and the events of host threads.

namespace {

constexpr std::string_view kDevice = "/device:GPU";
constexpr std::string_view kOperators = "TensorFlow Ops";

class TensorflowReader {
 public:
  TensorflowReader(const std::string& file, PartSink& sink) : file_(file), sink_(sink) {}

  [[nodiscard]] TensorflowTrace finish() && {
    keep_operators();
    if (trace_.runs.empty()) {
      throw InputError({file_, std::uint64_t{0}, {}},
                       "the file has no operator of a GPU; expected X events in a thread 'TensorFlow Ops' of a process "
                       "'/device:GPU:<n>'");
    }
    return std::move(trace_);
  }

  void take(const ChromeEvent& event) {
    if (event.phase == "M") return take_name(event);
    if (event.phase != "X") {
      if (!event.phase.empty()) leave_out("events other than spans", event.offset);
      return;
    }
    const std::optional<RecordedTime> time = span_time(event.start_ns, event.duration_ns);
    if (!time) {
      return sink_.skip(diagnostic("bad_time"), {file_, event.offset, {}});
    }
    TensorflowTrace::Run run{std::string{event.name}, {}, std::string{event.thread}, -1, time->start, time->length};
    event.for_each_argument([&](std::string_view key, std::string_view value) {
      if (key == "long_name") set_name(run, as_text(value));
      if (key == "group_id") run.step = std::max<std::int64_t>(as_integer(value).value_or(-1), -1);
    });
    rows_.push_back({{std::string{event.process}, std::string{event.thread}}, event.offset});
    trace_.runs.push_back(std::move(run));
  }

 private:
  using Row = std::pair<std::string, std::string>;  // pid, tid

  /// Splits a name into the operator and its type: "StatefulPartitionedCall/m/a:MatMul" gives "m/a" and "MatMul".
  static void set_name(TensorflowTrace::Run& run, const std::string& long_name) {
    constexpr std::string_view kCall = "StatefulPartitionedCall/";
    std::string_view name = long_name;
    const std::size_t colon = name.find(':');
    if (colon != std::string_view::npos) run.type = std::string{name.substr(colon + 1)};
    name = name.substr(0, colon);
    if (name.starts_with(kCall)) name.remove_prefix(kCall.size());
    if (!name.empty()) run.name = std::string{name};
  }

  void take_name(const ChromeEvent& event) {
    event.for_each_argument([&](std::string_view key, std::string_view value) {
      if (key != "name") return;
      if (event.name == "process_name")
        is_device_[std::string{event.process}] = as_text(value).find(kDevice) != std::string::npos;
      if (event.name == "thread_name") {
        has_operators_[{std::string{event.process}, std::string{event.thread}}] =
            as_text(value).find(kOperators) != std::string::npos;
      }
    });
  }

  /// Drops the runs in rows other than "TensorFlow Ops". Called at the end, because a row's name may come after its
  /// events.
  void keep_operators() {
    std::vector<TensorflowTrace::Run> kept;
    for (std::size_t i = 0; i < trace_.runs.size(); ++i) {
      const auto device = is_device_.find(rows_[i].row.first);
      const auto operators = has_operators_.find(rows_[i].row);
      const bool wanted =
          device != is_device_.end() && device->second && operators != has_operators_.end() && operators->second;
      wanted ? kept.push_back(std::move(trace_.runs[i]))
             : leave_out("rows other than operators of GPUs", rows_[i].offset);
    }
    trace_.runs = std::move(kept);
  }

  void leave_out(std::string_view what, std::uint64_t offset) {
    sink_.diagnostics.count_about(diagnostic("not used:"), what, {file_, offset, {}}, {}, 1);
  }

  struct Place {
    Row row;
    std::uint64_t offset = 0;
  };

  const std::string& file_;
  PartSink& sink_;
  TensorflowTrace trace_;
  std::vector<Place> rows_;  // row of each of trace_.runs
  std::map<std::string, bool> is_device_;
  std::map<Row, bool> has_operators_;
};

constexpr Sign kProfileSigns[]{
    {.sure = 92, .opens = "{", .all = {kOperators}, .any = {kDevice, "\"long_name\""}},
    {.sure = 30, .named = {"trace.json.gz"}, .opens = "{", .all = {"\"traceEvents\""}},
};

void read_tensorflow_profile(Input& input, PartSink& sink) {
  TensorflowReader reader(input.name(), sink);
  for_each_record(input, sink, [&reader](const ChromeEvent& event) { reader.take(event); });
  sink.add(std::move(reader).finish());
}

}  // namespace

extern const Format tensorflow_profile_format{
    "tensorflow_profile", "dPRO trial, trace.json.gz of the TensorFlow profiler: operators of one GPU", kProfileSigns,
    read_tensorflow_profile};

}  // namespace stepsim::ingest
