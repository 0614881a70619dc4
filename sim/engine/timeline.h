#ifndef STEPSIM_SIM_ENGINE_TIMELINE_H
#define STEPSIM_SIM_ENGINE_TIMELINE_H

#include <cstdint>
#include <vector>

#include "model/base/id.h"
#include "model/base/units.h"

namespace stepsim::sim {

/// Who let a task start when it did. 4 bytes.
class Release {
 public:
  enum class By : std::uint8_t {
    kNothing,  ///< the task had no predecessor: it started when the replay did
    kEdge,     ///< its last predecessor ended (plus the edge's lag)
    kLane,     ///< it was ready before; the task in front of it on its lane ended: queueing
  };
  constexpr Release() noexcept = default;
  constexpr Release(By by, TaskId task) noexcept
      : value_(by == By::kNothing ? kNone : (task.value() << 1U | (by == By::kLane ? 1U : 0U))) {}
  [[nodiscard]] constexpr By by() const noexcept {
    return value_ == kNone ? By::kNothing : (value_ & 1U) != 0U ? By::kLane : By::kEdge;
  }
  /// Precondition: by() is not kNothing.
  [[nodiscard]] constexpr TaskId task() const noexcept { return TaskId{value_ >> 1U}; }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  std::uint32_t value_ = kNone;  // so at most 2^31 - 1 tasks
};

/// When every task of a replay started and ended, and what released it: columns by TaskId.
/// Times count from the start of the replay. A member of a rendezvous starts when it arrives;
/// its last duration() nanoseconds are the transfer, what lies before is waiting.
struct Timeline {
  std::vector<Time> start;
  std::vector<Time> finish;
  std::vector<Release> released_by;
  /// By RendezvousId: the member that arrived last and so released the others.
  std::vector<TaskId> last_arrival;

  [[nodiscard]] std::size_t size() const noexcept { return start.size(); }
};

}  // namespace stepsim::sim

#endif
