#ifndef STEPSIM_INGEST_CHROME_RECORD_MARKS_H
#define STEPSIM_INGEST_CHROME_RECORD_MARKS_H

namespace stepsim::ingest {

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
