#include "tests/property/fluid_reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include "model/cost/network/maxmin.h"
#include "model/cost/network/network.h"

namespace stepsim::testing {
namespace {

using Real = long double;
constexpr Real kNever = std::numeric_limits<Real>::infinity();
constexpr Real kClear = 1e-4L;  ///< bytes
constexpr Real kSerial = 0x1p-40L;

/// The state that all messages between two endpoints share. They have the same weight, and so the same rate.
struct Pair {
  EndpointId from;
  Route links;
  Duration latency{};
  std::size_t moving = 0;  ///< messages that are transferring bytes
  Real weight = 1;
  Real rate = 0;  ///< bytes per nanosecond, for each message
};

/// A message whose bytes are moving.
struct Moving {
  TaskId task;
  Pair* pair = nullptr;
  Real left = 0;  ///< bytes
};

/// The queue of a link: the senders whose messages are in transit over it.
struct Queue {
  std::set<std::pair<Time, EndpointId>> senders;         ///< by the time at which they joined
  std::map<EndpointId, std::pair<Time, int>> under_way;  ///< when the sender joined, and the number of its messages
};

class Fluid {
 public:
  Fluid(const Dag& dag, const Cluster& cluster)
      : dag_(dag),
        cluster_(cluster),
        sharing_(std::max(static_cast<Real>(cluster.network[kSharing]), kSerial)),
        queues_(cluster.links.size()),
        waits_for_(dag.in_degrees().begin(), dag.in_degrees().end()),
        ready_(dag.task_count()) {
    ends_.finish.resize(dag.task_count());
  }

  FluidEnds run() {
    for (std::size_t i = 0; i < dag_.task_count(); ++i) {
      if (waits_for_[i] == 0) events_.emplace(Time{}, What::kStart, TaskId{i});
    }
    while (!events_.empty() || !moving_.empty()) {
      advance();
      // Ends are processed before starts, so a sender whose last message has left loses its place in the queue first.
      while (!events_.empty() && std::get<0>(events_.top()) == now_) take_event();
      fill();
    }
    return std::move(ends_);
  }

 private:
  enum class What { kEnd, kStart, kMove };
  using Event = std::tuple<Time, What, TaskId>;

  /// Moves bytes up to the next event or the next end of a message, and ends the messages that have left by then.
  void advance() {
    Real first = events_.empty() ? kNever : static_cast<Real>((std::get<0>(events_.top()) - now_).count());
    for (const Moving& one : moving_) first = std::min(first, std::round(one.left / one.pair->rate));
    record_unclear_ends(first);
    now_ += Duration{static_cast<std::int64_t>(first)};
    std::vector<Moving> rest;
    for (Moving one : moving_) {
      one.left -= first * one.pair->rate;
      if (one.left > one.pair->rate / 2) {
        rest.push_back(one);
      } else {
        leave(one);
      }
    }
    moving_ = std::move(rest);
  }

  /// Lowers clear_until if a message ends so close to the middle between two adjacent nanoseconds that kClear bytes
  /// decide between them.
  void record_unclear_ends(Real wait) {
    for (const Moving& one : moving_) {
      for (const Real middle : {wait - 0.5L, wait + 0.5L}) {
        if (std::abs(one.left - middle * one.pair->rate) > kClear) continue;
        ends_.clear_until = std::min(ends_.clear_until, now_ + Duration{static_cast<std::int64_t>(wait) - 1});
      }
    }
  }

  void leave(const Moving& one) {
    --one.pair->moving;
    for (const LinkId link : one.pair->links) {
      Queue& queue = queues_[link.index()];
      auto& [since, messages] = queue.under_way.at(one.pair->from);
      if (--messages > 0) continue;
      queue.senders.erase({since, one.pair->from});
      queue.under_way.erase(one.pair->from);
    }
    const bool latency_last = dag_.lane(one.task).order != LaneOrder::kEdges;
    events_.emplace(now_ + (latency_last ? one.pair->latency : Duration{}), What::kEnd, one.task);
  }

  void take_event() {
    const auto [time, what, task] = events_.top();
    events_.pop();
    if (what == What::kEnd) {
      end(task);
    } else if (what == What::kMove) {
      Pair& pair = pair_of(task);
      ++pair.moving;
      moving_.push_back({task, &pair, static_cast<Real>(dag_.bytes(task).count())});
    } else if (dag_.lane(task).is_link()) {
      hand_over(task);
    } else {
      events_.emplace(now_ + dag_.duration(task), What::kEnd, task);
    }
  }

  void end(TaskId task) {
    ends_.finish[task.index()] = now_;
    for (std::size_t e = dag_.first_edge(task).index(); e < dag_.first_edge(TaskId{task.index() + 1}).index(); ++e) {
      const TaskId next = dag_.target(EdgeId{e});
      ready_[next.index()] = std::max(ready_[next.index()], now_ + dag_.lag(EdgeId{e}));
      if (--waits_for_[next.index()] == 0) events_.emplace(ready_[next.index()], What::kStart, next);
    }
  }

  void hand_over(TaskId task) {
    Pair& pair = pair_of(task);
    const bool latency_last = dag_.lane(task).order != LaneOrder::kEdges;
    const Time moves = now_ + cluster_.network[kMessageOverhead] + (latency_last ? Duration{} : pair.latency);
    if (pair.links.empty() || dag_.bytes(task) == Bytes{}) {
      events_.emplace(moves + (latency_last ? pair.latency : Duration{}), What::kEnd, task);
      return;
    }
    for (const LinkId link : pair.links) {
      Queue& queue = queues_[link.index()];
      auto& [since, messages] = queue.under_way.try_emplace(pair.from, now_, 0).first->second;
      ++messages;
      queue.senders.emplace(since, pair.from);
    }
    events_.emplace(moves, What::kMove, task);
  }

  Pair& pair_of(TaskId task) {
    const Lane& lane = dag_.lane(task);
    const auto [found, is_new] = pairs_.try_emplace({lane.from, lane.to});
    if (!is_new) return found->second;
    found->second.from = lane.from;
    found->second.links = cluster_.route(lane.from, lane.to).value();
    for (const LinkId link : found->second.links) found->second.latency += cluster_.links[link.index()].latency;
    return found->second;
  }

  /// Returns the pair's weight: sharing^k, where k is the largest number of senders ahead of it in the queue of any
  /// link of its route.
  [[nodiscard]] Real weight_of(const Pair& pair) const {
    std::ptrdiff_t ahead = 0;
    for (const LinkId link : pair.links) {
      const Queue& queue = queues_[link.index()];
      const auto place = queue.senders.find({queue.under_way.at(pair.from).first, pair.from});
      ahead = std::max(ahead, std::distance(queue.senders.begin(), place));
    }
    return std::pow(sharing_, static_cast<Real>(ahead));
  }

  /// Computes max-min fair rates by weight: repeatedly takes the link with the least rate per unit of weight, and
  /// fixes the rates of the messages that cross it.
  void fill() {
    std::vector<Real> room;
    for (const Link& link : cluster_.links) room.push_back(static_cast<Real>(link.goodput().bytes_per_second()) / 1e9L);
    std::vector<Real> weight(room.size());
    std::vector<std::vector<Pair*>> crossing(room.size());
    for (auto& [endpoints, pair] : pairs_) {
      if (pair.moving == 0) continue;
      pair.rate = -1;  // the rate is not fixed yet
      pair.weight = weight_of(pair);
      for (const LinkId link : pair.links) {
        crossing[link.index()].push_back(&pair);
        weight[link.index()] += static_cast<Real>(pair.moving) * pair.weight;
      }
    }
    std::vector<std::size_t> open;
    for (std::size_t link = 0; link < room.size(); ++link) {
      if (!crossing[link].empty()) open.push_back(link);
    }
    while (!open.empty()) {
      const auto level = [&](std::size_t link) { return room[link] / weight[link]; };
      const auto narrow =
          std::min_element(open.begin(), open.end(), [&](auto a, auto b) { return level(a) < level(b); });
      fix(crossing[*narrow], level(*narrow), room);
      std::vector<std::size_t> still_open;
      for (const std::size_t link : open) {
        weight[link] = 0;
        for (const Pair* pair : crossing[link]) {
          if (pair->rate < 0) weight[link] += static_cast<Real>(pair->moving) * pair->weight;
        }
        if (weight[link] > 0) still_open.push_back(link);
      }
      open = std::move(still_open);
    }
  }

  static void fix(const std::vector<Pair*>& pairs, Real level, std::vector<Real>& room) {
    for (Pair* pair : pairs) {
      if (pair->rate >= 0) continue;
      pair->rate = pair->weight * level;
      for (const LinkId link : pair->links) {
        room[link.index()] = std::max<Real>(room[link.index()] - static_cast<Real>(pair->moving) * pair->rate, 0);
      }
    }
  }

  const Dag& dag_;
  const Cluster& cluster_;
  Real sharing_;
  std::vector<Queue> queues_;  ///< by link
  std::vector<std::uint32_t> waits_for_;
  std::vector<Time> ready_;
  std::map<std::pair<EndpointId, EndpointId>, Pair> pairs_;
  std::vector<Moving> moving_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  Time now_{};
  FluidEnds ends_;
};

}  // namespace

FluidEnds fluid_ends(const Dag& dag, const Cluster& cluster) { return Fluid{dag, cluster}.run(); }

}  // namespace stepsim::testing
