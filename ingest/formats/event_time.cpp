#include "ingest/formats/event_time.h"

#include <algorithm>

#include "model/base/known_diagnostics.h"

namespace stepsim::ingest {

bool has_usable_time(const ChromeEvent& event, bool on_device, const std::string& file, PartSink& sink) {
  const auto note = [&](const Diagnostic& what) { sink.diagnostics.count(what, {file, event.offset, {}}, event.name); };
  if (!event.start_ns || (on_device && *event.start_ns == 0 && event.duration_ns.value_or(0) == 0)) {
    ++sink.skipped;
    note(diagnostic("no_timestamp"));
    return false;
  }
  if (event.has_duration && (!event.duration_ns || Duration{*event.duration_ns} > kLongestEvent)) {
    ++sink.skipped;
    note(diagnostic("absurd_duration"));
    return false;
  }
  if (!event.has_duration) {
    note(diagnostic("no_duration"));
  } else if (*event.duration_ns < 0) {
    note(diagnostic("negative_duration"));
  }
  return true;
}

RecordedTime time_of(const ChromeEvent& event) {
  return {Time{Duration{*event.start_ns}}, Duration{std::max<std::int64_t>(0, event.duration_ns.value_or(0))}};
}

}  // namespace stepsim::ingest
