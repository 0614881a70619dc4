#include "capture/session/schedule.h"

namespace stepsim::capture {

wire::Phase Schedule::phase_of(std::uint64_t number) const noexcept {
  if (number < skip_first) return wire::Phase::kWait;
  std::uint64_t at = number - skip_first;
  if (active > 0) {
    const std::uint64_t cycle = wait + warm_up + active;
    if (repeat > 0 && at / cycle >= repeat) return wire::Phase::kDone;
    at %= cycle;
  }
  if (at < wait) return wire::Phase::kWait;
  return at - wait < warm_up ? wire::Phase::kWarmUp : wire::Phase::kActive;
}

}  // namespace stepsim::capture
