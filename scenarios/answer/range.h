#ifndef STEPSIM_SCENARIOS_ANSWER_RANGE_H
#define STEPSIM_SCENARIOS_ANSWER_RANGE_H

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/units.h"
#include "sim/analysis/step_spread.h"

namespace stepsim::scenarios {

/// A source of uncertainty of a value, and the range that it alone would give.
template <class Value>
struct RangeSource {
  std::string_view name;  ///< name of the source in interval_sources.cpp: "steps", "sharing"
  std::string reason;     ///< reason as a sentence without the period
  Value low{};            ///< low <= the value <= high
  Value high{};
  /// The range of the change against the captured job that it gives, as factors of that change. None if the uncertainty
  /// is about the captured steps, whatever the plan: a comparison with them can be more precise than the answer.
  sim::Factors change{};
  bool of_step_times = false;  ///< true if found from the times of the captured steps; such sources are not independent
};

/// A predicted value, and the range in which the real one is expected: low <= mid <= high. A step time, a change of it,
/// the knee of a sweep, an amount of memory.
template <class Value>
struct Range {
  Value low{};
  Value mid{};
  Value high{};
  std::vector<RangeSource<Value>> sources{};  ///< those that apply; a source without effect has width 0
  /// How many times as wide, in logarithms, as the sources give it: what measured answers of this kind were found to
  /// need (Evidence::factor).
  double factor = 1;

  friend bool operator==(const Range& a, const Range& b) {
    return a.low == b.low && a.mid == b.mid && a.high == b.high;
  }
};

/// Returns how wide a range of times is: the logarithm of high / low; 0 if low is 0.
[[nodiscard]] inline double width_of(Duration low, Duration high) noexcept {
  return low > Duration{} ? std::log(static_cast<double>(high.count()) / static_cast<double>(low.count())) : 0;
}

}  // namespace stepsim::scenarios

#endif
