#ifndef STEPSIM_INGEST_CHROME_CHROME_EVENTS_H
#define STEPSIM_INGEST_CHROME_CHROME_EVENTS_H

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/bytes/byte_source.h"
#include "model/base/diagnostics.h"
#include "model/base/units.h"

namespace stepsim::ingest {

/// A member of a record's args: its key and raw JSON text.
struct ChromeArgument {
  std::string_view key;
  std::string_view value;
};

/// One record of a Chrome trace. The views are valid until the next call of next().
/// Strings are unescaped; numbers given as strings, and strings given as numbers, are taken
/// as what the field needs.
struct ChromeEvent {
  std::string_view phase;  ///< "X", "M", "B", ...
  std::string_view category;
  std::string_view name;
  std::string_view process;    ///< pid as text, number or string
  std::string_view thread;     ///< tid as text
  std::string_view arguments;  ///< raw JSON text of args, "{...}"; empty if absent
  /// The same, taken apart; empty as well if there are more than a few hundred members.
  std::span<const ChromeArgument> argument_list;
  std::optional<std::int64_t> start_ns;     ///< ts; microseconds with decimals in the file, exact here
  std::optional<std::int64_t> duration_ns;  ///< dur
  bool has_duration = false;                ///< dur is there, even if it is no time that fits
  std::uint64_t offset = 0;                 ///< of the record in the (inflated) file
};

/// Hands out the records of a Chrome trace one at a time: an object with "traceEvents", or a
/// bare array. The file is read in pieces; memory does not grow with it. A record that is
/// not valid JSON is skipped up to the next one, counted as "bad_record" with its offset; a
/// file cut short is used up to the cut and counted as "truncated_file".
class ChromeEventReader {
 public:
  /// Both must outlive the reader.
  ChromeEventReader(ByteSource& source, Diagnostics& diagnostics);
  ~ChromeEventReader();
  ChromeEventReader(const ChromeEventReader&) = delete;
  ChromeEventReader& operator=(const ChromeEventReader&) = delete;

  /// The next record; false at the end. Throws InputError if the file is no JSON trace at all.
  [[nodiscard]] bool next(ChromeEvent& event);

  /// Top-level members other than traceEvents: key and raw JSON text. Those that follow the
  /// events are there once next() returned false.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& members() const noexcept;
  [[nodiscard]] std::uint64_t records() const noexcept;  ///< seen, bad ones included
  [[nodiscard]] std::uint64_t skipped() const noexcept;  ///< bad ones

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Members of a JSON object given as raw text, in order; `value` is raw JSON text. Stops at
/// the first thing that is not JSON. No recursion.
class MemberCursor {
 public:
  explicit MemberCursor(std::string_view object) noexcept;
  [[nodiscard]] bool next(std::string_view& key, std::string_view& value) noexcept;

 private:
  std::string_view rest_;
};

/// Elements of a JSON array given as raw text, in order; as MemberCursor otherwise.
class ElementCursor {
 public:
  explicit ElementCursor(std::string_view array) noexcept;
  [[nodiscard]] bool next(std::string_view& value) noexcept;

 private:
  std::string_view rest_;
};

/// A raw JSON scalar as an integer ("12", "\"12\"", "12.0"); nothing if it is none.
[[nodiscard]] std::optional<std::int64_t> as_integer(std::string_view raw) noexcept;
/// A raw JSON string unescaped; other scalars as they are written.
[[nodiscard]] std::string as_text(std::string_view raw);
/// Microseconds in decimal ("12.345", "1e3") as nanoseconds, exact; nothing if out of range.
[[nodiscard]] std::optional<std::int64_t> microseconds_as_ns(std::string_view raw) noexcept;

}  // namespace stepsim::ingest

#endif
