#ifndef STEPSIM_INGEST_PARTS_BUSY_TIME_H
#define STEPSIM_INGEST_PARTS_BUSY_TIME_H

#include <cstdint>
#include <utility>
#include <vector>

#include "ingest/parts/part.h"
#include "model/base/units.h"
#include "model/job/trace_details.h"

namespace stepsim::ingest {

/// Returns true for times that can be subtracted from each other without overflow: from 73 years before 1970 to 146
/// years after it, the end of the duration included. Precondition: `duration` is not negative.
[[nodiscard]] inline bool in_time(Time start, Duration duration = {}) noexcept {
  constexpr Time kEarliest{Duration{-(std::int64_t{1} << 61)}};
  constexpr Time kLatest{Duration{std::int64_t{1} << 62}};
  return start >= kEarliest && start <= kLatest && duration <= kLatest - start;
}

/// Measures how long at least one of many events runs. Events may be added in any order. Intervals that overlap or
/// touch are merged from time to time, so memory grows with the number of gaps between events. O(log n) per event on
/// average.
class BusyTime {
 public:
  void add(Time begin, Time end);
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] Duration length();

 private:
  void merge();

  std::vector<std::pair<Time, Time>> intervals_;
  std::size_t merged_ = 0;  ///< the first `merged_` intervals are sorted and do not overlap
  std::uint64_t count_ = 0;
};

/// Returns the total time of each kind of overhead, of the profiler itself and of CUDA. The kind with the largest total
/// is first. O(n log n).
[[nodiscard]] std::vector<OverheadUse> overhead_uses(const HostDeviceTrace& trace);

}  // namespace stepsim::ingest

#endif
