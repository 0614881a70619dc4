#ifndef STEPSIM_INGEST_FORMATS_NAMED_SPANS_H
#define STEPSIM_INGEST_FORMATS_NAMED_SPANS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ingest/bytes/input.h"
#include "ingest/parts/part_sink.h"
#include "model/base/units.h"

namespace stepsim::ingest {

/// Something that ran in a row of a Chrome trace.
struct NamedSpan {
  std::string process;  ///< what a process_name event calls its pid; empty if none does
  std::string thread;   ///< tid as written
  std::string name;
  std::string arguments;  ///< raw JSON text of args, of the E event where that has any; may be empty
  Time start;
  Duration duration{};
  std::uint64_t offset = 0;    ///< of its first event in the file
  bool whole_event = false;    ///< one X event, no pair
  bool holds_another = false;  ///< a pair with another one inside
};

/// The spans of a Chrome trace.
struct NamedSpans {
  std::vector<NamedSpan> spans;  ///< in the order of their ends in the file; X events where they stand
  /// When the clock of the trace stood at 0, in Unix time, if a process_name event of Horovod says so. It is in the
  /// spans' times already.
  std::optional<Duration> base_time;
};

/// Reads X events, and pairs of B and E, of which an E ends the latest open B of its row (pid and tid), among the 1024
/// latest the one of its name if it has one. What cannot be a span is counted in `sink`: B or E without the other, bad
/// times, instants, other kinds of events. Throws InputError if the file is no JSON trace at all. Memory grows with the
/// number of spans.
[[nodiscard]] NamedSpans read_named_spans(Input& input, PartSink& sink);

}  // namespace stepsim::ingest

#endif
