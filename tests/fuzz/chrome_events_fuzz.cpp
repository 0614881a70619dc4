// Differential fuzzer: compares the records that ChromeEventReader reads from "[<input>]" with those in simdjson's DOM.
// If simdjson accepts the text, both must agree on every field and nothing may be reported as odd. If simdjson refuses
// the text, the reader must report something.

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/bytes/input.h"
#include "ingest/chrome/chrome_events.h"
#include "ingest/json/json_values.h"
#include "model/base/error.h"

namespace stepsim {

namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

/// Returns the last member with this key; nullopt if there is none.
std::optional<element> member(const simdjson::dom::object& object, std::string_view key) {
  std::optional<element> found;
  for (const auto field : object) {
    if (field.key == key) found = field.value;
  }
  return found;
}

bool is_nested(const std::optional<element>& value) {
  return value && (value->type() == element_type::ARRAY || value->type() == element_type::OBJECT);
}

bool is_record(const element& item) {
  simdjson::dom::object object;
  if (item.get(object) != simdjson::SUCCESS) return false;
  constexpr std::array<std::string_view, 5> kKeys{"ph", "cat", "name", "pid", "tid"};
  return std::none_of(kKeys.begin(), kKeys.end(), [&](std::string_view key) { return is_nested(member(object, key)); });
}

bool same_text(const std::optional<element>& value, std::string_view seen) {
  if (!value || value->is_null()) return seen.empty();
  std::string_view text;
  if (value->get(text) == simdjson::SUCCESS) return text == seen;
  bool truth = false;
  if (value->get(truth) == simdjson::SUCCESS) return seen == (truth ? "true" : "false");
  std::int64_t number = 0;
  if (value->get(number) == simdjson::SUCCESS) return ingest::as_integer(seen) == number;
  return !seen.empty();
}

bool same_time(const std::optional<element>& value, std::optional<std::int64_t> seen) {
  if (!value || value->is_null() || value->is_bool() || is_nested(value)) return !seen;
  double number = 0;
  if (value->get(number) != simdjson::SUCCESS) return true;  // strings are not compared
  const double expected = number * 1000;
  if (std::abs(expected) > 9.2e18) return true;
  // The tolerance is one nanosecond for rounding, plus a relative error for the limited precision of a double (53
  // bits).
  return seen && std::abs(static_cast<double>(*seen) - expected) <= 1 + std::abs(expected) * 1e-15;
}

/// Returns whether ItemCursor finds the same keys and elements in the arguments as simdjson.
bool same_arguments(const std::optional<element>& value, std::string_view seen) {
  simdjson::dom::object object;
  if (!value || value->get(object) != simdjson::SUCCESS) return seen.empty();
  ingest::ItemCursor members{seen};
  std::string_view key;
  std::string_view raw;
  for (const auto field : object) {
    if (!members.next(key, raw) || ingest::as_text("\"" + std::string{key} + "\"") != field.key) return false;
    simdjson::dom::array array;
    if (field.value.get(array) != simdjson::SUCCESS) continue;
    ingest::ItemCursor elements{raw};
    for (const element ignored : array) {
      static_cast<void>(ignored);
      if (!elements.next(raw)) return false;
    }
    if (elements.next(raw)) return false;
  }
  return !members.next(key, raw);
}

struct Seen {
  std::vector<std::string> texts;                  // five per record
  std::vector<std::optional<std::int64_t>> times;  // two per record
  std::vector<std::string> arguments;
  std::uint64_t records = 0;
  std::uint64_t skipped = 0;
  Diagnostics diagnostics;
};

Seen read(std::string_view text, int threads = 1) {
  Seen seen;
  ingest::Input input = ingest::Input::from_memory(text, "fuzz");
  constexpr std::size_t kPiece = 200;  // small, so that small inputs have several pieces
  ingest::ChromeEventReader reader{input.stream(), seen.diagnostics, threads, kPiece};
  ingest::ChromeEvent event;
  while (reader.next(event)) {
    for (const std::string_view part : {event.phase, event.category, event.name, event.process, event.thread})
      seen.texts.emplace_back(part);
    seen.times.insert(seen.times.end(), {event.start_ns, event.duration_ns});
    seen.arguments.emplace_back(event.arguments);
  }
  seen.records = reader.records();
  seen.skipped = reader.skipped();
  STEPSIM_ASSERT(seen.records == seen.arguments.size() + seen.skipped, "every record is used or skipped");
  return seen;
}

/// Returns whether an item is a list. The reader looks for records in such a list, so its result cannot be compared
/// with simdjson's.
bool has_list(const simdjson::dom::array& items) {
  return std::any_of(items.begin(), items.end(),
                     [](const element& item) { return item.type() == element_type::ARRAY; });
}

void compare(const simdjson::dom::array& items, const Seen& seen) {
  std::size_t at = 0;
  std::uint64_t bad = 0;
  for (const element item : items) {
    if (!is_record(item)) {
      ++bad;
      continue;
    }
    simdjson::dom::object object;
    STEPSIM_ASSERT(item.get(object) == simdjson::SUCCESS, "checked above");
    STEPSIM_ASSERT(at < seen.arguments.size(), "each record is handed out");
    const std::string* const texts = &seen.texts[at * 5];
    STEPSIM_ASSERT(same_text(member(object, "ph"), texts[0]) && same_text(member(object, "cat"), texts[1]) &&
                       same_text(member(object, "name"), texts[2]) && same_text(member(object, "pid"), texts[3]) &&
                       same_text(member(object, "tid"), texts[4]),
                   "the same texts");
    STEPSIM_ASSERT(
        same_time(member(object, "ts"), seen.times[at * 2]) && same_time(member(object, "dur"), seen.times[at * 2 + 1]),
        "the same times");
    STEPSIM_ASSERT(same_arguments(member(object, "args"), seen.arguments[at]), "the same arguments");
    ++at;
  }
  STEPSIM_ASSERT(at == seen.arguments.size() && bad == seen.skipped, "the same number of records");
  STEPSIM_ASSERT(seen.diagnostics.entries().size() == (bad > 0 ? 1U : 0U), "nothing else to report");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = "[" + std::string{reinterpret_cast<const char*>(data), size} + "]";
  const Seen seen = read(text);
  const Seen ahead = read(text, 2);
  STEPSIM_ASSERT(ahead.texts == seen.texts && ahead.times == seen.times && ahead.arguments == seen.arguments &&
                     ahead.records == seen.records && ahead.skipped == seen.skipped,
                 "the same on two threads");

  simdjson::dom::parser parser;
  if (parser.allocate(text.size() + 64, text.size() + 64) != simdjson::SUCCESS) return 0;
  element root;
  const simdjson::error_code error = parser.parse(text).get(root);
  simdjson::dom::array items;
  // The reader does not unescape keys, and reads half of a surrogate pair as U+FFFD, so texts with \u are not compared.
  const bool escapes = text.find("\\u") != std::string::npos;
  if (error == simdjson::SUCCESS && root.get(items) == simdjson::SUCCESS) {
    if (!escapes && !has_list(items)) compare(items, seen);
  } else if (!escapes && error != simdjson::NUMBER_ERROR && error != simdjson::CAPACITY &&
             error != simdjson::DEPTH_ERROR) {
    STEPSIM_ASSERT(!seen.diagnostics.entries().empty(), "what is no JSON is reported");
  }
  return 0;
}

}  // namespace stepsim
