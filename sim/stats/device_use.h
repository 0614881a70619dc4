#ifndef STEPSIM_SIM_STATS_DEVICE_USE_H
#define STEPSIM_SIM_STATS_DEVICE_USE_H

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "sim/analysis/intervals.h"
#include "sim/stats/measured_work.h"

namespace stepsim::sim {

/// A set of instants as sorted intervals that do not touch each other. begin is included, end is not, so lengths add
/// up to the nanosecond.
class IntervalSet {
 public:
  IntervalSet() = default;
  /// The instants that at least one of `intervals` covers; empty and reversed ones cover none.
  /// O(n) if they are sorted by begin, else O(n log n).
  explicit IntervalSet(std::vector<Interval> intervals);

  [[nodiscard]] const std::vector<Interval>& intervals() const noexcept { return intervals_; }
  [[nodiscard]] bool empty() const noexcept { return intervals_.empty(); }
  [[nodiscard]] Duration length() const noexcept;

 private:
  std::vector<Interval> intervals_;
};

/// What is in one of them at least. O(a + b).
[[nodiscard]] IntervalSet united(const IntervalSet& a, const IntervalSet& b);

/// Length of what is in both. O(a + b).
[[nodiscard]] Duration common_length(const IntervalSet& a, const IntervalSet& b) noexcept;

/// How a device's time divides, in time by the clock: what runs at once counts once.
///
///     span = compute + exposed communication + exposed copies + idle
///
/// exactly. Compute goes before communication, and both before copies, so what is hidden is hidden behind those
/// before it. `idle` is when nothing runs. Of a stream, `compute` and the rest are what runs on that stream, hidden
/// behind what any stream of the device does, and `idle` is when nothing runs on it.
struct TimeUse {
  Duration span{};  ///< of the device, from its first work's start to its last one's end
  Duration compute{};
  Duration exposed_communication{};
  Duration hidden_communication{};
  Duration exposed_copies{};
  Duration hidden_copies{};
  Duration idle{};

  [[nodiscard]] Duration communication() const noexcept { return exposed_communication + hidden_communication; }
};

/// A device, or, of a rank without one, its host: there what its threads and operators do is the compute.
struct DeviceUse {
  struct Stream {
    std::string name;
    std::size_t pieces = 0;
    TimeUse use;
  };
  Rank rank = 0;
  std::int32_t device = -1;    ///< index; -1: the rank's host
  bool has_operators = false;  ///< its compute is framework operators, with no finer view of them
  std::size_t pieces = 0;
  Time begin;
  TimeUse use;
  std::vector<Stream> streams;  ///< by name, natural order
};

/// By rank and device. Empty where nothing was measured. O(pieces log pieces), O(pieces) where those of a lane are in
/// order of time.
[[nodiscard]] std::vector<DeviceUse> device_use(const MeasuredWork& work);

}  // namespace stepsim::sim

#endif
