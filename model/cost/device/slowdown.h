#ifndef STEPSIM_MODEL_COST_DEVICE_SLOWDOWN_H
#define STEPSIM_MODEL_COST_DEVICE_SLOWDOWN_H

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "model/base/id.h"
#include "model/base/units.h"
#include "model/job/dag.h"
#include "model/job/kernel_class.h"

/// Kernels run more slowly while communication runs on their device, because it uses multiprocessors, memory bandwidth
/// and cache. The model is piecewise: a kernel runs at speed 1 while it is alone, and at 1 / factor while its rank
/// communicates. For example, with a factor of 2, a kernel of 10 ms that does half of its work during communication
/// takes 15 ms.
namespace stepsim {

/// How much slower kernels of one class run during communication than alone.
struct Slowdown {
  KernelClass kernel_class = KernelClass::kUnknown;
  std::size_t kernels = 0;  ///< number of kernels that were seen both ways
  double factor = 1;        ///< median over these kernels of the time during communication divided by the time alone
  double low = 1;           ///< 10th percentile of the same ratio
  double high = 1;          ///< 90th percentile of the same ratio
};

/// Returns how much slower kernels of each class usually run beside NCCL's collectives: 1.2 times, from 1 to 1.45
/// times, with Slowdown::kernels = 0. Products and convolutions of three captures on A100 take 1.14 to 1.32 times as
/// long, other classes 0.99 to 1.5 times (docs/results/kernels-during-communication.csv).
[[nodiscard]] std::vector<Slowdown> usual_slowdowns();

/// A time interval that includes its begin but not its end.
struct Stretch {
  Time begin;
  Time end;
};

/// The times at which something runs: ordered intervals that do not touch.
class BusyTimes {
 public:
  BusyTimes() = default;
  /// Merges intervals, which can be in any order and overlap. O(n log n).
  explicit BusyTimes(std::vector<Stretch> stretches);

  /// Returns how much of an interval is busy. O(log n + busy intervals in it).
  [[nodiscard]] Duration within(Stretch stretch) const;
  /// Returns the duration of work that begins at `begin`, takes `alone` nanoseconds alone and runs at 1 / `factor` of
  /// its speed in busy times. This is the inverse of alone_in(), rounded to a nanosecond, at most 146 years. O(log n +
  /// busy intervals in it). Precondition: factor >= 1, alone >= 0.
  [[nodiscard]] Duration duration_of(Time begin, double alone, double factor) const;

 private:
  [[nodiscard]] std::vector<Stretch>::const_iterator first_after(Time time) const;

  std::vector<Stretch> stretches_;
};

/// Returns the nanoseconds that work would take alone, if it took `duration` and overlapped communication for `busy` of
/// this time.
[[nodiscard]] double alone_in(double duration, double busy, double factor) noexcept;

/// Returns when each rank's collectives occupy its device, for given times of the tasks of `dag` (recorded or
/// replayed). A collective also occupies the device while it waits for other ranks. A message between two ranks does
/// not: most of the time it waits for its sender, on one or two of the multiprocessors. O(tasks + n log n) for n
/// collectives.
[[nodiscard]] std::map<Rank, BusyTimes> device_communication(const Dag& dag, std::span<const Time> start,
                                                             std::span<const Time> finish);

/// True for a kernel on a device's stream, which communication can slow down.
[[nodiscard]] bool is_stream_kernel(const Dag& dag, TaskId task) noexcept;

}  // namespace stepsim

#endif
