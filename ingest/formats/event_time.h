#ifndef STEPSIM_INGEST_FORMATS_EVENT_TIME_H
#define STEPSIM_INGEST_FORMATS_EVENT_TIME_H

#include <string>

#include "ingest/chrome/chrome_events.h"
#include "ingest/parts/host_device_builder.h"
#include "ingest/parts/part_sink.h"
#include "model/base/units.h"

namespace stepsim::ingest {

/// Nothing in a training step takes longer: such a time stamp has overflowed.
inline constexpr Duration kLongestEvent{std::int64_t{7} * 24 * 3600 * 1'000'000'000};

/// Whether a profiler's event has a time at which it can have run; if not, it is counted in `sink` as skipped. A
/// duration that is missing or negative counts as none and is counted too. `file` stands in messages.
[[nodiscard]] bool has_usable_time(const ChromeEvent& event, bool on_device, const std::string& file, PartSink& sink);

/// When it ran. Precondition: it has a usable time.
[[nodiscard]] RecordedTime time_of(const ChromeEvent& event);

}  // namespace stepsim::ingest

#endif
