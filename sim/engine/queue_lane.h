#ifndef STEPSIM_SIM_ENGINE_QUEUE_LANE_H
#define STEPSIM_SIM_ENGINE_QUEUE_LANE_H

#include <algorithm>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "model/job/dag.h"

namespace stepsim::sim {

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

}  // namespace stepsim::sim

#endif
