#ifndef STEPSIM_INGEST_PARTS_LIKE_TRACES_H
#define STEPSIM_INGEST_PARTS_LIKE_TRACES_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "ingest/parts/part.h"
#include "model/base/units.h"

namespace stepsim::ingest {

/// The events of a trace whose columns are empty because like traces share them.
struct SharedEvents {
  std::shared_ptr<HostDeviceTrace> trace;  ///< has the events; null if nothing is shared
  Duration later{};                        ///< how much later than there all of them are, by the trace's own clock
};

/// Stores the events of like traces once. Two traces are alike if they differ only by one difference between all their
/// times, as between two clocks, and in their rank and in the names of their host, processes, threads and devices. All
/// functions may be called from several threads at a time.
class LikeTraces {
 public:
  /// Moves the events of `trace` to the other traces that are like it. `trace` keeps everything in which it may differ
  /// from these. Returns null, and changes nothing, if the trace has no events or knows ranks only by their numbers in
  /// communicators. O(events): compares it only with traces of the same fingerprint.
  [[nodiscard]] SharedEvents share(HostDeviceTrace& trace);

  /// Returns how many pairs of traces were compared.
  [[nodiscard]] std::size_t compared() const noexcept { return compared_; }

 private:
  std::mutex mutex_;
  std::unordered_multimap<std::uint64_t, std::shared_ptr<HostDeviceTrace>> known_;  ///< by fingerprint_of()
  std::size_t compared_ = 0;
};

/// Gives `trace` the events in `shared` again, at its own times. O(events).
void take_back(SharedEvents& shared, HostDeviceTrace& trace);

}  // namespace stepsim::ingest

#endif
