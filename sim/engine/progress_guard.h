#ifndef STEPSIM_SIM_ENGINE_PROGRESS_GUARD_H
#define STEPSIM_SIM_ENGINE_PROGRESS_GUARD_H

#include <cstddef>
#include <string_view>

#include "model/base/units.h"

namespace stepsim::sim {

/// Sees to it that a network model gets on (Network::advance in model/cost/network/network.h): its
/// time never goes back, and an event moves the clock or tells of a message. Without it a mistake
/// in a model, say a rate that is no number, would be a replay that never ends. O(1) an event.
class ProgressGuard {
 public:
  /// Events without news that a model may have at one instant, one after the other.
  static constexpr std::size_t kMostQuietEvents = 1000;

  /// `model` is its name, and must outlive the guard.
  explicit ProgressGuard(std::string_view model) noexcept : model_(model) {}

  /// The replay was at `before`, the model was advanced to `now` and has told of `told` messages.
  /// Throws InternalError, which names the model and the instant.
  void advanced(Time before, Time now, std::size_t told) {
    if (now > before || (now == before && told > 0)) {
      quiet_ = 0;
    } else if (now < before || ++quiet_ == kMostQuietEvents) {
      fail(before, now);
    }
  }

 private:
  [[noreturn]] void fail(Time before, Time now) const;

  std::string_view model_;
  std::size_t quiet_ = 0;
};

}  // namespace stepsim::sim

#endif
