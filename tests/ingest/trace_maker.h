#ifndef STEPSIM_TESTS_INGEST_TRACE_MAKER_H
#define STEPSIM_TESTS_INGEST_TRACE_MAKER_H

#include <map>
#include <string>

#include "ingest/parts/part.h"

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
    trace.correlation.push_back(correlation);
    trace.detail.push_back(HostDeviceTrace::kNoDetail);
    return static_cast<std::uint32_t>(trace.size() - 1);
  }
  EventDetail& detail(std::uint32_t event) {
    trace.detail.set(event, static_cast<std::uint32_t>(trace.details.size()));
    return trace.details.emplace_back();
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
