#ifndef STEPSIM_INGEST_CHROME_CHROME_EVENTS_H
#define STEPSIM_INGEST_CHROME_CHROME_EVENTS_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/bytes/byte_source.h"
#include "ingest/json/json_values.h"
#include "model/base/diagnostics.h"
#include "model/base/units.h"

namespace stepsim::ingest {

/// A member of a record's args. The key is without quotes; the value is raw JSON text, so a string has its quotes.
struct ChromeArgument {
  std::string_view key;
  std::string_view value;
};

/// One record of a Chrome trace. The views are valid until the next call of next(). Strings are unescaped. Profilers
/// may write a number as a string and a string as a number; both are accepted.
struct ChromeEvent {
  std::string_view phase;  ///< "X", "M", "B", ...
  std::string_view category;
  std::string_view name;
  std::string_view process;    ///< pid as text, number or string
  std::string_view thread;     ///< tid as text
  std::string_view id;         ///< flow id, as text
  std::string_view arguments;  ///< raw JSON text of args, "{...}"; empty if absent
  /// The members of args. Empty if args has none, or more than a few hundred; for_each_argument() works in both cases.
  std::span<const ChromeArgument> argument_list;
  std::optional<std::int64_t> start_ns;     ///< ts; decimal microseconds in the file, converted exactly
  std::optional<std::int64_t> duration_ns;  ///< dur
  bool has_duration = false;                ///< dur is present, even if it is not a number or does not fit
  bool odd = false;                         ///< the record is not strict JSON, but its meaning is clear
  std::string_view record;                  ///< the whole record as written, "{...}"
  std::uint64_t offset = 0;                 ///< offset of the record in the decompressed file

  /// Calls `take(key, value)` for each member of args, in order, however many there are.
  template <class Take>
  void for_each_argument(Take&& take) const {
    for (const ChromeArgument& argument : argument_list) take(argument.key, argument.value);
    if (!argument_list.empty() || arguments.empty()) return;
    ItemCursor members{arguments};
    for (ChromeArgument argument; members.next(argument.key, argument.value);) take(argument.key, argument.value);
  }
};

/// The part of a trace's text that surrounds the list of events.
struct ChromeFrame {
  /// Top-level members other than traceEvents: key and raw JSON text.
  std::vector<std::pair<std::string, std::string>> members;
  std::size_t members_before = 0;           ///< number of members before the list
  bool bare = false;                        ///< the trace is only the list, without an object around it
  std::uint64_t events_begin = 0;           ///< offset after the '[' of the list
  std::optional<std::uint64_t> events_end;  ///< offset of the ']' of the list; nullopt if the text ends before it
  bool head_is_json = true;                 ///< the text before the list is strict JSON
  bool tail_is_json = true;                 ///< the text after the list is strict JSON
};

/// Reads the records of a Chrome trace one at a time. A trace is an object with "traceEvents", or a bare array. The
/// file is read in pieces, so memory does not grow with its size. A record that is not valid JSON is skipped and
/// counted as "bad_record" with its offset. A truncated file is used up to the cut and counted as "truncated_file".
class ChromeEventReader {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{512} << 10U;

  /// Scans records ahead on up to `threads` threads, including the caller's. `piece_bytes` is the length of text that
  /// one thread scans at a time. Records and diagnostics depend on neither. `source` and `diagnostics` must outlive the
  /// reader.
  ChromeEventReader(ByteSource& source, Diagnostics& diagnostics, int threads = 1,
                    std::size_t piece_bytes = kPieceBytes);
  ~ChromeEventReader();
  ChromeEventReader(const ChromeEventReader&) = delete;
  ChromeEventReader& operator=(const ChromeEventReader&) = delete;

  /// Reads the next record; false at the end. Throws InputError if the file is not a JSON trace at all.
  [[nodiscard]] bool next(ChromeEvent& event);

  /// Top-level members other than traceEvents: key and raw JSON text. Members after the events are included once next()
  /// has returned false.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& members() const noexcept;
  /// The text around the list of events; complete once next() has returned false.
  [[nodiscard]] const ChromeFrame& frame() const noexcept;
  [[nodiscard]] std::uint64_t records() const noexcept;  ///< number of records, including bad ones
  [[nodiscard]] std::uint64_t skipped() const noexcept;  ///< number of bad records

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stepsim::ingest

#endif
