#ifndef STEPSIM_SIM_ENGINE_EVENT_H
#define STEPSIM_SIM_ENGINE_EVENT_H

#include <cstdint>

#include "model/base/id.h"
#include "model/base/units.h"
#include "model/cost/network/network.h"

/// What a replay by events deals with. Only the engine uses it.
namespace stepsim::sim {

/// What happens to a task, or to a message of a collective, at a time. For heaps that have the
/// earliest on top; at one instant tasks come first, the smallest number in front.
class Event {
 public:
  enum class Kind : std::uint32_t {
    kReady,    ///< the task is ready and joins its lane's queue
    kSend,     ///< the task's message is ready and goes to the network
    kBegin,    ///< the collective begins; the task is its last member
    kEnd,      ///< the task has ended
    kSent,     ///< the task's message has left its sender: its lane is free
    kArrived,  ///< a message of a collective has arrived
  };

  Event(Time time, TaskId task, Kind kind) noexcept : time_(time), number_(task.value()), kind_(kind) {}
  /// kArrived.
  Event(Time time, MessageId message) noexcept : time_(time), number_(message.value()), kind_(Kind::kArrived) {}

  [[nodiscard]] Time time() const noexcept { return time_; }
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  /// Precondition: not kArrived.
  [[nodiscard]] TaskId task() const noexcept { return TaskId{number_}; }
  /// Precondition: kArrived.
  [[nodiscard]] MessageId message() const noexcept { return MessageId{number_}; }

  friend bool operator<(const Event& a, const Event& b) noexcept {
    if (a.time_ != b.time_) return a.time_ > b.time_;
    return a.number_ != b.number_ ? a.number_ > b.number_ : a.kind_ > b.kind_;
  }

 private:
  Time time_;
  std::uint32_t number_;
  Kind kind_;
};

/// A task, or the sending half of a message, that has ended.
struct End {
  Time time;
  TaskId task;
  bool has_left = false;  ///< the message has left; its arrival is another End
};

}  // namespace stepsim::sim

#endif
