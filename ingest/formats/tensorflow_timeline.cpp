#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ingest/formats/chrome_spans.h"
#include "ingest/formats/format.h"
#include "ingest/json/json_values.h"
#include "ingest/parts/host_device_builder.h"
#include "model/base/known_diagnostics.h"
#include "model/base/text.h"

// Output of tensorflow.python.client.timeline for the RunMetadata of one session.run(). Its processes are recognised by
// their names: "/job:w/replica:0/task:0/gpu:0 Compute" has the operators that a device's executor ran, in as few rows
// as possible; "/gpu:0/stream:13 Compute" has the work of one stream; "stream:all" and "memcpy" repeat the same work.
// An operator names the operators whose outputs it reads (args input0, input1, ...), and work on a device names its
// operator (args name). Source: _ChromeTraceFormatter and Timeline in timeline.py of TensorFlow 1.15.

namespace stepsim::ingest {
namespace {

constexpr Sign kTimelineSigns[]{
    {.sure = 90, .opens = "{", .all = {"/job:", "/task:"}, .any = {" Compute\"", " Tensors\""}}};

/// Returns the number after the last `word` in a text; nullopt if there is none.
std::optional<std::int32_t> number_behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.rfind(word);
  if (at == std::string_view::npos) return std::nullopt;
  std::int32_t number = 0;
  const char* const begin = text.data() + at + word.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
  return error == std::errc{} && number >= 0 ? std::optional{number} : std::nullopt;
}

/// The content of one process's rows.
struct Process {
  enum class Kind : std::uint8_t { kOther, kExecutor, kStream, kAllStreams };
  Kind kind = Kind::kOther;
  std::string name;
  std::int32_t device = 0;
  std::int32_t stream = 0;
};

Process process_called(std::string name) {
  constexpr std::string_view kCompute = " Compute";
  if (!name.ends_with(kCompute)) return {};
  name.resize(name.size() - kCompute.size());
  Process process{Process::Kind::kOther, name, 0, 0};
  for (const std::string_view word : {"gpu:", "GPU:"})
    process.device = number_behind(name, word).value_or(process.device);
  if (const auto stream = number_behind(name, "/stream:")) {
    process.kind = Process::Kind::kStream;
    process.stream = *stream;
  } else if (name.ends_with("/stream:all") || name.ends_with("/memcpy")) {
    process.kind = Process::Kind::kAllStreams;
    process.stream = name.ends_with("/memcpy") ? 1 : 0;
  } else if (name.find("/task:") != std::string::npos) {
    process.kind = Process::Kind::kExecutor;
  }
  return process;
}

/// Returns the operator "a/b" of the inputs "a/b:1" and "^a/b"; the latter is a pure ordering dependency.
std::string_view producer_of(std::string_view input) {
  if (input.starts_with('^')) input.remove_prefix(1);
  const std::size_t colon = input.rfind(':');
  const bool output = colon != std::string_view::npos && colon + 1 < input.size() &&
                      std::all_of(input.begin() + static_cast<std::ptrdiff_t>(colon) + 1, input.end(), is_digit);
  return output ? input.substr(0, colon) : input;
}

/// Returns CUPTI's name of a copy: "Memcpy HtoD" for "MEMCPYHtoD"; nullopt for other work.
std::optional<std::string> cupti_copy_name(std::string_view operation) {
  constexpr std::string_view kCopy = "memcpy";
  if (lower_case(operation.substr(0, kCopy.size())) != kCopy) return std::nullopt;
  return "Memcpy " + std::string{operation.substr(kCopy.size())};
}

class TensorflowTimeline {
 public:
  TensorflowTimeline(PartSink& sink, const std::string& file) : sink_(sink), file_(file) {}

  void add(const ChromeEvent& event) {
    if (event.phase == "M" && event.name == "process_name") {
      event.for_each_argument([&](std::string_view key, std::string_view value) {
        if (key == "name") processes_[std::string{event.process}] = process_called(as_text(value));
      });
    } else if (event.phase == "X") {
      if (has_usable_time(event, false, file_, sink_)) operations_.push_back(read(event));
    } else if (event.phase != "M") {
      leave_out("tensors and their flows");
    }
  }

  HostDeviceTrace finish() && {
    std::set<std::int32_t> with_streams;
    for (const auto& [key, process] : processes_) {
      if (process.kind == Process::Kind::kStream) with_streams.insert(process.device);
    }
    for (const Operation& operation : operations_) {
      const auto process = processes_.find(operation.process);
      if (process != processes_.end() && process->second.kind == Process::Kind::kExecutor)
        add_operator(operation, process->second);
    }
    for (const Operation& operation : operations_) {
      const auto process = processes_.find(operation.process);
      const Process::Kind kind = process == processes_.end() ? Process::Kind::kOther : process->second.kind;
      const bool again = kind == Process::Kind::kAllStreams && with_streams.contains(process->second.device);
      if (kind == Process::Kind::kOther) leave_out("rows of no executor and no stream");
      if (again) leave_out("work of all streams once more");
      if (kind == Process::Kind::kStream || (kind == Process::Kind::kAllStreams && !again))
        add_work(operation, process->second);
    }
    join();
    return std::move(builder_).take();
  }

 private:
  struct Operation {
    std::string process;
    std::string thread;
    std::string type;  ///< "MatMul"
    std::string name;  ///< "layer_1/MatMul"
    std::vector<std::string> inputs;
    RecordedTime time;
  };

  static Operation read(const ChromeEvent& event) {
    Operation operation{
        std::string{event.process}, std::string{event.thread}, std::string{event.name}, {}, {}, time_of(event)};
    event.for_each_argument([&](std::string_view key, std::string_view value) {
      if (key == "name") operation.name = as_text(value);
      if (key == "op") operation.type = as_text(value);
      if (key.starts_with("input")) operation.inputs.emplace_back(producer_of(as_text(value)));
    });
    if (operation.name.empty()) operation.name = operation.type;
    return operation;
  }

  void add_operator(const Operation& operation, const Process& process) {
    const std::uint32_t event =
        builder_.add(EventKind::kOp, operation.name, builder_.thread(process.name, operation.thread), operation.time);
    operators_.try_emplace(operation.name, event);
    for (const std::string& input : operation.inputs) reads_.emplace_back(input, event);
  }

  void add_work(const Operation& operation, const Process& process) {
    const std::optional<std::string> copy = cupti_copy_name(operation.type);
    const auto launched = operators_.find(operation.name);
    const std::int64_t correlation = launched == operators_.end() ? -1 : builder_.launch_from(launched->second);
    builder_.add(copy ? EventKind::kMemcpy : EventKind::kKernel, copy ? *copy : operation.name,
                 builder_.stream(process.device, process.stream), operation.time, correlation);
  }

  /// Records which operators pass data from one row to another.
  void join() {
    for (const auto& [input, reader] : reads_) {
      const auto producer = operators_.find(input);
      if (producer != operators_.end()) builder_.add_hand_over(producer->second, reader);
    }
    if (!operators_.empty()) {
      sink_.diagnostics.count(diagnostic("rows_of_operators"), {file_, {}, {}});
    }
  }

  void leave_out(std::string_view what) {
    sink_.diagnostics.count_about(diagnostic("not used:"), what, {file_, {}, {}}, {}, 1);
  }

  PartSink& sink_;
  const std::string& file_;
  HostDeviceBuilder builder_;
  std::map<std::string, Process> processes_;
  std::vector<Operation> operations_;
  std::map<std::string, std::uint32_t, std::less<>> operators_;  ///< the first event of each name
  std::vector<std::pair<std::string, std::uint32_t>> reads_;     ///< an input of an operator, and the operator's event
};

void read_tensorflow_timeline(Input& input, PartSink& sink) {
  TensorflowTimeline timeline{sink, input.name()};
  for_each_record(input, sink, [&timeline](const ChromeEvent& event) { timeline.add(event); });
  HostDeviceTrace trace = std::move(timeline).finish();
  if (trace.size() == 0) {
    throw InputError({input.name(), {}, {}},
                     "the timeline has no operator or device work; expected a session with trace_level=FULL_TRACE");
  }
  sink.add(std::move(trace));
}

}  // namespace

extern const Format tensorflow_timeline_format{
    .name = "tensorflow_timeline",
    .summary = "TensorFlow 1 timeline (timeline.Timeline.generate_chrome_trace_format): one session.run()",
    .recognise = kTimelineSigns,
    .read = read_tensorflow_timeline,
    .is_chrome_trace = true,
};

}  // namespace stepsim::ingest
