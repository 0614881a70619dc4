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

/// Data structures of the event-driven replay. Only the engine uses them.
namespace stepsim::sim {

/// Something that happens to a task, or to a message of a collective, at a given time. Events are ordered for heaps
/// with the earliest event on top. At equal times, tasks come before messages, and smaller numbers come first.
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
  /// Makes a kArrived event.
  Event(Time time, MessageId message) noexcept : time_(time), number_(message.value()), kind_(Kind::kArrived) {}

  [[nodiscard]] Time time() const noexcept { return time_; }
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  /// Returns the task of the event. Precondition: the kind is not kArrived.
  [[nodiscard]] TaskId task() const noexcept { return TaskId{number_}; }
  /// Returns the message of the event. Precondition: the kind is kArrived.
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

/// The end of a task, or of the sending half of a message.
struct End {
  Time time;
  TaskId task;
  bool has_left = false;  ///< true if the message has left; its arrival is then another End
};

/// A lane on which tasks queue, FIFO or by priority. It runs up to `capacity` tasks at a time, and each takes its bytes
/// from the lane's credit. Only the engine uses it.
class QueueLane {
 public:
  explicit QueueLane(const Lane& lane)
      : by_priority_(lane.order == LaneOrder::kPriority),
        capacity_(lane.capacity),
        credit_(lane.credit.count()),
        credit_left_(lane.credit.count()) {}

  /// Adds `task`, which became ready at `ready`, to the queue.
  void enter(TaskId task, Time ready, std::int32_t priority) {
    waiting_.push(Waiting{ready, by_priority_ ? priority : 0, task});
  }

  [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }
  /// Returns the first task in the queue. Precondition: not empty.
  [[nodiscard]] TaskId first() const noexcept { return waiting_.top().task; }
  /// True if a place is free, a task waits, and there is enough credit for the first task.
  [[nodiscard]] bool can_serve(const Dag& dag) const noexcept {
    return running_ < capacity_ && !waiting_.empty() && has_credit_for(dag.bytes(first()));
  }

  /// Removes the first task from the queue and counts it as running. Precondition: can_serve().
  TaskId serve(const Dag& dag) {
    const TaskId task = first();
    waiting_.pop();
    ++running_;
    credit_left_ -= credit_ == 0 ? 0 : dag.bytes(task).count();
    served_since_freed_ = true;
    return task;
  }

  /// Frees the place of `task`.
  void leave(TaskId task, Time now) noexcept {
    --running_;
    note_freed(task, now);
  }
  /// Gives back the credit of a task of this lane; `by` is the task that gives it back. Does nothing on a lane without
  /// credit.
  void give_back(Bytes bytes, TaskId by, Time now) noexcept {
    if (credit_ == 0) return;
    credit_left_ += bytes.count();
    note_freed(by, now);
  }
  /// Returns the task whose end or returned credit last let a waiting task start; invalid if there was none. If several
  /// did so at one instant with no start between them, it is the one with the largest id, so the order of the calls
  /// does not matter.
  [[nodiscard]] TaskId freed_by() const noexcept { return freed_by_; }

  bool listed = false;  ///< true if in the engine's list of lanes that changed at this instant

 private:
  struct Waiting {
    Time ready;
    std::int32_t priority = 0;
    TaskId task;
    /// Ordered for a heap with the first task in the queue on top.
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

/// How the engine handles the tasks of a lane.
struct LaneRole {
  static constexpr std::uint32_t kNoQueue = 0xFFFFFFFFU;
  std::uint32_t queue = kNoQueue;  ///< index into the queue lanes
  ChannelId channel;               ///< channel of the lane's messages; invalid if its tasks are not messages
  [[nodiscard]] bool is_queue() const noexcept { return queue != kNoQueue; }
  [[nodiscard]] bool is_link() const noexcept { return channel.valid(); }
  [[nodiscard]] bool is_plain() const noexcept { return !is_queue() && !is_link(); }
};

}  // namespace stepsim::sim

#endif
