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

/// A member of a record's args: its key and its value as written.
struct ChromeArgument {
  std::string_view key;
  std::string_view value;
};

/// One record of a Chrome trace. The views are valid until the next call of next(). Strings are
/// unescaped. A number may be written as a string, and a string as a number.
struct ChromeEvent {
  std::string_view phase;  ///< "X", "M", "B", ...
  std::string_view category;
  std::string_view name;
  std::string_view process;    ///< pid as text, number or string
  std::string_view thread;     ///< tid as text
  std::string_view id;         ///< of a flow, as text
  std::string_view arguments;  ///< raw JSON text of args, "{...}"; empty if absent
  /// The members of args; empty as well if there are more than a few hundred of them.
  std::span<const ChromeArgument> argument_list;
  std::optional<std::int64_t> start_ns;     ///< ts; microseconds with decimals in the file, exact here
  std::optional<std::int64_t> duration_ns;  ///< dur
  bool has_duration = false;                ///< dur is there, though it may not be a time or not fit
  bool odd = false;                         ///< the record is not strict JSON, but its meaning is clear
  std::string_view record;                  ///< all of it as written, "{...}"
  std::uint64_t offset = 0;                 ///< of the record in the (inflated) file

  /// Calls `take(key, value)` for each member of args, in order, however many.
  template <class Take>
  void for_each_argument(Take&& take) const {
    for (const ChromeArgument& argument : argument_list) take(argument.key, argument.value);
    if (!argument_list.empty() || arguments.empty()) return;
    ItemCursor members{arguments};
    for (ChromeArgument argument; members.next(argument.key, argument.value);) take(argument.key, argument.value);
  }
};

/// What is around the list of events in the text of a trace.
struct ChromeFrame {
  /// Top-level members other than traceEvents: key and raw JSON text.
  std::vector<std::pair<std::string, std::string>> members;
  std::size_t members_before = 0;           ///< how many of them are before the list
  bool bare = false;                        ///< the list is the whole trace
  std::uint64_t events_begin = 0;           ///< offset after its '['
  std::optional<std::uint64_t> events_end;  ///< offset of its ']'; nothing if the text ends before it
  bool head_is_json = true;                 ///< the text before the list is strict JSON
  bool tail_is_json = true;                 ///< so is the text after it
};

/// Hands out the records of a Chrome trace one at a time. A trace is an object with
/// "traceEvents", or a bare array. The file is read in pieces; memory does not grow with it. A
/// record that is not valid JSON is skipped and counted as "bad_record" with its offset. A file
/// that is cut short is used up to the cut and counted as "truncated_file".
class ChromeEventReader {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{512} << 10U;

  /// Scans records ahead on up to `threads` threads, the caller's included; what it hands out and counts does not
  /// depend on that, nor on `piece_bytes`, the text that one thread scans at a time. `source` and `diagnostics` must
  /// outlive the reader.
  ChromeEventReader(ByteSource& source, Diagnostics& diagnostics, int threads = 1,
                    std::size_t piece_bytes = kPieceBytes);
  ~ChromeEventReader();
  ChromeEventReader(const ChromeEventReader&) = delete;
  ChromeEventReader& operator=(const ChromeEventReader&) = delete;

  /// The next record; false at the end. Throws InputError if the file is no JSON trace at all.
  [[nodiscard]] bool next(ChromeEvent& event);

  /// Top-level members other than traceEvents: key and raw JSON text. Members behind the events
  /// are there once next() has returned false.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& members() const noexcept;
  /// Complete once next() has returned false.
  [[nodiscard]] const ChromeFrame& frame() const noexcept;
  [[nodiscard]] std::uint64_t records() const noexcept;  ///< bad ones included
  [[nodiscard]] std::uint64_t skipped() const noexcept;  ///< bad ones

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stepsim::ingest

#endif
