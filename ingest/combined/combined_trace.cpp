#include "ingest/combined/combined_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ingest/json/escape.h"
#include "ingest/json/json_values.h"
#include "ingest/parts/names.h"
#include "model/base/known_diagnostics.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::string_view kFile = "in_file";

/// Returns a JSON value without its quotes. Escapes are not decoded.
std::string_view bare(std::string_view value) noexcept {
  const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  return quoted ? value.substr(1, value.size() - 2) : value;
}

std::string quoted(std::string_view prefix, std::string_view text) { return fmt::format("\"{}{}\"", prefix, text); }

/// Adds a file's prefixes to values if `on`, else removes them.
class Marking {
 public:
  Marking(const ProcessPrefix& prefix, bool on) : prefix_(prefix), whole_(prefix.worker + prefix.rank), on_(on) {}

  [[nodiscard]] std::string process(std::string_view value) const {
    const std::string_view text = bare(value);
    const std::string_view rank = std::string_view(prefix_.rank).substr(0, prefix_.rank.size() - 1);
    if (on_) return quoted(text == rank ? prefix_.worker : whole_, text);
    const bool own = text.starts_with(prefix_.worker) && text.substr(prefix_.worker.size()) == rank;
    return own ? quoted("", rank) : without(whole_, value);
  }

  /// Adds or removes the prefixes of an id, or of the name of a process.
  [[nodiscard]] std::string text(std::string_view value) const {
    return on_ ? quoted(whole_, bare(value)) : without(whole_, value);
  }

  [[nodiscard]] std::string name(std::string_view value) const {
    if (!prefix_.on_names) return std::string(value);
    if (!on_) return without(prefix_.rank, value);
    return split_process(bare(value)).process.empty() ? quoted(prefix_.rank, bare(value)) : std::string(value);
  }

 private:
  static std::string without(std::string_view prefix, std::string_view value) {
    std::string_view text = bare(value);
    if (!text.starts_with(prefix)) return std::string(value);
    text.remove_prefix(prefix.size());
    return quoted("", text);
  }

  const ProcessPrefix& prefix_;
  std::string whole_;
  bool on_;
};

/// Returns true for phases whose events are connected by an id (flows, asynchronous spans, objects). Two files may use
/// the same id, so the id needs the prefix.
bool has_own_id(std::string_view phase) noexcept {
  constexpr std::string_view kPhases = "stfbneSTpFNOD";
  return phase.size() == 1 && kPhases.find(phase.front()) != std::string_view::npos;
}

std::string marked_arguments(std::string_view arguments, const Marking& marking) {
  std::string out = "{";
  ItemCursor members{arguments};
  for (std::string_view key, value; members.next(key, value);) {
    if (out.size() > 1) out += ',';
    out += fmt::format("\"{}\":{}", key, key == "name" ? marking.text(value) : std::string(value));
  }
  return out + '}';
}

/// Returns `event` with the prefixes on its members. If `start` is given, it replaces the start of the event.
std::string rewritten(const ChromeEvent& event, const Marking& marking, const std::optional<std::string>& start) {
  std::string out = "{";
  ItemCursor members{event.record};
  for (std::string_view key, value; members.next(key, value);) {
    if (key == kFile) continue;
    if (out.size() > 1) out += ',';
    out += fmt::format("\"{}\":", key);
    if (key == "pid") {
      out += marking.process(value);
    } else if (key == "name" && event.phase != "M") {
      out += marking.name(value);
    } else if (key == "id" && has_own_id(event.phase)) {
      out += marking.text(value);
    } else if (key == "args" && event.phase == "M" && event.name == "process_name") {
      out += marked_arguments(value, marking);
    } else if (key == "ts" && start) {
      out += *start;
    } else {
      out += value;
    }
  }
  return out;
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string out;
  append_exact_json_string(out, text);
  return out;
}

std::string combined_record(const ChromeEvent& event, const ProcessPrefix& prefix, std::size_t file, Duration shift) {
  std::optional<std::string> start;
  std::int64_t shifted = 0;
  const bool fits = event.start_ns && !__builtin_add_overflow(*event.start_ns, shift.count(), &shifted);
  if (shift != Duration{} && fits) start = short_microseconds(Duration{shifted});
  return json::strict_json(fmt::format("{},\"{}\":{}}}", rewritten(event, Marking{prefix, true}, start), kFile, file));
}

std::optional<std::size_t> file_of(std::string_view record) {
  ItemCursor members{record};
  std::optional<std::int64_t> number;
  for (std::string_view key, value; members.next(key, value);) {
    if (key == kFile) number = as_integer(value);
  }
  return number && *number >= 0 ? std::optional{static_cast<std::size_t>(*number)} : std::nullopt;
}

std::string separated_record(const ChromeEvent& event, const ProcessPrefix& prefix) {
  return rewritten(event, Marking{prefix, false}, std::nullopt) + '}';
}

namespace {

constexpr std::string_view kBeginning = R"({"displayTimeUnit":"ns","otherData":{"program":"stepsim","combined":1)";
constexpr std::string_view kFileRecord = "stepsim_file";
constexpr std::string_view kMembers = "stepsim_members";
constexpr std::string_view kText = "stepsim_text";

constexpr std::string_view kBase = "baseTimeNanoseconds";
/// Members of a trace that its reader uses. All others, such as the environment, are dropped.
constexpr std::array<std::string_view, 6> kKept{kBase,       "distributedInfo", "deviceProperties",
                                                "host_name", "schemaVersion",   "stepsim_model"};

std::string metadata(std::string_view name, std::string_view arguments, std::size_t file) {
  return fmt::format(R"({{"ph":"M","name":"{}","args":{{{}}},"in_file":{}}})", name, arguments, file);
}

/// Returns those of `members` that are in kKept, as JSON without the braces.
std::string kept_members(const std::vector<std::pair<std::string, std::string>>& members,
                         const CombinedTraceWriter::Clock& clock) {
  std::string out;
  for (const std::string_view kept : kKept) {
    std::string value;
    for (const auto& [key, raw] : members) {
      if (key == kept) value = raw;
    }
    if (kept == kBase && clock.base) value = std::to_string(*clock.base);
    if (!value.empty()) out += fmt::format("{}\"{}\":{}", out.empty() ? "" : ",", kept, value);
  }
  return out;
}

}  // namespace

CombinedTraceWriter::CombinedTraceWriter(Sink sink, std::string_view origin) : sink_(std::move(sink)) {
  sink_(fmt::format("{}{}{}}},\"traceEvents\":[", kBeginning, origin.empty() ? "" : ",", origin));
}

void CombinedTraceWriter::put(std::string_view record) {
  sink_(any_ ? ",\n" : "\n");
  sink_(record);
  any_ = true;
}

void CombinedTraceWriter::begin_file(const CombinedFile& file) {
  put(metadata(kFileRecord,
               fmt::format(R"("name":{},"format":{},"worker":{},"rank":{},"on_names":{})", json_text(file.name),
                           json_text(file.format), json_text(file.prefix.worker), json_text(file.prefix.rank),
                           file.prefix.on_names ? 1 : 0),
               files_));
}

CombinedTraceWriter::Counts CombinedTraceWriter::add_trace(ByteSource& source, const CombinedFile& file,
                                                           const Clock& clock, const Keep& keep,
                                                           Diagnostics& diagnostics) {
  Counts counts;
  begin_file(file);
  ChromeEventReader reader{source, diagnostics};
  for (ChromeEvent event; reader.next(event);) {
    if (keep && !keep(event)) {
      ++counts.left_out;
      continue;
    }
    put(combined_record(event, file.prefix, files_, clock.shift));
    ++counts.events;
  }
  if (const std::string members = kept_members(reader.members(), clock); !members.empty())
    put(metadata(kMembers, members, files_));
  ++files_;
  return counts;
}

void CombinedTraceWriter::add_text(std::string_view text, const CombinedFile& file) {
  // A longer text is cut at line ends into several records, because readers hold a whole record in memory.
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  begin_file(file);
  do {
    const std::size_t end = text.size() <= kPiece ? text.size() : std::min(text.find('\n', kPiece), text.size());
    put(metadata(kText, fmt::format("\"text\":{}", json_text(text.substr(0, end))), files_));
    text.remove_prefix(end);
  } while (!text.empty());
  ++files_;
}

void CombinedTraceWriter::finish() { sink_("\n]}\n"); }

bool is_combined_trace(std::string_view head) {
  std::size_t same = 0;
  for (const char c : head) {
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;  // JSON formatters add whitespace
    if (c != kBeginning[same]) return false;
    if (++same == kBeginning.size()) return true;
  }
  return false;
}

namespace {

/// A file whose records are still being read.
struct Growing {
  SeparatedFile file;
  ProcessPrefix prefix;
  std::string members;
  bool is_text = false;
};

class Separating {
 public:
  Separating(ByteSource& source, Diagnostics& diagnostics)
      : name_(source.name()), reader_(source, diagnostics), diagnostics_(diagnostics) {}

  std::vector<SeparatedFile> run() {
    for (ChromeEvent event; reader_.next(event);) take(event);
    std::vector<SeparatedFile> files;
    for (Growing& one : files_) {
      if (!one.is_text) one.file.text += fmt::format("]{}{}}}", one.members.empty() ? "" : ",", one.members);
      files.push_back(std::move(one.file));
    }
    return files;
  }

 private:
  void take(const ChromeEvent& event) {
    const std::optional<std::size_t> number = file_of(event.record);
    if (number == files_.size() && event.phase == "M" && event.name == kFileRecord) return begin(event);
    if (!number || *number >= files_.size()) {
      return diagnostics_.count(diagnostic("bad_record"), {name_, event.offset, {}},
                                "it does not name a file of the trace");
    }
    Growing& file = files_[*number];
    if (event.phase == "M" && event.name == kMembers) {
      if (!event.arguments.empty()) file.members = event.arguments.substr(1, event.arguments.size() - 2);
    } else if (event.phase == "M" && event.name == kText) {
      if (!std::exchange(file.is_text, true)) file.file.text.clear();
      event.for_each_argument([&](std::string_view, std::string_view value) { file.file.text += as_text(value); });
    } else if (!file.is_text) {
      std::string& text = file.file.text;
      if (text.back() != '[') text += ",\n";
      text += separated_record(event, file.prefix);
    }
  }

  void begin(const ChromeEvent& event) {
    Growing file;
    file.file.text = "{\"traceEvents\":[";
    event.for_each_argument([&](std::string_view key, std::string_view value) {
      if (key == "name") file.file.name = as_text(value);
      if (key == "format") file.file.format = as_text(value);
      if (key == "worker") file.prefix.worker = as_text(value);
      if (key == "rank") file.prefix.rank = as_text(value);
      if (key == "on_names") file.prefix.on_names = value == "1";
    });
    files_.push_back(std::move(file));
  }

  std::string name_;
  ChromeEventReader reader_;
  Diagnostics& diagnostics_;
  std::vector<Growing> files_;
};

}  // namespace

std::vector<SeparatedFile> separate(ByteSource& source, Diagnostics& diagnostics) {
  return Separating(source, diagnostics).run();
}

}  // namespace stepsim::ingest
