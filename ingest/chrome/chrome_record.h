#ifndef STEPSIM_INGEST_CHROME_CHROME_RECORD_H
#define STEPSIM_INGEST_CHROME_CHROME_RECORD_H

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/chrome/chrome_events.h"
#include "ingest/json/scanner.h"

namespace stepsim::ingest {

/// The members of one record of a Chrome trace that stepsim uses, as parts of the text. If a key
/// occurs twice, the last one counts, as in Python and JavaScript.
class ChromeRecord {
 public:
  enum Member : std::uint8_t {
    kPhase,
    kCategory,
    kName,
    kProcess,
    kThread,
    kId,
    kStart,
    kDuration,
    kArguments,
    kOther
  };

  /// Reads the object at scanner.at(). If false, the scanner says what stopped it.
  [[nodiscard]] bool scan(json::Scanner& scanner);

  [[nodiscard]] bool has(Member member) const noexcept { return (seen_ >> member & 1U) != 0; }
  /// Sets all of `event` but its offset and its text. Contents that differ from their text go to `unescaped`. Views are
  /// valid as long as the text and `unescaped`; the list of arguments is until the next call of scan().
  void fill(ChromeEvent& event, std::deque<std::string>& unescaped) const;

  /// True for an event; false for an object that stands inside some event's arguments.
  [[nodiscard]] bool looks_like_event() const noexcept { return has(kPhase) || (has(kName) && has(kStart)); }
  /// What was expected instead of the first member whose type makes the record useless; null if
  /// there is none.
  [[nodiscard]] const char* wrong_member() const noexcept;

 private:
  // More are not kept: the list would need more memory than the text.
  static constexpr std::size_t kMostArguments = 256;
  const char* scan_arguments(json::Scanner& scanner, const char* p);
  std::string_view content(Member member, std::deque<std::string>& unescaped) const;
  [[nodiscard]] std::optional<std::int64_t> time(Member member) const;

  unsigned seen_ = 0;  // one bit a member
  std::array<json::Value, kOther + 1> values_;
  std::vector<ChromeArgument> arguments_;  // empty if they are more than kMostArguments
};

/// Places in a Chrome trace at which a reader can go on after damage. `begin` and `end` bound
/// the text that may be looked at; `at` lies between them.

/// At a brace: a record may begin here. A key follows it, and it is not itself the value of a
/// key, as in `"args": {`.
[[nodiscard]] bool may_begin_record(const char* begin, const char* at, const char* end);

/// The last place behind a comma between what seem to be two records; `end` if there is none.
[[nodiscard]] const char* last_record_gap(const char* begin, const char* end);

/// At a bracket: it closes the list of events, because a member of the file follows it. The
/// first bracket in `"grid": [1, 1, 1], "block": [32, 1, 1]` does not.
[[nodiscard]] bool ends_events(const char* at, const char* end);

/// At a quote: `"traceEvents":` begins here.
[[nodiscard]] bool is_events_key(const char* at, const char* end);

}  // namespace stepsim::ingest

#endif
