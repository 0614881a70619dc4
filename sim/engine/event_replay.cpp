#include "sim/engine/replays.h"

#include <algorithm>
#include <boost/heap/d_ary_heap.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "model/cost/network/network.h"
#include "sim/engine/collective_runs.h"
#include "sim/engine/machine.h"
#include "sim/engine/queues.h"
#include "sim/engine/replay_state.h"

namespace stepsim::sim {
namespace {

/// Returns the role of each lane, and appends the lanes with a queue to `waiting`. `network` is null if recorded
/// durations are used. O(lanes).
std::vector<LaneRole> roles_of(const Dag& dag, Network* network, std::vector<QueueLane>& waiting) {
  std::vector<LaneRole> roles;
  roles.reserve(dag.lanes().size());
  for (const Lane& lane : dag.lanes()) {
    LaneRole& role = roles.emplace_back();
    const bool queues = lane.order != LaneOrder::kEdges;
    if (network != nullptr && lane.is_link()) {
      role.channel = network->channel(lane.from, lane.to, queues ? Latency::kLast : Latency::kFirst);
    }
    if (!queues) continue;
    role.queue = static_cast<std::uint32_t>(waiting.size());
    waiting.emplace_back(lane);
  }
  return roles;
}

// Heap and arity were chosen by measurement: docs/results/event-queue.csv.
using EventQueue = boost::heap::d_ary_heap<Event, boost::heap::arity<4>>;

/// If senders continue before their message arrives (NetworkModel::sender_continues_when_sent), edges of some kinds out
/// of a message wait only until the message has left. Returns true for these kinds.
bool waits_for_sent(EdgeKind kind) noexcept { return kind == EdgeKind::kProgram || kind == EdgeKind::kStream; }

/// The replay works ahead of the current time while at most this many events are pending, or as many as there are lanes
/// if that is more. The limit keeps the event queue short and in the cache.
constexpr std::size_t kMaxPendingEvents = 1000;

/// One replay. The order of events matters only for lanes with queues and for the network, so only their events go
/// through the event queue. A task that can wait for neither starts when it is ready: its end and its successors are
/// processed immediately, however far ahead in time, until enough events are pending.
class Replay {
 public:
  /// The replay calls EngineOptions::progress if `reports_progress` is set.
  Replay(ReplayState& state, bool reports_progress);
  /// Replays the tasks without predecessors in `sources`, ascending, and everything that follows from them.
  void run(std::span<const TaskId> sources);
  [[nodiscard]] std::size_t done() const noexcept { return done_; }

 private:
  void set_up_network();
  void release_sources(std::span<const TaskId> sources);
  void settle();
  void finish_instant();
  void take_events();
  void take_arrivals(Time before);
  bool serve_lanes(bool only_instant);
  void serve(QueueLane& lane);
  void on_event(const Event& event);
  void leave_lane(TaskId task);
  void give_credit_back(TaskId by, TaskId taker);

  void make_ready(TaskId task);
  void begin(TaskId task);
  void send(TaskId task);
  void on_arrival(MessageId message);
  void notify(TaskId task, const Passage& passage);
  void arrive(TaskId task, RendezvousId rendezvous);
  void begin_collective(RendezvousId rendezvous);
  void take_collectives();
  void set_finish(TaskId task, Time finish);
  void end(const End& one);
  void queue_on_lane(TaskId task);
  void list_lane(LaneId lane);

  [[nodiscard]] const LaneRole& role(TaskId task) const noexcept { return roles_[dag_.lane_id(task).index()]; }
  QueueLane& queue_of(TaskId task) noexcept { return queues_[role(task).queue]; }
  /// True for a task on a link, except members of collectives: the collective sends their messages.
  [[nodiscard]] bool is_message(TaskId task) const noexcept {
    return role(task).is_link() && !dag_.rendezvous(task).valid();
  }
  [[nodiscard]] bool is_instant(TaskId task) const {
    return !is_message(task) && machine_.duration(task) == Duration{};
  }
  [[nodiscard]] bool gives_credit_back(TaskId task) const noexcept { return dag_.returns_credit_of(task).valid(); }
  Time& start(TaskId task) noexcept { return state_.timeline.start[task.index()]; }
  Time& finish(TaskId task) noexcept { return state_.timeline.finish[task.index()]; }

  ReplayState& state_;
  const Dag& dag_;
  const Machine& machine_;
  bool reports_progress_;
  std::vector<LaneRole> roles_;  ///< indexed by lane
  std::vector<QueueLane> queues_;
  std::vector<End> ended_;             ///< a stack of ends whose successors have not been notified
  std::vector<LaneId> changed_lanes_;  ///< lanes that became free or got a waiting task at this instant
  EventQueue events_;
  std::size_t max_pending_events_;
  std::unique_ptr<Network> network_;                  ///< null if recorded durations are used
  std::optional<ProgressGuard> guard_;                ///< set only with a network
  std::optional<CollectiveRuns> collectives_;         ///< set only with a network
  std::vector<Network::Notification> notifications_;  ///< notifications for the current time
  Duration collective_overhead_{};
  bool senders_go_on_ = false;
  Time now_ = kUnknown;
  std::size_t done_ = 0;
};

Replay::Replay(ReplayState& state, bool reports_progress)
    : state_(state),
      dag_(state.dag),
      machine_(state.machine),
      reports_progress_(reports_progress),
      max_pending_events_(std::max(kMaxPendingEvents, dag_.lanes().size())) {
  set_up_network();
  roles_ = roles_of(dag_, network_.get(), queues_);
}

void Replay::set_up_network() {
  if (machine_.network() == nullptr) return;
  network_ = machine_.make_network();
  guard_.emplace(machine_.network()->name);
  collectives_.emplace(dag_, machine_, *network_, state_.options.stop);
  collective_overhead_ = machine_.cluster().network[kCollectiveOverhead];
  senders_go_on_ = machine_.network()->sender_continues_when_sent;
}

void Replay::run(std::span<const TaskId> sources) {
  release_sources(sources);
  while (true) {
    const Time from_network = network_ ? network_->next() : Time::max();
    const Time from_queue = events_.empty() ? Time::max() : events_.top().time();
    const Time before = std::exchange(now_, std::min(from_network, from_queue));
    if (now_ == Time::max()) break;
    // Stop requests are also checked here, because a few tasks can cause many messages or cross many links.
    state_.throw_if_stopped();
    if (from_network == now_) take_arrivals(before);
    finish_instant();
  }
}

void Replay::release_sources(std::span<const TaskId> sources) {
  for (const TaskId task : sources) {
    start(task) = machine_.origin(task);
    make_ready(task);
    settle();
  }
}

/// Processes all events at the current time.
void Replay::finish_instant() {
  do {
    take_events();
    if (!serve_lanes(true)) serve_lanes(false);
    settle();
  } while (!changed_lanes_.empty() || (!events_.empty() && events_.top().time() <= now_));
}

void Replay::take_events() {
  while (!events_.empty() && events_.top().time() <= now_) {
    const Event event = events_.top();
    events_.pop();
    on_event(event);
    settle();
  }
}

/// Processes the network's notifications for the current time. `before` is the time of the previous events.
void Replay::take_arrivals(Time before) {
  notifications_.clear();
  network_->advance(now_, notifications_);
  guard_->advanced(before, now_, notifications_.size());
  for (const Network::Notification& one : notifications_) {
    if (!is_of_collective(one.message)) {
      notify(task_of(one.message), one.passage);
    } else if (one.passage.arrived) {
      events_.push(Event{*one.passage.arrived, one.message});
    }
    settle();
  }
}

void Replay::on_event(const Event& event) {
  switch (event.kind()) {
    case Event::Kind::kReady: return queue_on_lane(event.task());
    case Event::Kind::kSend: return begin(event.task());
    case Event::Kind::kBegin: return begin_collective(dag_.rendezvous(event.task()));
    case Event::Kind::kSent: return leave_lane(event.task());
    case Event::Kind::kArrived: return on_arrival(event.message());
    case Event::Kind::kEnd: break;
  }
  // The event is the end of a task. This is not a separate function, for speed: most events are of this kind.
  const TaskId task = event.task();
  if (role(task).is_queue() && !is_message(task)) leave_lane(task);
  if (const TaskId taker = dag_.returns_credit_of(task); taker.valid()) give_credit_back(task, taker);
  ended_.push_back({finish(task), task});
}

void Replay::settle() {
  while (!ended_.empty()) {
    const End one = ended_.back();
    ended_.pop_back();
    end(one);
  }
}

void Replay::end(const End& one) {
  const bool in_two_parts = senders_go_on_ && is_message(one.task);
  const std::uint32_t last = dag_.first_edge(TaskId{one.task.value() + 1}).value();
  for (std::uint32_t i = dag_.first_edge(one.task).value(); i < last; ++i) {
    if (in_two_parts && waits_for_sent(dag_.edge_kind(EdgeId{i})) != one.has_left) continue;
    const TaskId next = dag_.target(EdgeId{i});
    if (state_.release(next, later(one.time, dag_.lag(EdgeId{i})), one.task)) make_ready(next);
  }
  if (!one.has_left) state_.count_done(++done_, reports_progress_);
}

void Replay::make_ready(TaskId task) {
  const LaneRole& role = this->role(task);
  if (!role.is_plain() && start(task) > now_) {
    events_.push(Event{start(task), task, role.is_queue() ? Event::Kind::kReady : Event::Kind::kSend});
  } else if (role.is_queue()) {
    queue_on_lane(task);
  } else {
    begin(task);
  }
}

void Replay::queue_on_lane(TaskId task) {
  queue_of(task).enter(task, start(task), dag_.priority(task));
  list_lane(dag_.lane_id(task));
}

void Replay::leave_lane(TaskId task) {
  queue_of(task).leave(task, now_);
  list_lane(dag_.lane_id(task));
}

void Replay::give_credit_back(TaskId by, TaskId taker) {
  if (!role(taker).is_queue()) return;
  queue_of(taker).give_back(dag_.bytes(taker), by, now_);
  list_lane(dag_.lane_id(taker));
}

void Replay::list_lane(LaneId lane) {
  if (std::exchange(queues_[roles_[lane.index()].queue].listed, true)) return;
  changed_lanes_.push_back(lane);
}

/// Gives the free places of every changed lane to the first tasks of its queue. If `only_instant`, serves only lanes
/// whose first task takes no time, so that the tasks it releases are queued before the other lanes choose. Returns
/// whether any task was served.
bool Replay::serve_lanes(bool only_instant) {
  std::size_t kept = 0;
  bool served = false;
  for (const LaneId id : changed_lanes_) {
    QueueLane& lane = queues_[roles_[id.index()].queue];
    const bool can_serve = lane.can_serve(dag_);
    if (can_serve && only_instant && !is_instant(lane.first())) {
      changed_lanes_[kept++] = id;
      continue;
    }
    if (can_serve) serve(lane);
    served = served || can_serve;
    // The lane stays in the list, because another place may be free.
    if (lane.can_serve(dag_)) {
      changed_lanes_[kept++] = id;
    } else {
      lane.listed = false;
    }
  }
  changed_lanes_.resize(kept);
  return served;
}

void Replay::serve(QueueLane& lane) {
  const TaskId task = lane.serve(dag_);
  if (start(task) < now_) state_.timeline.released_by[task.index()] = Release{Release::By::kLane, lane.freed_by()};
  start(task) = now_;
  begin(task);
}

void Replay::begin(TaskId task) {
  if (const RendezvousId rendezvous = dag_.rendezvous(task); rendezvous.valid()) {
    arrive(task, rendezvous);
  } else if (role(task).is_link()) {
    send(task);
  } else {
    set_finish(task, later(start(task), machine_.duration(task)));
  }
}

/// Hands a message to the network. Precondition: it is ready and first in its queue at the current time.
void Replay::send(TaskId task) {
  if (collectives_->has_foreseen_run()) {
    collectives_->send_foreseen_messages(now_);
    take_collectives();
  }
  notify(task, network_->start(message_of(task), role(task).channel, dag_.bytes(task), now_));
}

/// Processes what the network reports of the message: when it has left, when it has arrived, or both.
void Replay::notify(TaskId task, const Passage& passage) {
  if (passage.sent) {
    if (role(task).is_queue()) events_.push(Event{*passage.sent, task, Event::Kind::kSent});
    if (senders_go_on_) ended_.push_back({*passage.sent, task, true});
  }
  if (!passage.arrived) return;
  finish(task) = *passage.arrived;
  if (gives_credit_back(task)) {
    events_.push(Event{*passage.arrived, task, Event::Kind::kEnd});
  } else {
    ended_.push_back({*passage.arrived, task});
  }
}

void Replay::arrive(TaskId task, RendezvousId rendezvous) {
  if (!state_.arrive(task, rendezvous, start(task))) return;
  const Time last = state_.last_arrival(rendezvous);
  if (collectives_ && collectives_->expands(rendezvous)) {
    const Time begin = later(last, collective_overhead_);
    events_.push(Event{std::max(begin, now_), task, Event::Kind::kBegin});
    return;
  }
  for (const TaskId member : dag_.members(rendezvous)) set_finish(member, later(last, machine_.duration(member)));
}

void Replay::begin_collective(RendezvousId rendezvous) {
  collectives_->begin(rendezvous, now_);
  take_collectives();
}

void Replay::on_arrival(MessageId message) {
  collectives_->arrived(message, now_);
  take_collectives();
}

void Replay::take_collectives() {
  for (const auto& [message, time] : collectives_->known()) {
    events_.push(Event{time, message});
  }
  for (const TaskId task : collectives_->done()) set_finish(task, now_);
  collectives_->clear();
}

void Replay::set_finish(TaskId task, Time finished) {
  finish(task) = finished;
  const bool is_far = finished > now_ && events_.size() >= max_pending_events_;
  if (is_far || role(task).is_queue() || gives_credit_back(task)) {
    events_.push(Event{finished, task, Event::Kind::kEnd});
  } else {
    ended_.push_back({finished, task});
  }
}

}  // namespace

std::size_t replay_events(ReplayState& state, std::span<const TaskId> sources, bool reports_progress) {
  Replay replay{state, reports_progress};
  replay.run(sources);
  return replay.done();
}

}  // namespace stepsim::sim
