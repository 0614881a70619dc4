// Horovod's timeline (HOROVOD_TIMELINE), and the comm.json that dPRO's Horovod wrote in a trial:
//
//   {"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "broadcast.bn1.bias"}},
//   {"ph": "B", "name": "NEGOTIATE_BROADCAST", "ts": 9544943, "pid": 1}, ... {"ph": "E", "ts": 9544947, "pid": 1},
//   {"ph": "B", "name": "BROADCAST", "ts": 9545043, "pid": 1}, {"ph": "B", "name": "MPI_BCAST", ...
//   {"ph": "E", "ts": 9545274, "pid": 1, "args": {"dtype": "float32", "shape": "[64]"}}
//
// A process is a tensor. Marks of ranks ("0" in a negotiation) and of cycles are instants. dPRO calls the process of
// tensor 1 "horovod_allreduce.1", and has a process "Sync", in which a span named 1 lasts from this rank's readiness
// to the moment when all ranks had agreed. The file is closed at shutdown only.
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ingest/formats/format.h"
#include "ingest/formats/named_spans.h"
#include "ingest/formats/tensor_size.h"
#include "ingest/json/item_cursor.h"
#include "ingest/json/json_values.h"
#include "model/base/known_diagnostics.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::string_view kAllReduce = "horovod_allreduce.";
constexpr std::string_view kSync = "Sync";

bool is_number(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

/// The size that the end of an operation tells: {"dtype": "float32", "shape": "[64]"}.
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

class HorovodTimelineReader {
 public:
  HorovodTimelineReader(Input& input, PartSink& sink) : file_(input.name()), sink_(sink) {}

  [[nodiscard]] HorovodTrace read(const NamedSpans& found) {
    trace_.has_base_time = found.base_time.has_value();
    for (const NamedSpan& span : found.spans) take(span);
    if (trace_.phases.empty()) {
      throw InputError({file_, std::uint64_t{0}, {}},
                       "nothing that Horovod did for a tensor is in the file; expected B and E events in rows that "
                       "process_name events name");
    }
    return std::move(trace_);
  }

 private:
  void take(const NamedSpan& span) {
    if (span.process.empty()) {
      ++sink_.skipped;
      return sink_.diagnostics.count(diagnostic("horovod_row_without_name"), {file_, span.offset, {}}, span.name);
    }
    const bool sync = span.process.find(kSync) != std::string::npos;
    if (!sync && span.whole_event && is_number(span.name))
      return sink_.diagnostics.count(diagnostic("instant_event"), {file_, span.offset, {}});
    std::string_view tensor = sync ? span.name : span.process;
    if (tensor.starts_with(kAllReduce)) tensor.remove_prefix(kAllReduce.size());
    const std::uint32_t id = tensor_id(tensor);
    if (const auto bytes = span.arguments.empty() ? std::nullopt : size_in(span.arguments))
      trace_.tensors[id].bytes = bytes;
    if (span.holds_another && !sync) return;  // the whole operation: its phases say more
    trace_.phases.push_back({id, name_id(sync ? kSync : std::string_view{span.name}), span.start, span.duration});
  }

  std::uint32_t tensor_id(std::string_view name) {
    const auto [slot, added] =
        tensors_.try_emplace(std::string{name}, static_cast<std::uint32_t>(trace_.tensors.size()));
    if (added) trace_.tensors.push_back({std::string{name}, {}});
    return slot->second;
  }

  std::uint32_t name_id(std::string_view name) {
    const auto [slot, added] = names_.try_emplace(std::string{name}, static_cast<std::uint32_t>(trace_.names.size()));
    if (added) trace_.names.emplace_back(name);
    return slot->second;
  }

  std::string file_;
  PartSink& sink_;
  HorovodTrace trace_;
  std::unordered_map<std::string, std::uint32_t> tensors_;
  std::unordered_map<std::string, std::uint32_t> names_;
};

int recognise_horovod_timeline(std::string_view file_name, std::string_view head) {
  constexpr int kSure = 96;
  constexpr int kLikely = 80;
  const std::size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string_view::npos || (head[first] != '{' && head[first] != '[')) return 0;
  const auto has = [head](std::string_view text) { return head.find(text) != std::string_view::npos; };
  if (has("\"NEGOTIATE_") || has("start_time_since_epoch_in_micros")) return kSure;
  const bool named = file_name == "comm.json" || file_name == "comm.json.gz";
  if (has("horovod_allreduce.") && has("process_name")) return named ? kSure : kLikely;
  return named && has("process_name") && has("\"Sync") ? kSure : 0;
}

void read_horovod_timeline(Input& input, PartSink& sink) {
  const NamedSpans found = read_named_spans(input, sink);
  sink.add(HorovodTimelineReader(input, sink).read(found));
}

}  // namespace

extern const Format horovod_timeline_format;
const Format horovod_timeline_format{
    "horovod_timeline", "timelines of Horovod: negotiations and reductions by tensor; comm.json of a dPRO trial",
    recognise_horovod_timeline, read_horovod_timeline};

}  // namespace stepsim::ingest
