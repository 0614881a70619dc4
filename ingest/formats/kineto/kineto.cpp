#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ingest/chrome/chrome_events.h"
#include "ingest/formats/format.h"
#include "ingest/formats/kineto/processes.h"
#include "ingest/formats/kineto/trace.h"
#include "model/base/error.h"
#include "model/base/known_diagnostics.h"
#include "model/base/text.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {

namespace {

int recognise_kineto(std::string_view file_name, std::string_view head) {
  constexpr int kSure = 90;
  constexpr int kLikely = 60;
  constexpr int kGeneric = 10;
  const std::size_t first = first_character(head);
  if (first == std::string_view::npos) return head.empty() ? 0 : 1;
  if (head[first] != '{' && head[first] != '[') return 0;
  if (contains_any(head, {"\"cpu_op\"", "\"cuda_runtime\"", "\"cuda_driver\"", "\"kernel\"", "\"user_annotation\"",
                          "\"gpu_memcpy\"", "\"python_function\"", "\"mtia_ccp_events\"", "\"xpu_runtime\"",
                          "\"Operator\"", "\"Runtime\"", "\"Kernel\"", kStepMark, "\"baseTimeNanoseconds\"",
                          "\"deviceProperties\"", "\"distributedInfo\""})) {
    return kSure;
  }
  // Files of BytePS and ByteProfile look similar but have other formats.
  if (contains_any(head, {"\"Comm", "\"operator\"", "FW.", "BW.", "\"Comm.\""})) return 0;
  const bool named = contains(file_name, ".pt.trace.json");
  if (contains(head, "\"schemaVersion\"") || named) return kLikely;
  return contains_any(head, {"\"traceEvents\"", "\"ph\""}) ? kGeneric : 0;
}

/// Throws for a file with nothing to replay; the message names the first data loss, if there was one.
[[noreturn]] void fail_empty(const Input& input, const Diagnostics& diagnostics) {
  constexpr std::string_view kExpected =
      "the trace has no event to replay; expected operators or kernels of the PyTorch profiler";
  const auto& entries = diagnostics.entries();
  const auto loss = std::find_if(entries.begin(), entries.end(),
                                 [](const auto& entry) { return entry.severity == Severity::kDataLoss; });
  if (loss == entries.end()) throw InputError({input.name(), {}, {}}, kExpected);
  throw InputError(loss->first, fmt::format("{} ({} in all){}{}; {}", loss->name, loss->count,
                                            loss->detail.empty() ? "" : ": ", shown(loss->detail), kExpected));
}

/// Reserves memory for the rest of a large file, assuming that it is like the part read so far. Without this, each
/// growing column would be copied and its memory touched twice.
void reserve_rest(const Input& input, KinetoTrace& trace) {
  constexpr double kMostTimes = 64;
  constexpr double kSlack = 1.25;  // covers text that was read ahead; unused memory costs nothing
  const std::optional<double> share = input.share_taken();
  if (!share || *share <= 0) return;
  trace.reserve(static_cast<std::size_t>(static_cast<double>(trace.size()) * std::min(kMostTimes, kSlack / *share)));
}

void read_kineto(Input& input, PartSink& sink) {
  constexpr std::uint64_t kEnoughToTell = std::uint64_t{1} << 19U;
  ChromeEventReader reader{input.stream(), sink.diagnostics, sink.threads};
  KinetoTrace trace{sink, input.name()};
  ChromeEvent event;
  while (reader.next(event)) {
    trace.add(event);
    if (reader.records() == kEnoughToTell) reserve_rest(input, trace);
  }
  sink.events += reader.records();
  sink.skipped += reader.skipped();
  HostDeviceTrace result = std::move(trace).finish(reader.members());
  if (result.size() == 0) fail_empty(input, sink.diagnostics);
  std::vector<ProcessTrace> processes = split_processes(std::move(result));
  if (processes.size() > 1)
    sink.diagnostics.count(diagnostic("several_processes"), {input.name(), {}, {}}, {}, processes.size());
  for (ProcessTrace& one : processes)
    sink.add(std::move(one.trace), one.process.empty() ? std::string() : "process " + one.process);
}

}  // namespace

extern const Format kineto_format{
    .name = "kineto",
    .summary = "PyTorch profiler (Kineto), .json or .json.gz: CPU and GPU events of one rank",
    .recognise = recognise_kineto,
    .read = read_kineto,
    .is_chrome_trace = true,
};

}  // namespace stepsim::ingest
