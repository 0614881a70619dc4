#ifndef STEPSIM_INGEST_FORMATS_CHROME_SPANS_H
#define STEPSIM_INGEST_FORMATS_CHROME_SPANS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/bytes/input.h"
#include "ingest/chrome/chrome_events.h"
#include "ingest/parts/host_device_builder.h"
#include "ingest/parts/part.h"
#include "ingest/parts/text_table.h"
#include "model/base/known_diagnostics.h"
#include "model/base/units.h"

namespace stepsim::ingest {

/// No event of a training step takes longer; a longer duration means that a timestamp overflowed.
inline constexpr Duration kLongestEvent{std::int64_t{7} * 24 * 3600 * 1'000'000'000};

/// True if the time of a profiler's event is plausible; otherwise counts the event in `sink` as skipped. Device work
/// with start 0 and duration 0 is skipped, because its time was not recorded. A missing or negative duration is counted
/// in `sink` and treated as zero. Messages call the trace `file`.
[[nodiscard]] bool has_usable_time(const ChromeEvent& event, bool on_device, const std::string& file, PartSink& sink);

/// Returns the time of an event. Precondition: it has a usable time.
[[nodiscard]] RecordedTime time_of(const ChromeEvent& event);

/// Calls `take` with each record of the Chrome trace in `input`, and counts the records in `sink`. Throws InputError if
/// the input is not a Chrome trace.
template <class Take>
void for_each_record(Input& input, PartSink& sink, Take&& take) {
  ChromeEventReader reader(input.stream(), sink.diagnostics);
  ChromeEvent event;
  while (reader.next(event)) take(event);
  sink.events += reader.records();
  sink.skipped += reader.skipped();
}

/// Returns the time of a span, for formats whose times are subtracted from each other. Valid times are from 1970 to
/// kLatestTime. Returns nullopt if the start is invalid, or if the duration is missing or below `least`. A duration
/// from `least` to 0 becomes 0.
[[nodiscard]] std::optional<RecordedTime> span_time(std::optional<std::int64_t> start,
                                                    std::optional<std::int64_t> duration, Duration least = {});

/// Joins the B and E events of a Chrome trace. An E without a name ends the latest open B of its row (pid and tid); an
/// E with a name ends the latest B of that name among the `deepest` latest ones. Events that cannot be joined are
/// counted in `sink`. Span must have a member `name`.
template <class Span>
class SpanPairs {
 public:
  /// A span that has ended.
  struct Pair {
    Span span;
    RecordedTime time;
    std::uint64_t offset = 0;  ///< offset of its B event in the file
    Span* around = nullptr;    ///< the open span that directly encloses it; null if there is none
  };

  SpanPairs(PartSink& sink, std::string file, std::size_t deepest)
      : sink_(sink), file_(std::move(file)), deepest_(deepest) {}

  void begin(const ChromeEvent& event, Span span) {
    const std::optional<RecordedTime> time = span_time(event.start_ns, 0);
    if (!time) return skip(event.offset, diagnostic("bad_time"));
    open_[row_of(event)].push_back({std::move(span), *time, event.offset});
  }

  /// Returns the span named `name` that the E event `event` ends. If there is none, or a time is invalid, counts the
  /// problem and returns nullopt.
  [[nodiscard]] std::optional<Pair> end(const ChromeEvent& event, std::string_view name) {
    if (!span_time(event.start_ns, 0)) {
      skip(event.offset, diagnostic("bad_time"));
      return std::nullopt;
    }
    const auto row = open_.find(row_of(event));
    const std::size_t place = row == open_.end() ? 0 : ended_by(row->second, name);
    if (row == open_.end() || place == row->second.size()) {
      skip(event.offset, diagnostic("unmatched_end"));
      return std::nullopt;
    }
    std::vector<Pair>& open = row->second;
    Pair pair = std::move(open[place]);
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(place));
    if (place == open.size() && !open.empty()) pair.around = &open.back().span;
    const std::int64_t start = pair.time.start.time_since_epoch().count();
    const std::optional<RecordedTime> time = span_time(start, *event.start_ns - start);
    if (!time) {
      skip(pair.offset, diagnostic("bad_time"));
      return std::nullopt;
    }
    pair.time = *time;
    return pair;
  }

  /// Counts the spans without an E event.
  void finish() {
    for (const auto& [row, open] : open_) {
      for (const Pair& begin : open) skip(begin.offset, diagnostic("unmatched_begin"));
    }
  }

 private:
  using Row = std::pair<std::string, std::string>;

  static Row row_of(const ChromeEvent& event) { return {std::string{event.process}, std::string{event.thread}}; }

  [[nodiscard]] std::size_t ended_by(const std::vector<Pair>& open, std::string_view name) const {
    const std::size_t last = open.size() > deepest_ ? open.size() - deepest_ : 0;
    for (std::size_t i = open.size(); i > last; --i) {
      if (name.empty() || name == open[i - 1].span.name) return i - 1;
    }
    return open.size();
  }

  void skip(std::uint64_t offset, const Diagnostic& what) { sink_.skip(what, {file_, offset, {}}); }

  PartSink& sink_;
  std::string file_;
  std::size_t deepest_;
  std::map<Row, std::vector<Pair>> open_;
};

/// A span in a row of a Chrome trace.
struct NamedSpan {
  std::string process;  ///< name of its pid from a process_name event; empty if there is none
  std::string thread;   ///< tid as written
  std::string name;
  std::string arguments;  ///< raw JSON text of args, from the E event if that has any; may be empty
  Time start;
  Duration duration{};
  std::uint64_t offset = 0;    ///< offset of its first event in the file
  bool whole_event = false;    ///< one X event, not a pair of B and E
  bool holds_another = false;  ///< a pair that encloses another pair
};

/// The spans of a Chrome trace.
struct NamedSpans {
  std::vector<NamedSpan> spans;  ///< in the order of the E and X events in the file
  /// The Unix time at which the trace's clock was 0, if a process_name event of Horovod states it. The spans' times
  /// already include it.
  std::optional<Duration> base_time;
};

/// Reads X events, and pairs of B and E; an E matches one of the 1024 latest open B events of its row. Events that do
/// not form a span are counted in `sink`: B or E without the other, bad times, instants, other kinds of events. Throws
/// InputError if the file is not a JSON trace at all. Memory grows with the number of spans.
[[nodiscard]] NamedSpans read_named_spans(Input& input, PartSink& sink);

/// Interprets a span as a tensor event: sets all of `event` except its tensor and times, and returns the tensor's name.
/// Returns nullopt if the span is not about a tensor.
template <class Event>
using TensorGrammar = std::optional<std::string> (*)(const NamedSpan& span, Event& event);

/// Reads a Chrome trace whose spans are tensor events, as interpreted by `grammar`. Other spans are counted as `other`.
/// Throws as read_named_spans() does.
template <class Event>
[[nodiscard]] TensorTrace<Event> read_tensor_trace(Input& input, PartSink& sink, TensorGrammar<Event> grammar,
                                                   const Diagnostic& other) {
  TensorTrace<Event> trace;
  TextTable tensors;
  for (const NamedSpan& span : read_named_spans(input, sink).spans) {
    Event event;
    const std::optional<std::string> tensor = grammar(span, event);
    if (!tensor) {
      sink.skip(other, {input.name(), span.offset, {}}, span.name);
      continue;
    }
    event.tensor = tensors.intern(*tensor).value();
    event.start = span.start;
    event.duration = span.duration;
    trace.events.push_back(event);
  }
  trace.tensors = std::move(tensors).take();
  return trace;
}

}  // namespace stepsim::ingest

#endif
