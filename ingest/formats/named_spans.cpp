#include "ingest/formats/named_spans.h"

#include <limits>
#include <map>
#include <utility>

#include "ingest/chrome/chrome_events.h"
#include "ingest/json/json_values.h"
#include "ingest/parts/byteps_names.h"
#include "model/base/known_diagnostics.h"

namespace stepsim::ingest {
namespace {

class NamedSpansReader {
 public:
  NamedSpansReader(Input& input, PartSink& sink)
      : file_(input.name()), events_(input.stream(), sink.diagnostics), sink_(sink) {}

  [[nodiscard]] NamedSpans read() {
    ChromeEvent event;
    while (events_.next(event)) take(event);
    for (const auto& [row, open] : open_) {
      for (const NamedSpan& begin : open) skip(begin.offset, diagnostic("unmatched_begin"));
    }
    sink_.events += events_.records();
    sink_.skipped += events_.skipped();
    name_processes();
    add_base_time();
    return std::move(found_);
  }

 private:
  using Row = std::pair<std::string, std::string>;  // pid, tid

  void take(const ChromeEvent& event) {
    if (event.phase == "M") return take_name(event);
    if (event.phase == "i" || event.phase == "I")
      return sink_.diagnostics.count(diagnostic("instant_event"), {file_, event.offset, {}});
    if (event.phase != "X" && event.phase != "B" && event.phase != "E")
      return skip(event.offset, diagnostic("not_a_span"));
    const bool has_time = event.start_ns.has_value() && *event.start_ns >= 0 && *event.start_ns <= kLatestTime;
    if (!has_time) return skip(event.offset, diagnostic("bad_time"));
    if (event.phase == "E") return end(event);
    NamedSpan span{std::string{event.process},
                   std::string{event.thread},
                   std::string{event.name},
                   std::string{event.arguments},
                   Time{Duration{*event.start_ns}},
                   {},
                   event.offset};
    if (event.phase == "B") {
      open_[{span.process, span.thread}].push_back(std::move(span));
    } else if (event.duration_ns.has_value()) {
      span.whole_event = true;
      add(std::move(span), Duration{*event.duration_ns});
    } else {
      skip(event.offset, diagnostic("bad_time"));
    }
  }

  void take_name(const ChromeEvent& event) {
    if (event.name != "process_name") return;
    event.for_each_argument([&](std::string_view key, std::string_view value) {
      if (key == "name") names_[std::string{event.process}] = as_text(value);
      if (key == "start_time_since_epoch_in_micros") base_ = microseconds_as_ns(value);
    });
  }

  void end(const ChromeEvent& event) {
    const auto row = open_.find({std::string(event.process), std::string(event.thread)});
    if (row == open_.end()) return skip(event.offset, diagnostic("unmatched_end"));
    std::vector<NamedSpan>& open = row->second;
    const std::size_t place = ended_by(event, open);
    if (place == open.size()) return skip(event.offset, diagnostic("unmatched_end"));
    NamedSpan span = std::move(open[place]);
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(place));
    if (place == open.size() && !open.empty()) open.back().holds_another = true;
    if (!event.arguments.empty()) span.arguments = std::string{event.arguments};
    const Duration duration = Duration{*event.start_ns} - span.start.time_since_epoch();
    add(std::move(span), duration);
  }

  /// The latest open B, of the same name if the E event has one: messages in one row may overlap. open.size() if none.
  static std::size_t ended_by(const ChromeEvent& event, const std::vector<NamedSpan>& open) {
    constexpr std::size_t kDeepest = 1024;
    const std::size_t last = open.size() > kDeepest ? open.size() - kDeepest : 0;
    for (std::size_t i = open.size(); i > last; --i) {
      if (event.name.empty() || event.name == open[i - 1].name) return i - 1;
    }
    return open.size();
  }

  void add(NamedSpan span, Duration duration) {
    if (duration < Duration{} || duration.count() > kLatestTime - span.start.time_since_epoch().count())
      return skip(span.offset, diagnostic("bad_time"));
    span.duration = duration;
    found_.spans.push_back(std::move(span));
  }

  /// At the end, because a name may stand behind what it names.
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

  void skip(std::uint64_t offset, const Diagnostic& what) {
    ++sink_.skipped;
    sink_.diagnostics.count(what, {file_, offset, {}});
  }

  std::string file_;
  ChromeEventReader events_;
  PartSink& sink_;
  NamedSpans found_;
  std::map<Row, std::vector<NamedSpan>> open_;
  std::map<std::string, std::string> names_;  // of processes, by pid
  std::optional<std::int64_t> base_;
};

}  // namespace

NamedSpans read_named_spans(Input& input, PartSink& sink) { return NamedSpansReader(input, sink).read(); }

}  // namespace stepsim::ingest
