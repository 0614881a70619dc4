#include "sim/engine/progress_guard.h"

#include <fmt/format.h>

#include "model/base/error.h"

namespace stepsim::sim {

void ProgressGuard::fail(Time before, Time now) const {
  const auto nanoseconds = [](Time time) { return time.time_since_epoch().count(); };
  if (now < before) {
    throw InternalError(fmt::format("network model {} goes back in time: to an event at {} ns when it is {} ns", model_,
                                    nanoseconds(now), nanoseconds(before)));
  }
  throw InternalError(fmt::format("network model {} does not get on: {} events at {} ns without news of any message",
                                  model_, kMostQuietEvents, nanoseconds(now)));
}

}  // namespace stepsim::sim
