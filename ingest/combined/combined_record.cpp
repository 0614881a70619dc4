#include "ingest/combined/combined_record.h"

#include <fmt/format.h>

#include "ingest/json/item_cursor.h"
#include "ingest/json/json_values.h"
#include "ingest/parts/byteps_names.h"
#include "model/base/quoted.h"

namespace stepsim::ingest {
namespace {

constexpr std::string_view kFileNumber = "in_file";

/// The text of a value without its quotes, escapes as they are.
std::string_view bare(std::string_view value) noexcept {
  const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  return quoted ? value.substr(1, value.size() - 2) : value;
}

std::string quoted(std::string_view prefix, std::string_view text) { return fmt::format("\"{}{}\"", prefix, text); }

/// Puts what tells a file's processes apart in front of values, or takes it away.
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

  /// An id, or the name of a process.
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

/// What ties a flow's or an asynchronous span's events to each other: two files may use the same id.
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

/// `event` with its members marked; `start` in place of its own where there is one.
std::string rewritten(const ChromeEvent& event, const Marking& marking, const std::optional<std::string>& start) {
  std::string out = "{";
  ItemCursor members{event.record};
  for (std::string_view key, value; members.next(key, value);) {
    if (key == kFileNumber) continue;
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
  return fmt::format("{},\"{}\":{}}}", rewritten(event, Marking{prefix, true}, start), kFileNumber, file);
}

std::optional<std::size_t> file_of(std::string_view record) {
  ItemCursor members{record};
  std::optional<std::int64_t> number;
  for (std::string_view key, value; members.next(key, value);) {
    if (key == kFileNumber) number = as_integer(value);
  }
  return number && *number >= 0 ? std::optional{static_cast<std::size_t>(*number)} : std::nullopt;
}

std::string separated_record(const ChromeEvent& event, const ProcessPrefix& prefix) {
  return rewritten(event, Marking{prefix, false}, std::nullopt) + '}';
}

}  // namespace stepsim::ingest
