#include "sim/engine.h"

#include <algorithm>
#include <boost/heap/d_ary_heap.hpp>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

#include "model/text.h"

namespace stepsim::sim {
namespace {

/// Before a task is known to start or end.
constexpr Time kUnknown = Time::min();
/// Sums of hostile durations stop here instead of overflowing; half the range, so that the
/// difference of two times is still a Duration.
constexpr Time kEndOfTime{Duration{std::numeric_limits<std::int64_t>::max() / 2}};

constexpr Time later(Time time, Duration duration) noexcept {
  return time > kEndOfTime - duration ? kEndOfTime : time + duration;
}

/// A task at a time: the end of one that runs on a FIFO lane, or one that becomes ready for
/// it. For heaps that have the earliest on top: the order is that of the engine.
struct Event {
  Time time;
  TaskId task;
  friend bool operator<(const Event& a, const Event& b) noexcept {
    return a.time != b.time ? a.time > b.time : a.task > b.task;
  }
};
// Kind and arity were measured: docs/performance.md, "Event queue".
using EventQueue = boost::heap::d_ary_heap<Event, boost::heap::arity<4>>;

struct FifoLane {
  EventQueue waiting;  ///< by the time they were ready
  TaskId current;      ///< the task that runs, or ran last
  bool busy = false;
  bool listed = false;  ///< in Replay::changed_lanes_
};

/// One replay. Only FIFO lanes make the order of events matter: they alone go through the
/// event queue. A task that cannot wait for a lane starts when it is ready, so its end and
/// what that releases are worked out at once, however far ahead in time.
class Replay {
 public:
  Replay(const Dag& dag, const Machine& machine, const EngineOptions& options);
  Timeline run();

 private:
  void release_sources();
  void settle();
  void next_instant();
  bool serve_lanes(bool only_instant);
  void serve(FifoLane& lane);
  void on_event(TaskId task);

  void make_ready(TaskId task);
  void begin(TaskId task);
  void arrive(TaskId task, RendezvousId rendezvous);
  void set_finish(TaskId task, Time finish);
  void end(TaskId task);
  void queue_on_lane(TaskId task);
  void list_lane(LaneId lane);
  void count_done();
  [[noreturn]] void report_deadlock() const;

  bool is_fifo(TaskId task) const noexcept { return fifo_index_[dag_.lane_id(task).index()] != kNotFifo; }
  FifoLane& fifo_lane(LaneId lane) noexcept { return fifo_lanes_[fifo_index_[lane.index()]]; }
  Time& start(TaskId task) noexcept { return timeline_.start[task.index()]; }
  Time& finish(TaskId task) noexcept { return timeline_.finish[task.index()]; }

  static constexpr std::uint32_t kNotFifo = 0xFFFFFFFFU;

  const Dag& dag_;
  const Machine& machine_;
  const EngineOptions& options_;
  Timeline timeline_;
  std::vector<std::uint32_t> pending_;     ///< predecessors that have not ended, by task
  std::vector<std::uint32_t> absent_;      ///< members that have not started, by rendezvous
  std::vector<std::uint32_t> fifo_index_;  ///< by lane: its place in fifo_lanes_
  std::vector<FifoLane> fifo_lanes_;
  std::vector<TaskId> ended_;          ///< a stack: ends whose successors are to be told
  std::vector<LaneId> changed_lanes_;  ///< got free or a waiting task at this instant
  EventQueue events_;
  Time now_ = kUnknown;
  std::size_t done_ = 0;
};

Replay::Replay(const Dag& dag, const Machine& machine, const EngineOptions& options)
    : dag_(dag), machine_(machine), options_(options), pending_(dag.in_degrees().begin(), dag.in_degrees().end()) {
  timeline_.start.assign(dag.task_count(), kUnknown);
  timeline_.finish.assign(dag.task_count(), kUnknown);
  timeline_.released_by.resize(dag.task_count());
  timeline_.last_arrival.resize(dag.rendezvous_count());
  for (std::size_t i = 0; i < dag.rendezvous_count(); ++i) {
    absent_.push_back(static_cast<std::uint32_t>(dag.members(RendezvousId{i}).size()));
  }
  std::uint32_t fifo_count = 0;
  for (const Lane& lane : dag.lanes()) {
    fifo_index_.push_back(lane.order == LaneOrder::kFifo ? fifo_count++ : kNotFifo);
  }
  fifo_lanes_.resize(fifo_count);
}

Timeline Replay::run() {
  release_sources();
  while (!events_.empty()) next_instant();
  if (done_ != dag_.task_count()) report_deadlock();
  return std::move(timeline_);
}

void Replay::release_sources() {
  for (std::size_t i = 0; i < dag_.task_count(); ++i) {
    if (dag_.in_degrees()[i] != 0) continue;
    start(TaskId{i}) = machine_.origin(TaskId{i});
    make_ready(TaskId{i});
    settle();
  }
}

void Replay::next_instant() {
  now_ = events_.top().time;
  do {
    while (!events_.empty() && events_.top().time == now_) {
      const TaskId task = events_.top().task;
      events_.pop();
      on_event(task);
      settle();
    }
    if (!serve_lanes(true)) serve_lanes(false);
    settle();
  } while (!changed_lanes_.empty());
}

void Replay::on_event(TaskId task) {
  if (finish(task) == kUnknown) {
    queue_on_lane(task);
    return;
  }
  fifo_lane(dag_.lane_id(task)).busy = false;
  list_lane(dag_.lane_id(task));
  ended_.push_back(task);
}

void Replay::settle() {
  while (!ended_.empty()) {
    const TaskId task = ended_.back();
    ended_.pop_back();
    end(task);
  }
}

void Replay::end(TaskId task) {
  const Time finished = finish(task);
  const std::size_t last = dag_.first_edge(TaskId{task.index() + 1}).index();
  for (std::size_t i = dag_.first_edge(task).index(); i < last; ++i) {
    const TaskId next = dag_.target(EdgeId{i});
    const Time ready = later(finished, dag_.lag(EdgeId{i}));
    Release& release = timeline_.released_by[next.index()];
    if (ready > start(next) || (ready == start(next) && task < release.task())) {
      start(next) = ready;
      release = Release{Release::By::kEdge, task};
    }
    if (--pending_[next.index()] == 0) make_ready(next);
  }
  count_done();
}

void Replay::make_ready(TaskId task) {
  if (!is_fifo(task)) {
    begin(task);
  } else if (start(task) > now_) {
    events_.push(Event{start(task), task});
  } else {
    queue_on_lane(task);
  }
}

void Replay::queue_on_lane(TaskId task) {
  const LaneId lane = dag_.lane_id(task);
  fifo_lane(lane).waiting.push(Event{start(task), task});
  list_lane(lane);
}

void Replay::list_lane(LaneId lane) {
  if (std::exchange(fifo_lane(lane).listed, true)) return;
  changed_lanes_.push_back(lane);
}

/// Gives every free lane the task that is first in line; with `only_instant`, where that task
/// takes no time: what it releases is then in line when the other lanes choose.
bool Replay::serve_lanes(bool only_instant) {
  std::size_t kept = 0;
  bool served = false;
  for (const LaneId id : changed_lanes_) {
    FifoLane& lane = fifo_lane(id);
    const bool can_serve = !lane.busy && !lane.waiting.empty();
    if (can_serve && only_instant && machine_.duration(lane.waiting.top().task) != Duration{}) {
      changed_lanes_[kept++] = id;
      continue;
    }
    lane.listed = false;
    if (can_serve) serve(lane);
    served = served || can_serve;
  }
  changed_lanes_.resize(kept);
  return served;
}

void Replay::serve(FifoLane& lane) {
  const TaskId task = lane.waiting.top().task;
  lane.waiting.pop();
  if (start(task) < now_) timeline_.released_by[task.index()] = Release{Release::By::kLane, lane.current};
  start(task) = now_;
  lane.current = task;
  lane.busy = true;
  begin(task);
}

void Replay::begin(TaskId task) {
  if (const RendezvousId rendezvous = dag_.rendezvous(task); rendezvous.valid()) {
    arrive(task, rendezvous);
  } else {
    set_finish(task, later(start(task), machine_.duration(task)));
  }
}

void Replay::arrive(TaskId task, RendezvousId rendezvous) {
  TaskId& last = timeline_.last_arrival[rendezvous.index()];
  if (!last.valid() || start(task) > start(last) || (start(task) == start(last) && task < last)) last = task;
  if (--absent_[rendezvous.index()] != 0) return;
  for (const TaskId member : dag_.members(rendezvous)) {
    set_finish(member, later(start(last), machine_.duration(member)));
  }
}

void Replay::set_finish(TaskId task, Time finished) {
  finish(task) = finished;
  if (is_fifo(task)) {
    events_.push(Event{finished, task});
  } else {
    ended_.push_back(task);
  }
}

void Replay::count_done() {
  constexpr std::size_t kEvery = 1U << 16U;
  if (++done_ % kEvery != 0) return;
  if (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed)) throw Interrupted();
  if (options_.progress) options_.progress(done_);
}

void Replay::report_deadlock() const {
  constexpr std::size_t kNamed = 4;
  std::string names;
  std::size_t named = 0;
  for (std::size_t i = 0; i < dag_.task_count() && named < kNamed; ++i) {
    const bool waits = timeline_.last_arrival.empty() || !dag_.rendezvous(TaskId{i}).valid()
                           ? false
                           : pending_[i] == 0 && timeline_.finish[i] == kUnknown;
    if (!waits) continue;
    names += (named++ == 0 ? "" : ", ") + shown(dag_.name(TaskId{i})) + " on " + shown(dag_.lane(TaskId{i}).name) +
             " of rank " + std::to_string(dag_.lane(TaskId{i}).rank);
  }
  throw DeadlockError("collectives wait for each other's lanes and none can end: " + names);
}

}  // namespace

Timeline replay(const Dag& dag, const Machine& machine, const EngineOptions& options) {
  return Replay{dag, machine, options}.run();
}

}  // namespace stepsim::sim
