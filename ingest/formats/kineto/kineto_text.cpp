#include "ingest/formats/kineto/kineto_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ingest/formats/kineto/members.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

std::string_view category_of(EventKind kind) noexcept {
  switch (kind) {
    case EventKind::kOp: return "cpu_op";
    case EventKind::kAnnotation: return "user_annotation";
    case EventKind::kRuntimeCall: return "cuda_runtime";
    case EventKind::kKernel: return "kernel";
    case EventKind::kMemcpy: return "gpu_memcpy";
    case EventKind::kMemset: return "gpu_memset";
    case EventKind::kSync: return "cuda_sync";
    case EventKind::kDeviceAnnotation: return "gpu_user_annotation";
  }
  return "";
}

/// Returns a type that has the size and the kind of a tensor's elements.
std::string_view type_name(const TensorShape& tensor) noexcept {
  if (tensor.element != ElementKind::kFloat) return tensor.element_bytes == 8 ? "long int" : "int";
  switch (tensor.element_bytes) {
    case 1: return "c10::Float8_e4m3fn";
    case 2: return "c10::BFloat16";
    case 8: return "double";
    default: return "float";
  }
}

class Writer {
 public:
  Writer(const HostDeviceTrace& trace, const std::function<void(std::string_view)>& sink) : trace_(trace), sink_(sink) {
    // Computes the base time as Kineto does: the earliest start, rounded down to a multiple of three months, so that
    // the ranks of a job have the same one.
    constexpr std::int64_t kSlot = std::int64_t{7'889'238} * 1'000'000'000;
    if (trace.has_base_time && trace.size() > 0) {
      Time first = *std::min_element(trace.start.begin(), trace.start.end());
      for (const HostDeviceTrace::Overhead& one : trace.overheads) first = std::min(first, one.start);
      base_ = std::max<std::int64_t>(first.time_since_epoch().count(), 0) / kSlot * kSlot;
    }
  }

  void write(std::string_view origin) {
    write_members(origin);
    write_names();
    for (std::uint32_t i = 0; i < trace_.size(); ++i) write_event(i);
    for (const HostDeviceTrace::Overhead& one : trace_.overheads) write_overhead(one);
    text_ += "\n  ]\n}\n";
    sink_(text_);
  }

 private:
  void write_members(std::string_view origin) {
    text_ += "{\n  \"schemaVersion\": 1,\n";
    std::set<std::int32_t> devices;
    for (const Track& track : trace_.tracks) {
      if (track.on_device && track.device >= 0) devices.insert(track.device);
    }
    text_ += "  \"deviceProperties\": [";
    for (const std::int32_t device : devices) {
      text_ += fmt::format(R"({}{{"id": {}, "name": )", device == *devices.begin() ? "" : ", ", device);
      append_exact_json_string(text_, trace_.device_name);
      if (trace_.device_memory) text_ += fmt::format(", \"{}\": {}", kMemoryMember, *trace_.device_memory);
      text_ += "}";
    }
    text_ += "],\n";
    if (trace_.rank) {
      text_ += R"(  "distributedInfo": {"backend": )";
      append_exact_json_string(text_, trace_.backend);
      text_ += fmt::format(", \"rank\": {}, \"world_size\": {}}},\n", *trace_.rank, trace_.world_size.value_or(1));
    }
    if (!trace_.host_name.empty()) {
      text_ += "  \"host_name\": ";
      append_exact_json_string(text_, trace_.host_name);
      text_ += ",\n";
    }
    if (!trace_.modelled.empty()) {
      text_ += fmt::format(R"(  "{}": {{"model": )", kModelMember);
      append_exact_json_string(text_, trace_.modelled);
      if (trace_.samples) text_ += fmt::format(R"(, "samples": {})", *trace_.samples);
      text_ += "},\n";
    }
    if (!origin.empty()) text_ += fmt::format("  \"otherData\": {{{}}},\n", origin);
    text_ += fmt::format("  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": {},\n  \"traceEvents\": [", base_);
  }

  void write_names() {
    for (const Track& track : trace_.tracks) {
      begin_record();
      const std::string name = track.on_device      ? fmt::format("stream {}", track.thread)
                               : track.name.empty() ? fmt::format("thread {}", track.thread)
                                                    : track.name;
      text_ += R"({"ph": "M", "name": "thread_name")";
      append_row(track);
      text_ += R"(, "ts": 0.000, "args": {"name": )";
      append_exact_json_string(text_, name);
      text_ += "}}";
    }
  }

  void write_event(std::uint32_t event) {
    const Track& track = trace_.tracks[trace_.track[event].index()];
    begin_record();
    text_ += fmt::format(R"({{"ph": "X", "cat": "{}", "name": )", category_of(trace_.kind[event]));
    append_exact_json_string(text_, trace_.text(trace_.name[event]));
    append_row(track);
    text_ +=
        fmt::format(R"(, "ts": {}, "dur": {})", microseconds(trace_.start[event].time_since_epoch() - Duration{base_}),
                    microseconds(trace_.duration[event]));
    write_arguments(event, track);
    text_ += "}";
  }

  /// Writes an overhead event. Kineto uses process -1 for activity that does not belong to a thread of the program.
  void write_overhead(const HostDeviceTrace::Overhead& one) {
    begin_record();
    text_ += R"({"ph": "X", "cat": "overhead", "name": )";
    append_exact_json_string(text_, trace_.text(one.kind));
    text_ += fmt::format(R"(, "pid": -1, "tid": 0, "ts": {}, "dur": {}}})",
                         microseconds(one.start.time_since_epoch() - Duration{base_}), microseconds(one.length));
  }

  void write_arguments(std::uint32_t event, const Track& track) {
    std::string arguments;
    const auto add = [&arguments](std::string_view key, const std::string& value) {
      add_item(arguments, fmt::format("\"{}\": {}", key, value));
    };
    if (track.on_device) {
      add("device", std::to_string(track.device));
      if (trace_.kind[event] != EventKind::kSync) add("stream", std::to_string(track.stream));
    }
    if (trace_.correlation[event] >= 0) add("correlation", std::to_string(trace_.correlation[event]));
    if (const std::uint32_t which = trace_.operator_of[event]; which != HostDeviceTrace::kNone)
      add_inputs(trace_.operators[which], add);
    if (const std::uint32_t which = trace_.launch_of[event]; which != HostDeviceTrace::kNone) {
      const KernelLaunch& launch = trace_.launches[which];
      add("registers per thread", std::to_string(launch.registers));
      add("shared memory", std::to_string(launch.shared_memory));
      add("grid", fmt::format("[{}, 1, 1]", launch.blocks));
      add("block", fmt::format("[{}, 1, 1]", launch.threads));
    }
    if (const EventDetail* const detail = trace_.detail_of(event)) {
      if (detail->bytes > Bytes{}) add("bytes", std::to_string(detail->bytes.count()));
      if (detail->collective.valid()) add_collective(*detail, add);
      if (trace_.kind[event] == EventKind::kSync) {
        add("stream", std::to_string(detail->stream));
        add("wait_on_stream", std::to_string(detail->wait_stream));
        add("wait_on_cuda_event_record_corr_id", std::to_string(detail->wait_correlation));
      }
    }
    if (!arguments.empty()) text_ += fmt::format(", \"args\": {{{}}}", arguments);
  }

  /// Adds the operation of a collective, its size and its group. PyTorch names the members of a group by their ranks.
  template <class Add>
  void add_collective(const EventDetail& detail, const Add& add) {
    const auto add_text = [&](std::string_view key, const std::string& text) {
      std::string quoted;
      append_exact_json_string(quoted, text);
      add(key, quoted);
    };
    const std::string& operation = trace_.text(detail.collective);
    add_text("Collective name", operation);
    for (const std::string_view key : {"In msg nelems", "Out msg nelems"}) add(key, std::to_string(detail.elements));
    if (detail.dtype.valid()) add_text("dtype", trace_.text(detail.dtype));
    if (detail.sequence >= 0) add("Seq", std::to_string(detail.sequence));
    if (!detail.group.valid()) return;
    const ProcessGroup& group = trace_.groups[detail.group.index()];
    if (group.name.valid()) add_text("Process Group Name", trace_.text(group.name));
    const bool whole_job = group.own >= 0 && group.own == trace_.rank && group.size == trace_.world_size;
    std::vector<Rank> ranks = group.ranks;
    for (Rank rank = 0; whole_job && std::cmp_less(rank, group.size); ++rank) ranks.push_back(rank);
    if (ranks.empty()) return;
    add_text("Process Group Ranks", fmt::format("[{}]", fmt::join(ranks, ", ")));
    if (detail.peer >= 0) add(operation == "send" ? "Dst Rank" : "Src Rank", std::to_string(detail.peer));
  }

  /// Adds the sizes and types of an operator's inputs, which are tensors or numbers.
  template <class Add>
  static void add_inputs(const OperatorTable::Operator& op, const Add& add) {
    std::string sizes;
    std::string types;
    for (const TensorShape& input : op.inputs) {
      add_item(sizes, fmt::format("[{}]", fmt::join(input.sizes, ", ")));
      add_item(types, fmt::format("\"{}\"", type_name(input)));
    }
    add("Input Dims", fmt::format("[{}]", sizes));
    add("Input type", fmt::format("[{}]", types));
  }

  /// Writes pid and tid. Numeric values are written as numbers, as Kineto does for processes, devices, threads and
  /// streams.
  void append_row(const Track& track) {
    for (const auto& [key, text] : {std::pair{"pid", &track.process}, {"tid", &track.thread}}) {
      text_ += fmt::format(", \"{}\": ", key);
      const bool number = !text->empty() && text->size() < 19 &&
                          text->find_first_not_of("0123456789", (*text)[0] == '-' ? 1 : 0) == std::string::npos;
      if (number) {
        text_ += *text;
      } else {
        append_exact_json_string(text_, *text);
      }
    }
  }

  void begin_record() {
    constexpr std::size_t kMuch = std::size_t{1} << 16U;
    if (text_.size() > kMuch) {
      sink_(text_);
      text_.clear();
    }
    text_ += first_ ? "\n    " : ",\n    ";
    first_ = false;
  }

  const HostDeviceTrace& trace_;
  const std::function<void(std::string_view)>& sink_;
  std::int64_t base_ = 0;
  std::string text_;
  bool first_ = true;
};

}  // namespace

void write_kineto(const HostDeviceTrace& trace, std::string_view origin,
                  const std::function<void(std::string_view)>& sink) {
  Writer(trace, sink).write(origin);
}

}  // namespace stepsim::ingest
