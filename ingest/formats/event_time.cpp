#include "ingest/formats/event_time.h"

#include <algorithm>
#include <string_view>

namespace stepsim::ingest {

bool has_usable_time(const ChromeEvent& event, bool on_device, const std::string& file, PartSink& sink) {
  const auto note = [&](std::string_view name, Severity severity, std::string_view remedy) {
    sink.diagnostics.count(name, severity, remedy, {file, event.offset, {}}, event.name);
  };
  if (!event.start_ns || (on_device && *event.start_ns == 0 && event.duration_ns.value_or(0) == 0)) {
    ++sink.skipped;
    note("no_timestamp", Severity::kDataLoss,
         "the profiler had no time for an event, which is left out: record again, or update the driver");
    return false;
  }
  if (event.has_duration && (!event.duration_ns || Duration{*event.duration_ns} > kLongestEvent)) {
    ++sink.skipped;
    note("absurd_duration", Severity::kDataLoss,
         "an event is recorded as longer than 7 days, or as no time at all, and left out: record again");
    return false;
  }
  if (!event.has_duration) {
    note("no_duration", Severity::kNotice, "an event without \"dur\" counts as 0 ns long");
  } else if (*event.duration_ns < 0) {
    note("negative_duration", Severity::kNotice, "an event with a negative duration counts as 0 ns long, as in Kineto");
  }
  return true;
}

RecordedTime time_of(const ChromeEvent& event) {
  return {Time{Duration{*event.start_ns}}, Duration{std::max<std::int64_t>(0, event.duration_ns.value_or(0))}};
}

}  // namespace stepsim::ingest
