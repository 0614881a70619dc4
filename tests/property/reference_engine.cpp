#include "tests/property/reference_engine.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace stepsim::testing {
namespace {

struct State {
  std::optional<Time> start;
  std::optional<Time> finish;
  bool ended = false;
};

/// A change of a lane: the task `by` left the lane or returned credit to it. Changes are ordered by time, then by the
/// number of tasks that the lane had served before, then by task.
struct Change {
  Time time = Time::min();
  std::uint32_t served = 0;
  TaskId by;
  friend auto operator<=>(const Change&, const Change&) = default;
};

struct LaneState {
  std::uint32_t served = 0;
  Change last_change;
};

class Reference {
 public:
  Reference(const Dag& dag, const sim::Machine& machine)
      : dag_(dag),
        machine_(machine),
        state_(dag.task_count()),
        lanes_(dag.lanes().size()),
        released_by_(dag.task_count()) {
    for (std::size_t i = 0; i < dag.task_count(); ++i) {
      if (const TaskId taker = dag.returns_credit_of(TaskId{i}); taker.valid()) givers_.emplace_back(taker, TaskId{i});
    }
    for (std::size_t from = 0; from < dag.task_count(); ++from) {
      for (std::size_t e = dag.first_edge(TaskId{from}).index(); e < dag.first_edge(TaskId{from + 1}).index(); ++e) {
        in_.emplace_back(from, e);
      }
    }
  }

  std::optional<sim::Timeline> run() {
    for (std::optional<Time> now = next_instant({}); now; now = next_instant(now)) {
      do {
        while (end_tasks(*now) || start_free_tasks(*now) || end_rendezvous()) {
        }
      } while (serve_lanes(*now, true) || serve_lanes(*now, false));
    }
    const bool all_ended = std::all_of(state_.begin(), state_.end(), [](const State& s) { return s.ended; });
    return all_ended ? std::optional{timeline()} : std::nullopt;
  }

 private:
  /// Returns when the task may start, or nothing while a predecessor has not ended.
  [[nodiscard]] std::optional<Time> ready(std::size_t task) const {
    if (dag_.in_degrees()[task] == 0) return machine_.origin(TaskId{task});
    Time latest = Time::min();
    for (const auto& [from, edge] : in_) {
      if (dag_.target(EdgeId{edge}).index() != task) continue;
      if (!state_[from].ended) return {};
      latest = std::max(latest, *state_[from].finish + dag_.lag(EdgeId{edge}));
    }
    return latest;
  }

  [[nodiscard]] bool queues(std::size_t task) const { return dag_.lane(TaskId{task}).order != LaneOrder::kEdges; }

  [[nodiscard]] std::optional<Time> next_instant(std::optional<Time> now) const {
    std::optional<Time> next;
    const auto consider = [&](std::optional<Time> time) {
      if (time && (!now || *time > *now) && (!next || *time < *next)) next = time;
    };
    for (std::size_t i = 0; i < state_.size(); ++i) {
      if (!state_[i].start) consider(ready(i));
      if (!state_[i].ended) consider(state_[i].finish);
    }
    return next;
  }

  bool end_tasks(Time now) {
    bool changed = false;
    for (std::size_t i = 0; i < state_.size(); ++i) {
      State& state = state_[i];
      if (state.ended || !state.finish || *state.finish > now) continue;
      state.ended = changed = true;
      note_change(dag_.lane_id(TaskId{i}), TaskId{i}, now);
      for (const auto& [taker, giver] : givers_) {
        const LaneId lane = dag_.lane_id(taker);
        if (giver.index() == i && dag_.lane(lane).credit != Bytes{}) note_change(lane, giver, now);
      }
    }
    return changed;
  }

  void start(std::size_t task, Time now) {
    state_[task].start = now;
    if (!dag_.rendezvous(TaskId{task}).valid()) state_[task].finish = now + machine_.duration(TaskId{task});
  }

  bool start_free_tasks(Time now) {
    bool changed = false;
    for (std::size_t i = 0; i < state_.size(); ++i) {
      if (queues(i) || state_[i].start) continue;
      const std::optional<Time> since = ready(i);
      if (!since || *since > now) continue;
      start(i, now);
      changed = true;
    }
    return changed;
  }

  bool end_rendezvous() {
    bool changed = false;
    for (std::size_t r = 0; r < dag_.rendezvous_count(); ++r) {
      const auto last = last_arrival(r);
      if (!last || state_[last->index()].finish) continue;
      for (const TaskId member : dag_.members(RendezvousId{r})) {
        state_[member.index()].finish = *state_[last->index()].start + machine_.duration(member);
      }
      changed = true;
    }
    return changed;
  }

  [[nodiscard]] std::optional<TaskId> last_arrival(std::size_t rendezvous) const {
    std::optional<TaskId> last;
    for (const TaskId member : dag_.members(RendezvousId{rendezvous})) {
      if (!state_[member.index()].start) return {};
      if (!last || *state_[member.index()].start > *state_[last->index()].start) last = member;
    }
    return last;
  }

  /// Records that the task `by` left the lane or returned credit to it.
  void note_change(LaneId lane, TaskId by, Time now) {
    LaneState& state = lanes_[lane.index()];
    state.last_change = std::max(state.last_change, Change{now, state.served, by});
  }

  [[nodiscard]] bool returns_credit(TaskId taker) const {
    return std::any_of(givers_.begin(), givers_.end(),
                       [&](const auto& pair) { return pair.first == taker && state_[pair.second.index()].ended; });
  }

  /// Returns the number of tasks on the lane that have started and not ended.
  [[nodiscard]] std::uint32_t running(LaneId lane) const {
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < state_.size(); ++i) {
      if (dag_.lane_id(TaskId{i}) == lane && state_[i].start && !state_[i].ended) ++count;
    }
    return count;
  }

  [[nodiscard]] bool has_credit_for(TaskId task) const {
    const LaneId lane = dag_.lane_id(task);
    Bytes taken{};
    for (std::size_t i = 0; i < state_.size(); ++i) {
      if (dag_.lane_id(TaskId{i}) == lane && state_[i].start && !returns_credit(TaskId{i}))
        taken += dag_.bytes(TaskId{i});
    }
    const Bytes credit = dag_.lane(lane).credit;
    return credit == Bytes{} || taken == Bytes{} || taken + dag_.bytes(task) <= credit;
  }

  /// Whether `a` precedes `b` in the lane's order. Precondition: both are ready.
  [[nodiscard]] bool before(std::size_t a, std::size_t b) const {
    const bool by_priority = dag_.lane(TaskId{a}).order == LaneOrder::kPriority;
    const auto place = [&](std::size_t task) {
      return std::tuple{by_priority ? dag_.priority(TaskId{task}) : 0, *ready(task), task};
    };
    return place(a) < place(b);
  }

  [[nodiscard]] std::optional<std::size_t> first_in_line(LaneId lane, Time now) const {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < state_.size(); ++i) {
      if (dag_.lane_id(TaskId{i}) != lane || state_[i].start) continue;
      const std::optional<Time> since = ready(i);
      if (since && *since <= now && (!first || before(i, *first))) first = i;
    }
    return first;
  }

  bool serve_lanes(Time now, bool only_instant) {
    bool changed = false;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const LaneId lane{i};
      if (dag_.lane(lane).order == LaneOrder::kEdges || running(lane) >= dag_.lane(lane).capacity) continue;
      const std::optional<std::size_t> chosen = first_in_line(lane, now);
      if (!chosen || !has_credit_for(TaskId{*chosen})) continue;
      if (only_instant && machine_.duration(TaskId{*chosen}) != Duration{}) continue;
      released_by_[*chosen] = lanes_[i].last_change.by;
      ++lanes_[i].served;
      start(*chosen, now);
      changed = true;
    }
    return changed;
  }

  [[nodiscard]] sim::Release release(std::size_t task) const {
    if (*state_[task].start > *ready(task)) return {sim::Release::By::kLane, released_by_[task]};
    for (const auto& [from, edge] : in_) {  // edges are sorted by `from`, so the smallest id is found first
      if (dag_.target(EdgeId{edge}).index() != task) continue;
      if (*state_[from].finish + dag_.lag(EdgeId{edge}) == *ready(task)) return {sim::Release::By::kEdge, TaskId{from}};
    }
    return {};
  }

  [[nodiscard]] sim::Timeline timeline() const {
    sim::Timeline result;
    for (std::size_t i = 0; i < state_.size(); ++i) {
      result.start.push_back(*state_[i].start);
      result.finish.push_back(*state_[i].finish);
      result.released_by.push_back(release(i));
    }
    for (std::size_t r = 0; r < dag_.rendezvous_count(); ++r) {
      result.last_arrival.push_back(last_arrival(r).value_or(TaskId{}));
    }
    return result;
  }

  const Dag& dag_;
  const sim::Machine& machine_;
  std::vector<State> state_;
  std::vector<LaneState> lanes_;
  std::vector<TaskId> released_by_;  ///< the task that made the lane's last change before this one was served
  std::vector<std::pair<TaskId, TaskId>> givers_;        ///< (taker, giver)
  std::vector<std::pair<std::size_t, std::size_t>> in_;  ///< (source, edge), ascending
};

}  // namespace

std::optional<sim::Timeline> reference_replay(const Dag& dag, const sim::Machine& machine) {
  return Reference{dag, machine}.run();
}

}  // namespace stepsim::testing
