#ifndef STEPSIM_INGEST_CUT_CUT_H
#define STEPSIM_INGEST_CUT_CUT_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/cut/event_selector.h"
#include "model/base/diagnostics.h"
#include "model/base/units.h"

namespace stepsim::ingest {

/// What to keep of a trace. An event stays if it meets all that is given:
///
/// * `steps`: a host event that begins between the begin of the first of these steps and the end of the last one; work
/// of
///   a device whose launching call does (by correlation); other work that begins then itself.
/// * `select` and `min_duration`: events with a duration only. Marks of steps (ProfilerStep#N) always meet both.
///
/// Of flows (arrows) those stay whose begin and end both lie on events that stay; of metadata those of processes and
/// threads that still have an event. Members beside the events stay. Records that stay are what they were, except that
/// one that is not strict JSON is written as strict JSON.
struct Cut {
  std::optional<std::pair<std::int64_t, std::int64_t>> steps;  ///< inclusive
  std::optional<EventSelector> select;
  Duration min_duration{};
  const std::atomic<bool>* stop = nullptr;
};

struct CutCounts {
  std::uint64_t records = 0;   ///< of the trace
  std::uint64_t events = 0;    ///< kept, with a duration or a time
  std::uint64_t flows = 0;     ///< kept: begins and ends
  std::uint64_t metadata = 0;  ///< kept
  Diagnostics diagnostics;     ///< what is wrong with the trace
};

/// Writes the part of the trace at `path` that `cut` keeps: strict JSON, with the records that the reader of traces
/// delivers, also of a damaged trace. Reads the file five times.
/// Memory grows with what is kept and with the calls that launch. Throws UsageError if the trace marks none of the
/// steps, and if nothing is kept; InputError as the reader of the trace does, and for a pipe.
CutCounts cut_trace(const std::string& path, const Cut& cut, const std::function<void(std::string_view)>& out);

}  // namespace stepsim::ingest

#endif
