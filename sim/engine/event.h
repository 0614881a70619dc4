#ifndef STEPSIM_SIM_ENGINE_EVENT_H
#define STEPSIM_SIM_ENGINE_EVENT_H

#include <cstdint>

#include "model/base/id.h"
#include "model/base/units.h"

/// What a replay by events deals with. Only the engine uses it.
namespace stepsim::sim {

/// What happens to a task (or to a message of a collective) at a time. For heaps that have the
/// earliest on top: the order is that of the engine.
struct Event {
  enum class Kind : std::uint32_t {
    kInLine,   ///< it is ready and stands in line
    kSend,     ///< the message is ready and goes to the network
    kBegin,    ///< the collective begins whose last member it is
    kEnd,      ///< it has ended
    kLeft,     ///< the message has left its sender: its lane is free
    kArrived,  ///< the message of a collective is there; `task` is its number
  };
  Time time;
  TaskId task;
  Kind kind = Kind::kInLine;
  friend bool operator<(const Event& a, const Event& b) noexcept {
    if (a.time != b.time) return a.time > b.time;
    return a.task != b.task ? a.task > b.task : a.kind > b.kind;
  }
};

/// A task, or the sending half of a message, that has ended.
struct End {
  Time time;
  TaskId task;
  bool has_left = false;  ///< the message has left; its arrival is another End
};

}  // namespace stepsim::sim

#endif
