#ifndef STEPSIM_TESTS_INGEST_TRACE_MAKER_H
#define STEPSIM_TESTS_INGEST_TRACE_MAKER_H

#include <algorithm>
#include <map>
#include <string>

#include "ingest/parts/part.h"
#include "ingest/parts/process_groups.h"
#include "ingest/parts/step_name.h"

namespace stepsim::ingest::testing {

/// Writes small host-device traces by hand. Times are in microseconds.
class TraceMaker {
 public:
  HostDeviceTrace trace;

  TrackId thread(const std::string& tid) { return track(tid, false, -1, -1); }
  TrackId stream(std::int64_t number, std::int32_t device = 0) {
    return track("stream " + std::to_string(number), true, device, number);
  }

  std::uint32_t add(EventKind kind, const std::string& name, TrackId row, double start_us, double duration_us,
                    std::int64_t correlation = -1) {
    trace.start.push_back(Time{Duration{ns(start_us)}});
    trace.duration.push_back(Duration{ns(duration_us)});
    trace.kind.push_back(kind);
    trace.name.push_back(text(name));
    trace.track.push_back(row);
    const auto event = static_cast<std::uint32_t>(trace.size() - 1);
    trace.correlation.set(event, correlation);
    if (const auto step = step_number(name); kind == EventKind::kAnnotation && step)
      trace.steps.push_back({event, *step});
    return event;
  }
  /// Adds a wait of this kind.
  EventDetail& wait(SyncKind kind, TrackId row, double start_us, double duration_us, std::int64_t correlation) {
    EventDetail& of_wait = detail(add(EventKind::kSync, "wait", row, start_us, duration_us, correlation));
    of_wait.sync = kind;
    return of_wait;
  }
  EventDetail& detail(std::uint32_t event) {
    trace.detail.set(event, static_cast<std::uint32_t>(trace.details.size()));
    return trace.details.emplace_back();
  }
  /// Returns the group that a text describes.
  ProcessGroupId group(const std::string& description) {
    const Group group = group_named(description);
    ProcessGroup row{.name = {}, .size = group.size, .ranks = group.ranks};
    if (!group.name.empty()) row.name = text(group.name);
    return this->group(row);
  }
  ProcessGroupId group(const ProcessGroup& row) {
    const auto known =
        static_cast<std::size_t>(std::find(trace.groups.begin(), trace.groups.end(), row) - trace.groups.begin());
    if (known == trace.groups.size()) trace.groups.push_back(row);
    return ProcessGroupId{known};
  }
  TextId text(const std::string& name) {
    const auto [slot, added] = texts_.try_emplace(name, TextId{trace.texts.size()});
    if (added) trace.texts.push_back(name);
    return slot->second;
  }

 private:
  static std::int64_t ns(double us) { return static_cast<std::int64_t>(us * 1000 + (us < 0 ? -0.5 : 0.5)); }

  TrackId track(const std::string& name, bool on_device, std::int32_t device, std::int64_t stream) {
    const auto [slot, added] = tracks_.try_emplace(name + std::to_string(device), TrackId{trace.tracks.size()});
    if (added) trace.tracks.push_back({"1", name, "", on_device, device, stream});
    return slot->second;
  }

  std::map<std::string, TextId> texts_;
  std::map<std::string, TrackId> tracks_;
};

}  // namespace stepsim::ingest::testing

#endif
