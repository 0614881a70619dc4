// Merged traces of ByteProfile and dPRO, generations G1 to G3:
//
//   {"name": "BW.layer1", "cat": "operator", "ph": "X", "ts": 1795144007439832, "dur": 6099,
//    "pid": "rank0", "tid": 1, "args": {"name": "BW.layer1", "step": 3, "input0": "BW.layer2"}}
//
// Inputs are args.argN in G1 and args.inputN from G2 on. Combined files prefix names with rank<r>., wk<i>. or
// "<pid>->". In each row, an E event ends the latest open B event.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/formats/chrome_spans.h"
#include "ingest/formats/format.h"
#include "ingest/json/json_values.h"
#include "ingest/parts/names.h"
#include "model/base/known_diagnostics.h"
#include "model/base/number.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

constexpr std::array<std::string_view, 9> kCategories{kForward, kBackward, kComm, "UPDATE", "STEP",
                                                      "OUTPUT", "I/O",     "END", "Sync"};

bool is_known(std::string_view name) noexcept {
  return std::any_of(kCategories.begin(), kCategories.end(),
                     [&](std::string_view category) { return name.starts_with(category); });
}

/// Returns the N of "argN" or "inputN"; nullopt for other keys.
std::optional<std::int64_t> input_number(std::string_view key) noexcept {
  const std::size_t word = key.starts_with("input") ? 5 : key.starts_with("arg") ? 3 : 0;
  const auto number = word == 0 ? std::nullopt : parse_number<std::int64_t>(key.substr(word));
  return number && *number >= 0 ? number : std::nullopt;
}

class ByteprofileReader {
 public:
  ByteprofileReader(const std::string& file, PartSink& sink) : file_(file), sink_(sink), open_(sink, file, 1) {}

  void take(const ChromeEvent& event) {
    if (event.phase == "M") return;
    if (event.phase == "i" || event.phase == "I" || event.category == "debug") {
      sink_.diagnostics.count(diagnostic("instant_event"), {file_, event.offset, {}});
      return;
    }
    if (event.phase == "E") {
      if (auto pair = open_.end(event, split_process(event.name).name)) add(std::move(pair->span), pair->time);
      return;
    }
    if (event.phase != "X" && event.phase != "B") return skip(event.offset, diagnostic("not_a_span"));
    OperatorTrace::Event made = named(event);
    if (!is_known(made.name) && event.category != "operator" && event.category != "I/O") {
      return skip(event.offset, diagnostic("unknown_operator"));
    }
    read_arguments(event, made);
    if (event.phase == "B") return open_.begin(event, std::move(made));
    const std::optional<RecordedTime> time = span_time(event.start_ns, event.duration_ns);
    if (!time) return skip(event.offset, diagnostic("bad_time"));
    add(std::move(made), *time);
  }

  [[nodiscard]] OperatorTrace finish() && {
    open_.finish();
    if (trace_.events.empty()) {
      throw InputError({file_, std::uint64_t{0}, {}},
                       "no operator in the file; expected events named FW.<op>, BW.<op>, UPDATE or Comm.<tensor>");
    }
    return std::move(trace_);
  }

 private:
  void add(OperatorTrace::Event event, RecordedTime time) {
    event.start = time.start;
    event.duration = time.length;
    trace_.events.push_back(std::move(event));
  }

  static OperatorTrace::Event named(const ChromeEvent& event) {
    const QualifiedName name = split_process(event.name);
    const QualifiedName process = split_process(event.process);
    OperatorTrace::Event made;
    made.name = std::string(name.name);
    made.communication = name.name.starts_with(kComm);
    // The pid of a Comm event is its tensor; combined files prefix it with the process.
    const bool tensor_pid = process.name.starts_with(kComm);
    made.process = std::string(tensor_pid ? process.process : event.process);
    if (made.process.empty()) made.process = std::string(name.process);
    made.thread = std::string(event.thread);
    return made;
  }

  static void read_arguments(const ChromeEvent& event, OperatorTrace::Event& made) {
    std::vector<std::pair<std::int64_t, std::string>> inputs;
    event.for_each_argument([&](std::string_view key, std::string_view value) {
      if (key == "step") made.step = std::max<std::int64_t>(as_integer(value).value_or(-1), -1);
      if (const auto number = input_number(key); number.has_value())
        inputs.emplace_back(*number, std::string(split_process(as_text(value)).name));
    });
    std::stable_sort(inputs.begin(), inputs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [number, input] : inputs) made.inputs.push_back(std::move(input));
  }

  void skip(std::uint64_t offset, const Diagnostic& what) { sink_.skip(what, {file_, offset, {}}); }

  const std::string& file_;
  PartSink& sink_;
  SpanPairs<OperatorTrace::Event> open_;
  OperatorTrace trace_;
};

constexpr std::array<std::string_view, 8> kOperatorNames{"\"FW.", "\"BW.", ".FW.", ".BW.", "->FW.", "->BW."};
constexpr Sign kByteprofileSigns[]{
    {.sure = 96, .named = {"*bps_trace*"}},
    {.sure = 90, .named = {"io.json*"}, .opens = "{[", .all = {"I/O"}},  // io.json of a dPRO trial
    {.sure = 90, .opens = "{[", .all = {"\"operator\""}, .any = kOperatorNames},
    {.sure = 90, .opens = "{[", .all = {"\"input0\""}, .any = kOperatorNames},
    {.sure = 90, .opens = "{[", .all = {"\"arg0\""}, .any = kOperatorNames},
    {.sure = 60, .opens = "{[", .any = kOperatorNames},
};

void read_byteprofile(Input& input, PartSink& sink) {
  ByteprofileReader reader(input.name(), sink);
  for_each_record(input, sink, [&reader](const ChromeEvent& event) { reader.take(event); });
  sink.add(std::move(reader).finish());
}

}  // namespace

extern const Format byteprofile_format{
    .name = "byteprofile",
    .summary = "ByteProfile and dPRO merged traces: operators with their dependencies",
    .recognise = kByteprofileSigns,
    .read = read_byteprofile,
    .is_chrome_trace = true,
};

}  // namespace stepsim::ingest
