// comm.json, BytePS's own timeline of one GPU process:
//
//   {"ph": "X", "args": {"name": "Comm.byteps.gradient_7"}, "pid": "Comm.byteps.gradient_7",
//    "name": "Comm.byteps.gradient_7.PUSH", "ts": 1600000000001200, "dur": 850,
//    "tid": "458752", "cat": "Comm"}
//
// tid is "total" or the partition key; cat may be missing. The file has no steps, hosts or sizes,
// and its order is arbitrary. Tensor names contain dots.
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ingest/chrome/chrome_events.h"
#include "ingest/formats/format.h"
#include "ingest/parts/byteps_names.h"
#include "model/base/known_diagnostics.h"

namespace stepsim::ingest {
namespace {

constexpr std::string_view kPrefix = "Comm.";

// Start and end are each cut to whole microseconds, so an empty event may come out as -1.
constexpr std::int64_t kLeastDuration = -1'000;

class BytepsCommReader {
 public:
  BytepsCommReader(Input& input, PartSink& sink)
      : file_(input.name()), events_(input.stream(), sink.diagnostics), sink_(sink) {}

  [[nodiscard]] StageTrace read() {
    ChromeEvent event;
    while (events_.next(event)) take(event);
    sink_.events += events_.records();
    sink_.skipped += events_.skipped();
    if (trace_.events.empty()) {
      throw InputError({file_, std::uint64_t{0}, {}},
                       "no stage of any tensor in the file; expected events named Comm.<tensor>.<stage>");
    }
    return std::move(trace_);
  }

 private:
  void take(const ChromeEvent& event) {
    if (event.phase == "M") return;
    if (event.phase != "X") return skip(event, diagnostic("not_a_span"));
    const QualifiedName qualified = split_process(event.name);
    if (!qualified.name.starts_with(kPrefix)) return skip(event, diagnostic("not_a_stage"));
    if (!event.start_ns.has_value() || !event.duration_ns.has_value() || *event.duration_ns < kLeastDuration ||
        *event.start_ns < 0 || *event.start_ns > kLatestTime || *event.duration_ns > kLatestTime - *event.start_ns) {
      return skip(event, diagnostic("bad_time"));
    }
    const std::string_view name = qualified.name.substr(kPrefix.size());
    const bool total = event.thread == "total" || event.thread == "-1";
    const std::optional<std::int64_t> key = total ? std::nullopt : partition_key(event.thread);
    const StagedName staged = total ? StagedName{name, Stage::kTotal} : split_stage(name);
    if (!total && !key.has_value()) return skip(event, diagnostic("bad_partition_key"));
    if (!total && staged.stage == Stage::kTotal) return skip(event, diagnostic("unknown_stage"));
    trace_.events.push_back({tensor(staged.tensor), staged.stage, key.value_or(-1),
                             process(qualified.process, event.process), Time{Duration{*event.start_ns}},
                             Duration{std::max<std::int64_t>(*event.duration_ns, 0)}});
  }

  void skip(const ChromeEvent& event, const Diagnostic& what) {
    ++sink_.skipped;
    sink_.diagnostics.count(what, {file_, event.offset, {}});
  }

  std::uint32_t tensor(std::string_view name) { return intern(tensor_ids_, trace_.tensors, name); }

  /// BytePS writes the tensor's name as pid; merged files have the rank there, or in front of the name.
  std::uint32_t process(std::string_view from_name, std::string_view pid) {
    const QualifiedName qualified = split_process(pid);
    const bool tensor_pid = qualified.name.starts_with(kPrefix);
    return intern(process_ids_, trace_.processes,
                  !from_name.empty() ? from_name
                  : tensor_pid       ? qualified.process
                                     : pid);
  }

  static std::uint32_t intern(std::unordered_map<std::string, std::uint32_t>& ids, std::vector<std::string>& names,
                              std::string_view name) {
    const auto [slot, added] = ids.try_emplace(std::string(name), static_cast<std::uint32_t>(names.size()));
    if (added) names.emplace_back(name);
    return slot->second;
  }

  std::string file_;
  ChromeEventReader events_;
  PartSink& sink_;
  StageTrace trace_;
  std::unordered_map<std::string, std::uint32_t> tensor_ids_;
  std::unordered_map<std::string, std::uint32_t> process_ids_;
};

int recognise_byteps_comm(std::string_view file_name, std::string_view head) {
  const bool named = file_name == "comm.json" || file_name == "comm.json.gz";
  const bool stages = head.find("\"Comm.") != std::string_view::npos;
  const bool partitions =
      head.find("\"total\"") != std::string_view::npos || head.find(".PUSH\"") != std::string_view::npos ||
      head.find(".REDUCE\"") != std::string_view::npos || head.find(".PULL\"") != std::string_view::npos ||
      head.find(".BROADCAST\"") != std::string_view::npos || head.find(".COPY") != std::string_view::npos;
  if (stages) return named ? 95 : partitions ? 85 : 0;
  return named ? 30 : 0;
}

void read_byteps_comm(Input& input, PartSink& sink) { sink.add(BytepsCommReader(input, sink).read()); }

}  // namespace

extern const Format byteps_comm_format;
const Format byteps_comm_format{"byteps_comm", "comm.json of BytePS: the stages of every partition on one GPU",
                                recognise_byteps_comm, read_byteps_comm};

}  // namespace stepsim::ingest
