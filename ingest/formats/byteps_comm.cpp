// comm.json, BytePS's timeline of one GPU process:
//
//   {"ph": "X", "args": {"name": "Comm.byteps.gradient_7"}, "pid": "Comm.byteps.gradient_7",
//    "name": "Comm.byteps.gradient_7.PUSH", "ts": 1600000000001200, "dur": 850,
//    "tid": "458752", "cat": "Comm"}
//
// tid is "total" or the partition key; cat may be missing. The file has no steps, hosts or sizes,
// and its order is arbitrary. Tensor names contain dots.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/formats/chrome_spans.h"
#include "ingest/formats/format.h"
#include "ingest/parts/names.h"
#include "ingest/parts/text_table.h"
#include "model/base/known_diagnostics.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

// The least accepted duration. BytePS truncates times to whole microseconds, so the duration of an empty event may be
// too small by 1 us; span_time() changes it to 0.
constexpr Duration kLeastDuration{-1'000};

class StageReader {
 public:
  StageReader(const std::string& file, PartSink& sink) : file_(file), sink_(sink) {}

  void take(const ChromeEvent& event) {
    if (event.phase == "M") return;
    if (event.phase != "X") return skip(event, diagnostic("not_a_span"));
    const QualifiedName qualified = split_process(event.name);
    if (!qualified.name.starts_with(kComm)) return skip(event, diagnostic("not_a_stage"));
    const std::optional<RecordedTime> time = span_time(event.start_ns, event.duration_ns, kLeastDuration);
    if (!time) return skip(event, diagnostic("bad_time"));
    const std::string_view name = qualified.name.substr(kComm.size());
    const bool total = event.thread == "total" || event.thread == "-1";
    const std::optional<std::int64_t> key = total ? std::nullopt : partition_key(event.thread);
    const StagedName staged = total ? StagedName{name, Stage::kTotal} : split_stage(name);
    if (!total && !key.has_value()) return skip(event, diagnostic("bad_partition_key"));
    if (!total && staged.stage == Stage::kTotal) return skip(event, diagnostic("unknown_stage"));
    trace_.events.push_back({tensors_.intern(staged.tensor).value(), staged.stage, key.value_or(-1),
                             process(qualified.process, event.process), time->start, time->length});
  }

  [[nodiscard]] StageTrace finish() && {
    if (trace_.events.empty()) {
      throw InputError({file_, std::uint64_t{0}, {}},
                       "no stage of any tensor in the file; expected events named Comm.<tensor>.<stage>");
    }
    trace_.tensors = std::move(tensors_).take();
    trace_.processes = std::move(processes_).take();
    return std::move(trace_);
  }

 private:
  void skip(const ChromeEvent& event, const Diagnostic& what) { sink_.skip(what, {file_, event.offset, {}}); }

  /// Returns the number of the process. BytePS writes the tensor's name as pid; merged files use the rank, or prefix
  /// the name with it.
  std::uint32_t process(std::string_view from_name, std::string_view pid) {
    const QualifiedName qualified = split_process(pid);
    const bool tensor_pid = qualified.name.starts_with(kComm);
    const std::string_view name = !from_name.empty() ? from_name : tensor_pid ? qualified.process : pid;
    return processes_.intern(name).value();
  }

  const std::string& file_;
  PartSink& sink_;
  StageTrace trace_;
  TextTable tensors_;
  TextTable processes_;
};

constexpr Sign kBytepsCommSigns[]{
    {.sure = 95, .named = {"comm.json", "comm.json.gz"}, .all = {"\"Comm."}},
    {.sure = 85, .all = {"\"Comm."}, .any = {"\"total\"", ".PUSH\"", ".REDUCE\"", ".PULL\"", ".BROADCAST\"", ".COPY"}},
    {.sure = 30, .named = {"comm.json", "comm.json.gz"}},
};

void read_byteps_comm(Input& input, PartSink& sink) {
  StageReader reader(input.name(), sink);
  for_each_record(input, sink, [&reader](const ChromeEvent& event) { reader.take(event); });
  sink.add(std::move(reader).finish());
}

}  // namespace

extern const Format byteps_comm_format{
    .name = "byteps_comm",
    .summary = "BytePS comm.json: stages of each partition on one GPU",
    .recognise = kBytepsCommSigns,
    .read = read_byteps_comm,
    .is_chrome_trace = true,
};

}  // namespace stepsim::ingest
