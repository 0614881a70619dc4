#ifndef STEPSIM_SIM_ENGINE_TIMELINE_H
#define STEPSIM_SIM_ENGINE_TIMELINE_H

#include <cstdint>
#include <vector>

#include "model/base/id.h"
#include "model/base/units.h"

namespace stepsim::sim {

/// The task that determined the start of another one, and how it did so. Takes 4 bytes.
class Release {
 public:
  enum class By : std::uint8_t {
    kNothing,  ///< the task had no predecessor: it started at Machine::origin()
    kEdge,     ///< its last predecessor ended (plus the edge's lag)
    kLane,     ///< queueing: the task was ready, and started when another one left its lane or returned credit
  };
  constexpr Release() noexcept = default;
  constexpr Release(By by, TaskId task) noexcept
      : value_(by == By::kNothing ? kNone : (task.value() << 1U | (by == By::kLane ? 1U : 0U))) {}
  [[nodiscard]] constexpr By by() const noexcept {
    return value_ == kNone ? By::kNothing : (value_ & 1U) != 0U ? By::kLane : By::kEdge;
  }
  /// Returns the task that released this one. Precondition: by() is not kNothing.
  [[nodiscard]] constexpr TaskId task() const noexcept { return TaskId{value_ >> 1U}; }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  std::uint32_t value_ = kNone;  // limits a replay to 2^31 - 1 tasks
};

/// The start and end of every task of a replay, and what released it, in columns by TaskId. Times are relative to the
/// start of the replay. A member of a rendezvous starts when it arrives and waits until the last member has arrived;
/// then the transfer begins.
struct Timeline {
  std::vector<Time> start;
  std::vector<Time> finish;
  std::vector<Release> released_by;
  /// The member of each rendezvous that arrived last and so released the others, by RendezvousId.
  std::vector<TaskId> last_arrival;

  [[nodiscard]] std::size_t size() const noexcept { return start.size(); }
};

}  // namespace stepsim::sim

#endif
