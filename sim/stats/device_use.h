#ifndef STEPSIM_SIM_STATS_DEVICE_USE_H
#define STEPSIM_SIM_STATS_DEVICE_USE_H

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "sim/analysis/intervals.h"
#include "sim/stats/measured_work.h"

namespace stepsim::sim {

/// A set of times, stored as sorted intervals that do not touch. Intervals include their begin and exclude their end,
/// so lengths add up to the nanosecond.
class IntervalSet {
 public:
  IntervalSet() = default;
  /// Covers the times in at least one of `intervals`; empty and reversed ones are ignored. O(n) if they are sorted by
  /// begin, else O(n log n).
  explicit IntervalSet(std::vector<Interval> intervals);

  [[nodiscard]] const std::vector<Interval>& intervals() const noexcept { return intervals_; }
  [[nodiscard]] bool empty() const noexcept { return intervals_.empty(); }
  [[nodiscard]] Duration length() const noexcept;

 private:
  std::vector<Interval> intervals_;
};

/// Returns the union. O(a + b).
[[nodiscard]] IntervalSet united(const IntervalSet& a, const IntervalSet& b);

/// Returns the length of the intersection. O(a log b + the intervals of `b` that touch one of `a`).
[[nodiscard]] Duration common_length(const IntervalSet& a, const IntervalSet& b) noexcept;

/// How a device's wall-clock time is divided. Work that runs in parallel counts once, so this sum is exact:
///
///     span = compute + exposed communication + exposed copies + idle
///
/// Communication is hidden while compute runs; copies are hidden while compute or communication runs. `idle` is the
/// time when nothing runs. For a single stream, `compute` and the other parts are the work of that stream, hidden by
/// the work of any stream of the device, and `idle` is the time when the stream does nothing.
struct TimeUse {
  Duration span{};  ///< time of the device from the start of its first work to the end of its last
  Duration compute{};
  Duration exposed_communication{};
  Duration hidden_communication{};
  Duration exposed_copies{};
  Duration hidden_copies{};
  Duration idle{};

  [[nodiscard]] Duration communication() const noexcept { return exposed_communication + hidden_communication; }
};

/// The use of a device. For a rank without a device it is the use of its host, and the work of threads and operators
/// counts as compute.
struct DeviceUse {
  struct Stream {
    std::string name;
    std::size_t pieces = 0;
    TimeUse use;
  };
  Rank rank = 0;
  std::int32_t device = -1;    ///< index of the device; -1 for the rank's host
  bool has_operators = false;  ///< its compute is framework operators, because kernels were not recorded
  std::size_t pieces = 0;
  Time begin;
  TimeUse use;
  std::vector<Stream> streams;  ///< sorted by name, in natural order
};

/// Returns the use by rank and device. The result is empty if nothing was measured. O(pieces log pieces), or O(pieces)
/// if the pieces of each lane are in order of time.
[[nodiscard]] std::vector<DeviceUse> device_use(const MeasuredWork& work);

}  // namespace stepsim::sim

#endif
