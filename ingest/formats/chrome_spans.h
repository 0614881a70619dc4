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

/// Nothing in a training step takes longer: such a time stamp has overflowed.
inline constexpr Duration kLongestEvent{std::int64_t{7} * 24 * 3600 * 1'000'000'000};

/// Whether a profiler's event has a time at which it can have run; if not, it is counted in `sink` as skipped. A
/// duration that is missing or negative counts as none and is counted too. Messages call the trace `file`.
[[nodiscard]] bool has_usable_time(const ChromeEvent& event, bool on_device, const std::string& file, PartSink& sink);

/// When it ran. Precondition: it has a usable time.
[[nodiscard]] RecordedTime time_of(const ChromeEvent& event);

/// Hands each record of the Chrome trace in `input` to `take`, and counts in `sink` what was read. Throws InputError if
/// the input is no Chrome trace.
template <class Take>
void for_each_record(Input& input, PartSink& sink, Take&& take) {
  ChromeEventReader reader(input.stream(), sink.diagnostics);
  ChromeEvent event;
  while (reader.next(event)) take(event);
  sink.events += reader.records();
  sink.skipped += reader.skipped();
}

/// When a span ran, for formats whose times must be subtracted from each other: from 1970 to kLatestTime. Nothing if it
/// has no such time, or if its duration is missing or below `least`; one from there to 0 counts as none.
[[nodiscard]] std::optional<RecordedTime> span_time(std::optional<std::int64_t> start,
                                                    std::optional<std::int64_t> duration, Duration least = {});

/// Joins the B and E events of a Chrome trace. An E ends the latest open B of its row (pid and tid), or the latest of
/// its name if it has one, among the `deepest` latest. What cannot be joined is counted in `sink`. A Span has a name.
template <class Span>
class SpanPairs {
 public:
  /// A span that has ended.
  struct Pair {
    Span span;
    RecordedTime time;
    std::uint64_t offset = 0;  ///< of its B event in the file
    Span* around = nullptr;    ///< the open span right around it; null if there is none
  };

  SpanPairs(PartSink& sink, std::string file, std::size_t deepest)
      : sink_(sink), file_(std::move(file)), deepest_(deepest) {}

  void begin(const ChromeEvent& event, Span span) {
    const std::optional<RecordedTime> time = span_time(event.start_ns, 0);
    if (!time) return skip(event.offset, diagnostic("bad_time"));
    open_[row_of(event)].push_back({std::move(span), *time, event.offset});
  }

  /// The span that `event`, of this name, ends.
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

  /// Counts the spans that no E event has ended.
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

/// Reads X events, and pairs of B and E, the E of a row among its 1024 latest open B. What cannot be a span is counted
/// in `sink`: B or E without the other, bad times, instants, other kinds of events. Throws InputError if the file is no
/// JSON trace at all. Memory grows with the number of spans.
[[nodiscard]] NamedSpans read_named_spans(Input& input, PartSink& sink);

/// What a span says of a tensor: completes `event` but its tensor and times, and returns the tensor's name; nothing if
/// it says nothing of the kind.
template <class Event>
using TensorGrammar = std::optional<std::string> (*)(const NamedSpan& span, Event& event);

/// Reads a Chrome trace whose spans are of tensors, as `grammar` understands them. Other spans are counted as `other`.
/// Throws as read_named_spans().
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
