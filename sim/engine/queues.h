#ifndef STEPSIM_SIM_ENGINE_QUEUES_H
#define STEPSIM_SIM_ENGINE_QUEUES_H

#include <algorithm>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "model/base/id.h"
#include "model/base/units.h"
#include "model/cost/network/network.h"
#include "model/job/dag.h"

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

/// A lane on which tasks wait their turn: FIFO or by priority, several at a time if its
/// capacity says so, each taking its bytes from the lane's credit. Only the engine uses it.
class QueueLane {
 public:
  explicit QueueLane(const Lane& lane)
      : by_priority_(lane.order == LaneOrder::kPriority),
        capacity_(lane.capacity),
        credit_(lane.credit.count()),
        credit_left_(lane.credit.count()) {}

  /// `task` is ready and in line since `ready`.
  void enter(TaskId task, Time ready, std::int32_t priority) {
    waiting_.push(Waiting{ready, by_priority_ ? priority : 0, task});
  }

  [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }
  /// Who is first in line. Precondition: not empty.
  [[nodiscard]] TaskId first() const noexcept { return waiting_.top().task; }
  /// A place is free, somebody waits, and there is credit for the first in line.
  [[nodiscard]] bool can_serve(const Dag& dag) const noexcept {
    return running_ < capacity_ && !waiting_.empty() && has_credit_for(dag.bytes(first()));
  }

  /// Takes the first in line out and counts it as running. Precondition: can_serve().
  TaskId serve(const Dag& dag) {
    const TaskId task = first();
    waiting_.pop();
    ++running_;
    credit_left_ -= credit_ == 0 ? 0 : dag.bytes(task).count();
    served_since_freed_ = true;
    return task;
  }

  /// `task` needs its place no longer.
  void leave(TaskId task, Time now) noexcept {
    --running_;
    note_freed(task, now);
  }
  /// `by` gave back the credit that a task of this lane took. Nothing on a lane without credit.
  void give_back(Bytes bytes, TaskId by, Time now) noexcept {
    if (credit_ == 0) return;
    credit_left_ += bytes.count();
    note_freed(by, now);
  }
  /// Who made the last change that let somebody go on; invalid if nobody has yet. Of several at one instant, between
  /// which nobody was served, the largest id: so it does not matter in which order they are told.
  [[nodiscard]] TaskId freed_by() const noexcept { return freed_by_; }

  bool listed = false;  ///< in the engine's list of lanes that changed at this instant

 private:
  struct Waiting {
    Time ready;
    std::int32_t priority = 0;
    TaskId task;
    /// For a heap that has the first in line on top.
    friend bool operator<(const Waiting& a, const Waiting& b) noexcept {
      if (a.priority != b.priority) return a.priority > b.priority;
      return a.ready != b.ready ? a.ready > b.ready : a.task > b.task;
    }
  };

  [[nodiscard]] bool has_credit_for(Bytes bytes) const noexcept {
    return credit_ == 0 || bytes.count() <= credit_left_ || credit_left_ == credit_;
  }

  void note_freed(TaskId by, Time now) noexcept {
    const bool with_others = now == freed_at_ && !served_since_freed_;
    freed_by_ = with_others ? std::max(freed_by_, by) : by;
    freed_at_ = now;
    served_since_freed_ = false;
  }

  bool by_priority_;
  bool served_since_freed_ = false;
  std::uint32_t capacity_;
  std::uint32_t running_ = 0;
  std::int64_t credit_;
  std::int64_t credit_left_;
  TaskId freed_by_;
  Time freed_at_ = Time::min();
  std::priority_queue<Waiting> waiting_;
};

/// What the engine has to do for the tasks of a lane.
struct LaneRole {
  static constexpr std::uint32_t kNoQueue = 0xFFFFFFFFU;
  std::uint32_t queue = kNoQueue;  ///< place among the queue lanes
  ChannelId channel;               ///< valid: its tasks are messages
  [[nodiscard]] bool is_queue() const noexcept { return queue != kNoQueue; }
  [[nodiscard]] bool is_link() const noexcept { return channel.valid(); }
  [[nodiscard]] bool is_plain() const noexcept { return !is_queue() && !is_link(); }
};

}  // namespace stepsim::sim

#endif
