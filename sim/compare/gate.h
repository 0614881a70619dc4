#ifndef STEPSIM_SIM_COMPARE_GATE_H
#define STEPSIM_SIM_COMPARE_GATE_H

#include <string>

#include "sim/compare/difference.h"

namespace stepsim::sim {

/// Whether B may pass: it fails if it is slower than A by more than `limit`, and by so much more that the noise of the
/// steps does not explain it. Where the noise is not known, the difference alone decides.
struct Gate {
  double limit = 0;  ///< a share of A's iteration: 0.03
  bool failed = false;
  std::string sentence;  ///< the verdict and why, for people
};

/// Throws UsageError if a side has no iteration. Precondition: `limit` is not negative.
[[nodiscard]] Gate gate_of(const Difference& difference, double limit);

}  // namespace stepsim::sim

#endif
