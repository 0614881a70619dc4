// Merged traces of ByteProfile and dPRO, generations G1 to G3:
//
//   {"name": "BW.layer1", "cat": "operator", "ph": "X", "ts": 1795144007439832, "dur": 6099,
//    "pid": "rank0", "tid": 1, "args": {"name": "BW.layer1", "step": 3, "input0": "BW.layer2"}}
//
// Inputs are args.argN in G1 and args.inputN from G2 on. Combined files put rank<r>., wk<i>.
// or "<pid>->" in front of names. In each row, an E event ends the latest open B event.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/chrome/chrome_events.h"
#include "ingest/formats/format.h"
#include "ingest/json/json_values.h"
#include "ingest/parts/byteps_names.h"
#include "model/base/known_diagnostics.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::array<std::string_view, 9> kCategories{"FW.",    "BW.", "Comm.", "UPDATE", "STEP",
                                                      "OUTPUT", "I/O", "END",   "Sync"};

bool is_known(std::string_view name) noexcept {
  return std::any_of(kCategories.begin(), kCategories.end(),
                     [&](std::string_view category) { return name.starts_with(category); });
}

/// The N of "argN" or "inputN"; nothing for other keys.
std::optional<std::int64_t> input_number(std::string_view key) noexcept {
  const std::size_t word = key.starts_with("input") ? 5 : key.starts_with("arg") ? 3 : 0;
  if (word == 0) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(key.data() + word, key.data() + key.size(), number);
  return error == std::errc{} && end == key.data() + key.size() && number >= 0 ? std::optional{number} : std::nullopt;
}

class ByteprofileReader {
 public:
  ByteprofileReader(Input& input, PartSink& sink)
      : file_(input.name()), events_(input.stream(), sink.diagnostics), sink_(sink) {}

  [[nodiscard]] OperatorTrace read() {
    ChromeEvent event;
    while (events_.next(event)) take(event);
    for (const auto& [row, open] : open_) {
      for (const Open& begin : open) skip(begin.offset, diagnostic("unmatched_begin"));
    }
    sink_.events += events_.records();
    sink_.skipped += events_.skipped();
    if (trace_.events.empty()) {
      throw InputError({file_, std::uint64_t{0}, {}},
                       "no operator in the file; expected events named FW.<op>, BW.<op>, UPDATE or Comm.<tensor>");
    }
    return std::move(trace_);
  }

 private:
  struct Open {
    OperatorTrace::Event event;
    std::uint64_t offset = 0;
  };
  using Row = std::pair<std::string, std::string>;  // process, thread

  void take(const ChromeEvent& event) {
    if (event.phase == "M") return;
    if (event.phase == "i" || event.phase == "I" || event.category == "debug") {
      sink_.diagnostics.count(diagnostic("instant_event"), {file_, event.offset, {}});
      return;
    }
    if (event.phase == "E") return end(event);
    if (event.phase != "X" && event.phase != "B") return skip(event.offset, diagnostic("not_a_span"));
    OperatorTrace::Event made = named(event);
    if (!is_known(made.name) && event.category != "operator" && event.category != "I/O") {
      return skip(event.offset, diagnostic("unknown_operator"));
    }
    if (!event.start_ns.has_value() || *event.start_ns < 0 || *event.start_ns > kLatestTime)
      return bad_time(event.offset);
    made.start = Time{Duration{*event.start_ns}};
    read_arguments(event, made);
    if (event.phase == "B") {
      open_[{std::string(event.process), std::string(event.thread)}].push_back({std::move(made), event.offset});
      return;
    }
    if (!event.duration_ns.has_value()) return bad_time(event.offset);
    add(std::move(made), Duration{*event.duration_ns}, event.offset);
  }

  void end(const ChromeEvent& event) {
    const auto row = open_.find({std::string(event.process), std::string(event.thread)});
    const bool matches = row != open_.end() && !row->second.empty() &&
                         (event.name.empty() || split_process(event.name).name == row->second.back().event.name);
    if (!matches || !event.start_ns.has_value()) return skip(event.offset, diagnostic("unmatched_end"));
    Open begin = std::move(row->second.back());
    row->second.pop_back();
    const Duration duration = Duration{*event.start_ns} - begin.event.start.time_since_epoch();
    add(std::move(begin.event), duration, begin.offset);
  }

  void add(OperatorTrace::Event event, Duration duration, std::uint64_t offset) {
    if (duration < Duration{} || duration.count() > kLatestTime - event.start.time_since_epoch().count())
      return bad_time(offset);
    event.duration = duration;
    trace_.events.push_back(std::move(event));
  }

  static OperatorTrace::Event named(const ChromeEvent& event) {
    const QualifiedName name = split_process(event.name);
    const QualifiedName process = split_process(event.process);
    OperatorTrace::Event made;
    made.name = std::string(name.name);
    made.communication = name.name.starts_with("Comm.");
    // The pid of a Comm event is its tensor; combined files put the process in front of it.
    const bool tensor_pid = process.name.starts_with("Comm.");
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

  void bad_time(std::uint64_t offset) { skip(offset, diagnostic("bad_time")); }

  void skip(std::uint64_t offset, const Diagnostic& what) {
    ++sink_.skipped;
    sink_.diagnostics.count(what, {file_, offset, {}});
  }

  std::string file_;
  ChromeEventReader events_;
  PartSink& sink_;
  OperatorTrace trace_;
  std::map<Row, std::vector<Open>> open_;
};

int recognise_byteprofile(std::string_view file_name, std::string_view head) {
  if (file_name.find("bps_trace") != std::string_view::npos) return 96;
  const std::size_t first = head.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  if (first == std::string_view::npos || (head[first] != '{' && head[first] != '[')) return 0;
  const auto has = [&](std::string_view text) { return head.find(text) != std::string_view::npos; };
  if (file_name.starts_with("io.json") && has("I/O")) return 90;  // of a trial
  const bool operators = has("\"FW.") || has("\"BW.") || has(".FW.") || has(".BW.") || has("->FW.") || has("->BW.");
  if (operators && (has("\"operator\"") || has("\"input0\"") || has("\"arg0\""))) return 90;
  return operators ? 60 : 0;
}

void read_byteprofile(Input& input, PartSink& sink) { sink.add(ByteprofileReader(input, sink).read()); }

}  // namespace

extern const Format byteprofile_format;
const Format byteprofile_format{"byteprofile",
                                "merged traces of ByteProfile and dPRO: operators with what they depend on",
                                recognise_byteprofile, read_byteprofile};

}  // namespace stepsim::ingest
