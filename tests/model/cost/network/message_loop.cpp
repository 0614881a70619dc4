#include "tests/model/cost/network/message_loop.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

namespace stepsim::testing {
namespace {

class Loop {
 public:
  Loop(const NetworkModel& model, const Cluster& cluster, const Dag& dag)
      : goes_on_(model.sender_continues_when_sent),
        network_(model.make(cluster)),
        dag_(dag),
        pending_(dag.in_degrees().begin(), dag.in_degrees().end()),
        ready_(dag.task_count()),
        finish_(dag.task_count()),
        free_(dag.lanes().size()) {}

  std::vector<Time> run() {
    for (std::size_t i = 0; i < dag_.task_count(); ++i) {
      if (pending_[i] == 0) events_.emplace(Time{}, true, TaskId{i});
    }
    while (true) {
      const Time network = network_->next();
      if (events_.empty() && network == Time::max()) return finish_;
      if (events_.empty() || network <= std::get<0>(events_.top())) {
        take_told(network);
      } else {
        take_event();
      }
    }
  }

 private:
  void take_told(Time now) {
    std::vector<Network::Notification> notifications;
    network_->advance(now, notifications);
    for (const Network::Notification& one : notifications) end_at(TaskId{one.message.index()}, one.passage);
  }

  void take_event() {
    const auto [now, starts, task] = events_.top();
    events_.pop();
    if (starts) {
      start(task, now);
    } else {
      release(task, now, false);
    }
  }

  void start(TaskId task, Time now) {
    const Lane& lane = dag_.lane(task);
    if (!lane.from.valid()) {
      Time& free = free_[dag_.lane_id(task).index()];
      const Time begin = lane.order == LaneOrder::kFifo ? std::max(now, free) : now;
      free = begin + dag_.duration(task);
      end_at(task, {free, free});
      return;
    }
    const ChannelId channel = network_->channel(lane.from, lane.to, Latency::kFirst);
    end_at(task, network_->start(MessageId{task.index()}, channel, dag_.bytes(task), now));
  }

  void end_at(TaskId task, const Passage& passage) {
    if (passage.sent && goes_on_ && dag_.lane(task).from.valid()) release(task, *passage.sent, true);
    if (!passage.arrived) return;
    finish_[task.index()] = *passage.arrived;
    events_.emplace(*passage.arrived, false, task);
  }

  void release(TaskId task, Time from, bool has_left) {
    for (std::size_t i = 0; i < dag_.successors(task).size(); ++i) {
      const EdgeId edge{dag_.first_edge(task).index() + i};
      const bool waits_for_sent = goes_on_ && dag_.lane(task).from.valid() && dag_.edge_kind(edge) == EdgeKind::kStream;
      if (waits_for_sent != has_left) continue;
      const TaskId next = dag_.target(edge);
      Time& ready = ready_[next.index()];
      ready = std::max(ready, from);
      if (--pending_[next.index()] == 0) events_.emplace(ready, true, next);
    }
  }

  bool goes_on_;
  std::unique_ptr<Network> network_;
  const Dag& dag_;
  std::vector<std::uint32_t> pending_;
  std::vector<Time> ready_;
  std::vector<Time> finish_;
  std::vector<Time> free_;                       ///< by lane
  using Event = std::tuple<Time, bool, TaskId>;  ///< ends before starts, then by id
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace

std::vector<Passage> send_all(const NetworkModel& model, const Cluster& cluster, const std::vector<Sending>& sendings) {
  const std::unique_ptr<Network> network = model.make(cluster);
  std::vector<Passage> passages(sendings.size());
  std::vector<std::size_t> order(sendings.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return sendings[a].at < sendings[b].at; });
  std::vector<Network::Notification> notifications;
  // Processes the network's events up to `until`. Like the engine, it calls next() again only after all messages that
  // start at that instant.
  const auto take_until = [&](Time until) {
    for (Time next = network->next(); next <= until && next != Time::max(); next = network->next()) {
      network->advance(next, notifications);
      if (next == until) return;
    }
  };
  Time reached = Time::min();
  for (const std::size_t i : order) {
    const Sending& one = sendings[i];
    const Time now{Duration{one.at}};
    if (std::exchange(reached, now) != now) take_until(now);
    const ChannelId channel = network->channel(one.from, one.to, one.latency);
    notifications.push_back({MessageId{i}, network->start(MessageId{i}, channel, Bytes{one.bytes}, now)});
  }
  take_until(Time::max());
  for (const Network::Notification& one : notifications) {
    Passage& passage = passages[one.message.index()];
    if (one.passage.sent) passage.sent = one.passage.sent;
    if (one.passage.arrived) passage.arrived = one.passage.arrived;
  }
  return passages;
}

std::vector<Time> finishes(const NetworkModel& model, const Cluster& cluster, const Dag& dag) {
  return Loop{model, cluster, dag}.run();
}

std::int64_t makespan_ns(const NetworkModel& model, const Cluster& cluster, const Dag& dag) {
  const std::vector<Time> ends = finishes(model, cluster, dag);
  return std::max_element(ends.begin(), ends.end())->time_since_epoch().count();
}

}  // namespace stepsim::testing
