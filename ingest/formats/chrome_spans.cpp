#include "ingest/formats/chrome_spans.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ingest/chrome/chrome_events.h"
#include "ingest/json/json_values.h"
#include "ingest/parts/names.h"
#include "model/base/known_diagnostics.h"

namespace stepsim::ingest {

bool has_usable_time(const ChromeEvent& event, bool on_device, const std::string& file, PartSink& sink) {
  const auto where = [&] { return InputLocation{file, event.offset, {}}; };
  if (!event.start_ns || (on_device && *event.start_ns == 0 && event.duration_ns.value_or(0) == 0)) {
    sink.skip(diagnostic("no_timestamp"), where(), event.name);
    return false;
  }
  if (event.has_duration && (!event.duration_ns || Duration{*event.duration_ns} > kLongestEvent)) {
    sink.skip(diagnostic("absurd_duration"), where(), event.name);
    return false;
  }
  if (!event.has_duration) {
    sink.diagnostics.count(diagnostic("no_duration"), where(), event.name);
  } else if (*event.duration_ns < 0) {
    sink.diagnostics.count(diagnostic("negative_duration"), where(), event.name);
  }
  return true;
}

RecordedTime time_of(const ChromeEvent& event) {
  return {Time{Duration{*event.start_ns}}, Duration{std::max<std::int64_t>(0, event.duration_ns.value_or(0))}};
}

namespace {

class NamedSpanReader {
 public:
  NamedSpanReader(const std::string& file, PartSink& sink) : file_(file), sink_(sink), open_(sink, file, kDeepest) {}

  void take(const ChromeEvent& event) {
    if (event.phase == "M") return take_name(event);
    if (event.phase == "i" || event.phase == "I")
      return sink_.diagnostics.count(diagnostic("instant_event"), {file_, event.offset, {}});
    if (event.phase == "E") return end(event);
    if (event.phase != "X" && event.phase != "B") return skip(event.offset, diagnostic("not_a_span"));
    NamedSpan span{.process = std::string{event.process},
                   .thread = std::string{event.thread},
                   .name = std::string{event.name},
                   .arguments = std::string{event.arguments},
                   .offset = event.offset};
    if (event.phase == "B") return open_.begin(event, std::move(span));
    const std::optional<RecordedTime> time = span_time(event.start_ns, event.duration_ns);
    if (!time) return skip(event.offset, diagnostic("bad_time"));
    span.whole_event = true;
    add(std::move(span), *time);
  }

  [[nodiscard]] NamedSpans finish() && {
    open_.finish();
    name_processes();
    add_base_time();
    return std::move(found_);
  }

 private:
  static constexpr std::size_t kDeepest = 1024;

  void take_name(const ChromeEvent& event) {
    if (event.name != "process_name") return;
    event.for_each_argument([&](std::string_view key, std::string_view value) {
      if (key == "name") names_[std::string{event.process}] = as_text(value);
      if (key == "start_time_since_epoch_in_micros") base_ = microseconds_as_ns(value);
    });
  }

  void end(const ChromeEvent& event) {
    auto pair = open_.end(event, event.name);
    if (!pair) return;
    if (pair->around != nullptr) pair->around->holds_another = true;
    if (!event.arguments.empty()) pair->span.arguments = std::string{event.arguments};
    add(std::move(pair->span), pair->time);
  }

  void add(NamedSpan span, RecordedTime time) {
    span.start = time.start;
    span.duration = time.length;
    found_.spans.push_back(std::move(span));
  }

  /// Sets the process names at the end, because a name may come after the events of its process.
  void name_processes() {
    for (NamedSpan& span : found_.spans) {
      const auto name = names_.find(span.process);
      span.process = name == names_.end() ? std::string{} : name->second;
    }
  }

  void add_base_time() {
    if (!base_.has_value() || *base_ < 0 || *base_ > kLatestTime) return;
    const Duration base{*base_};
    std::erase_if(found_.spans, [&](const NamedSpan& span) {
      const bool late = span.start + span.duration > Time{Duration{kLatestTime}} - base;
      if (late) skip(span.offset, diagnostic("bad_time"));
      return late;
    });
    for (NamedSpan& span : found_.spans) span.start += base;
    found_.base_time = base;
  }

  void skip(std::uint64_t offset, const Diagnostic& what) { sink_.skip(what, {file_, offset, {}}); }

  const std::string& file_;
  PartSink& sink_;
  SpanPairs<NamedSpan> open_;
  NamedSpans found_;
  std::map<std::string, std::string> names_;  // process names by pid
  std::optional<std::int64_t> base_;
};

}  // namespace

std::optional<RecordedTime> span_time(std::optional<std::int64_t> start, std::optional<std::int64_t> duration,
                                      Duration least) {
  const bool usable = start && duration && *start >= 0 && *start <= kLatestTime && *duration >= least.count() &&
                      *duration <= kLatestTime - *start;
  if (!usable) return std::nullopt;
  return RecordedTime{Time{Duration{*start}}, Duration{std::max<std::int64_t>(*duration, 0)}};
}

NamedSpans read_named_spans(Input& input, PartSink& sink) {
  NamedSpanReader reader(input.name(), sink);
  for_each_record(input, sink, [&reader](const ChromeEvent& event) { reader.take(event); });
  return std::move(reader).finish();
}

}  // namespace stepsim::ingest
