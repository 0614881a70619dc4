// Horovod's timeline (HOROVOD_TIMELINE), and the comm.json that dPRO's Horovod wrote in a trial:
//
//   {"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "broadcast.bn1.bias"}},
//   {"ph": "B", "name": "NEGOTIATE_BROADCAST", "ts": 9544943, "pid": 1}, ... {"ph": "E", "ts": 9544947, "pid": 1},
//   {"ph": "B", "name": "BROADCAST", "ts": 9545043, "pid": 1}, {"ph": "B", "name": "MPI_BCAST", ...
//   {"ph": "E", "ts": 9545274, "pid": 1, "args": {"dtype": "float32", "shape": "[64]"}}
//
// Each process of the trace represents a tensor. Marks of ranks ("0" in a negotiation) and of cycles are instants. dPRO
// names the process of tensor 1 "horovod_allreduce.1". It also has a process "Sync", in which a span named 1 lasts from
// the moment when this rank is ready until all ranks have agreed. The file is closed only at shutdown.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/formats/chrome_spans.h"
#include "ingest/formats/format.h"
#include "ingest/json/json_values.h"
#include "ingest/parts/names.h"
#include "ingest/parts/text_table.h"
#include "model/base/known_diagnostics.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::string_view kAllReduce = "horovod_allreduce.";
constexpr std::string_view kSync = "Sync";

bool is_number(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

/// Returns the size in the arguments of an operation's end event: {"dtype": "float32", "shape": "[64]"}.
std::optional<Bytes> size_in(const std::string& arguments) {
  std::string shape;
  std::string dtype;
  ItemCursor members{arguments};
  for (std::string_view key, value; members.next(key, value);) {
    if (key == "shape") shape = as_text(value);
    if (key == "dtype") dtype = as_text(value);
  }
  return dtype.empty() ? std::nullopt : tensor_size(shape, dtype);
}

class HorovodReader {
 public:
  HorovodReader(Input& input, PartSink& sink) : file_(input.name()), sink_(sink) {}

  [[nodiscard]] HorovodTrace read(const NamedSpans& found) {
    trace_.has_base_time = found.base_time.has_value();
    for (const NamedSpan& span : found.spans) take(span);
    if (trace_.phases.empty()) {
      throw InputError(
          {file_, std::uint64_t{0}, {}},
          "the file has no work of Horovod on a tensor; expected B and E events in rows named by process_name events");
    }
    trace_.names = std::move(names_).take();
    return std::move(trace_);
  }

 private:
  void take(const NamedSpan& span) {
    if (span.process.empty()) {
      return sink_.skip(diagnostic("horovod_row_without_name"), {file_, span.offset, {}}, span.name);
    }
    const bool sync = span.process.find(kSync) != std::string::npos;
    if (!sync && span.whole_event && is_number(span.name))
      return sink_.diagnostics.count(diagnostic("instant_event"), {file_, span.offset, {}});
    std::string_view tensor = sync ? span.name : span.process;
    if (tensor.starts_with(kAllReduce)) tensor.remove_prefix(kAllReduce.size());
    const std::uint32_t id = tensor_id(tensor);
    if (const auto bytes = span.arguments.empty() ? std::nullopt : size_in(span.arguments))
      trace_.tensors[id].bytes = bytes;
    if (span.holds_another && !sync) return;  // the whole operation; its phases are more detailed
    trace_.phases.push_back(
        {id, names_.intern(sync ? kSync : std::string_view{span.name}).value(), span.start, span.duration});
  }

  std::uint32_t tensor_id(std::string_view name) {
    const std::uint32_t id = tensors_.intern(name).value();
    if (id == trace_.tensors.size()) trace_.tensors.push_back({std::string{name}, {}});
    return id;
  }

  std::string file_;
  PartSink& sink_;
  HorovodTrace trace_;
  TextTable tensors_;
  TextTable names_;
};

constexpr Sign kHorovodSigns[]{
    {.sure = 96, .opens = "{[", .any = {"\"NEGOTIATE_", "start_time_since_epoch_in_micros"}},
    {.sure = 96,
     .named = {"comm.json", "comm.json.gz"},
     .opens = "{[",
     .all = {"process_name"},
     .any = {"horovod_allreduce.", "\"Sync"}},
    {.sure = 80, .opens = "{[", .all = {"horovod_allreduce.", "process_name"}},
};

void read_horovod_timeline(Input& input, PartSink& sink) {
  const NamedSpans found = read_named_spans(input, sink);
  sink.add(HorovodReader(input, sink).read(found));
}

}  // namespace

extern const Format horovod_timeline_format{
    "horovod_timeline", "Horovod timeline: negotiations and reductions by tensor; comm.json of a dPRO trial",
    kHorovodSigns, read_horovod_timeline};

}  // namespace stepsim::ingest
