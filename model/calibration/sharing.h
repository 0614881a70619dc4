#ifndef STEPSIM_MODEL_CALIBRATION_SHARING_H
#define STEPSIM_MODEL_CALIBRATION_SHARING_H

#include <cstddef>

#include "model/base/units.h"

namespace stepsim {

struct PsWorkload;

/// How two workers shared a server's link, as kSharing (model/cost/network/maxmin.h) counts it.
struct SharingSeen {
  double sharing = 1;
  std::size_t samples = 0;  ///< contests that show it
  double residual = 0;      ///< median distance of a contest's own figure
};

/// A contest is a time in which exactly two workers have pushes to one server under way and none to
/// another, so that only that server's link holds them back. In it, one of them must get eight
/// pushes acknowledged, and both together four fifths of what `link` carries. The sharing is what
/// the slower one got, divided by what the faster one got, over all contests; a difference of one
/// push counts as none. O(pushes log pushes).
[[nodiscard]] SharingSeen sharing_of_pushes(const PsWorkload& workload, Bandwidth link);

}  // namespace stepsim

#endif
