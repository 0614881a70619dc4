#ifndef STEPSIM_MODEL_CALIBRATION_SHARING_H
#define STEPSIM_MODEL_CALIBRATION_SHARING_H

#include <cstddef>

#include "model/base/units.h"

namespace stepsim {

struct PsWorkload;

/// How two workers shared a server's link, as NetworkParameters::sharing counts it.
struct SharingSeen {
  double sharing = 1;
  std::size_t samples = 0;  ///< contests that show it
  double residual = 0;      ///< median distance of a contest's own figure
};

/// A contest is a time in which exactly two workers have pushes to a server under way, none to
/// another one, so that nothing but that server's link keeps either back; one of them must get
/// eight pushes acknowledged in it, and both together four fifths of what `link` carries. What
/// the one that got less got of what the other one got, over all contests, is the sharing; a
/// difference of one push is none. O(pushes log pushes).
[[nodiscard]] SharingSeen sharing_of_pushes(const PsWorkload& workload, Bandwidth link);

}  // namespace stepsim

#endif
