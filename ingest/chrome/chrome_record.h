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

/// The members of one Chrome trace record that stepsim uses, as views of the text. If a key occurs twice, the last one
/// counts, as in Python and JavaScript.
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

  /// Reads the object at scanner.at(). Returns false on a syntax error; scanner.error() then gives the reason.
  [[nodiscard]] bool scan(json::Scanner& scanner);

  [[nodiscard]] bool has(Member member) const noexcept { return (seen_ >> member & 1U) != 0; }
  /// Sets all fields of `event` except its offset and its text. Unescaped strings are stored in `unescaped`. The views
  /// are valid as long as the text and `unescaped`; the list of arguments is valid until the next call of scan().
  void fill(ChromeEvent& event, std::deque<std::string>& unescaped) const;

  /// True for an event; false for an object inside an event's arguments.
  [[nodiscard]] bool looks_like_event() const noexcept { return has(kPhase) || (has(kName) && has(kStart)); }
  /// If a member has a type that makes the record unusable, returns the expected value of the first such member, such
  /// as `text for "name"`. Null if there is no such member.
  [[nodiscard]] const char* wrong_member() const noexcept;

 private:
  // Longer lists of arguments are not stored, because they would need more memory than their text.
  static constexpr std::size_t kMostArguments = 256;
  const char* scan_arguments(json::Scanner& scanner, const char* p);
  std::string_view content(Member member, std::deque<std::string>& unescaped) const;
  [[nodiscard]] std::optional<std::int64_t> time(Member member) const;

  unsigned seen_ = 0;  // one bit per member
  std::array<json::Value, kOther + 1> values_;
  std::vector<ChromeArgument> arguments_;  // empty if there are more than kMostArguments
};

/// The functions below find positions in a Chrome trace at which a reader can resume after damage. They examine only
/// the text from `begin` to `end`; `at` lies within it.

/// True if a record may begin at the brace `at`: a key follows it, and it is not itself the value of a key, as in
/// `"args": {`.
[[nodiscard]] bool may_begin_record(const char* begin, const char* at, const char* end);

/// Returns the last position after a comma between what seem to be two records; `end` if there is none.
[[nodiscard]] const char* last_record_gap(const char* begin, const char* end);

/// True if the bracket `at` closes the list of events. The list is recognised by a top-level member after it; the first
/// closing bracket in `"grid": [1, 1, 1], "block": [32, 1, 1]`, for example, has no such member after it.
[[nodiscard]] bool ends_events(const char* at, const char* end);

/// True if `"traceEvents":` begins at the quote `at`.
[[nodiscard]] bool is_events_key(const char* at, const char* end);

}  // namespace stepsim::ingest

#endif
