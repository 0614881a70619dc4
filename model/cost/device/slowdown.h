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

/// Kernels go on more slowly while communication runs beside them on their device: it takes multiprocessors, memory
/// bandwidth and cache from them. The law is piecewise: a kernel's work passes at speed 1 while it is alone, and at
/// 1 / factor while its rank communicates. A kernel of 10 ms, half of whose work is done beside communication that
/// doubles its time, takes 15 ms.
namespace stepsim {

/// By how much kernels of one class take longer beside communication than alone.
struct Slowdown {
  KernelClass kernel_class = KernelClass::kUnknown;
  std::size_t kernels = 0;  ///< how many were seen both ways
  double factor = 1;        ///< the median over these kernels of beside / alone
  double low = 1;           ///< a tenth of them have less than this
  double high = 1;          ///< and a tenth more
};

/// A stretch of time, begin included, end not.
struct Stretch {
  Time begin;
  Time end;
};

/// When something runs: stretches in order and apart from each other.
class BusyTimes {
 public:
  BusyTimes() = default;
  /// Of stretches in any order, which may overlap. O(n log n).
  explicit BusyTimes(std::vector<Stretch> stretches);

  /// How much of a stretch is busy. O(log n + busy stretches in it).
  [[nodiscard]] Duration within(Stretch stretch) const;
  /// How long work takes that begins at `begin`, would take `alone` nanoseconds by itself and goes on at 1 / `factor`
  /// of its speed in busy times: the inverse of alone_in(), to the nearest nanosecond, at most 146 years. O(as above).
  /// Precondition: factor >= 1, alone >= 0.
  [[nodiscard]] Duration duration_of(Time begin, double alone, double factor) const;

 private:
  [[nodiscard]] std::vector<Stretch>::const_iterator first_after(Time time) const;

  std::vector<Stretch> stretches_;
};

/// The time alone, in nanoseconds, of work that took `duration`, the part `busy` of it beside communication.
[[nodiscard]] double alone_in(double duration, double busy, double factor) noexcept;

/// When each rank's collectives are on its device, by columns of times of `dag`'s tasks: recorded or replayed ones. A
/// collective that waits for other ranks holds its place as one that transfers does. O(tasks + collectives log).
[[nodiscard]] std::map<Rank, BusyTimes> device_communication(const Dag& dag, std::span<const Time> start,
                                                             std::span<const Time> finish);

/// A kernel on a device's stream: what communication can slow.
[[nodiscard]] bool is_stream_kernel(const Dag& dag, TaskId task) noexcept;

}  // namespace stepsim

#endif
