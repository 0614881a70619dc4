#include "tests/property/reference_engine.h"

#include <algorithm>
#include <optional>

namespace stepsim::testing {
namespace {

struct State {
  std::optional<Time> start;
  std::optional<Time> finish;
  bool ended = false;
};

class Reference {
 public:
  Reference(const Dag& dag, const sim::Machine& machine)
      : dag_(dag),
        machine_(machine),
        state_(dag.task_count()),
        lane_before_(dag.lanes().size()),
        before_(dag.task_count()) {
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
  /// When the task may start; nothing while a predecessor has not ended.
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

  [[nodiscard]] bool fifo(std::size_t task) const { return dag_.lane(TaskId{task}).order == LaneOrder::kFifo; }

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
    for (State& state : state_) {
      if (state.ended || !state.finish || *state.finish > now) continue;
      state.ended = changed = true;
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
      if (fifo(i) || state_[i].start) continue;
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

  [[nodiscard]] bool busy(std::size_t lane) const {
    for (std::size_t i = 0; i < state_.size(); ++i) {
      if (dag_.lane_id(TaskId{i}).index() == lane && state_[i].start && !state_[i].ended) return true;
    }
    return false;
  }

  bool serve_lanes(Time now, bool only_instant) {
    bool changed = false;
    for (std::size_t lane = 0; lane < dag_.lanes().size(); ++lane) {
      if (dag_.lanes()[lane].order != LaneOrder::kFifo || busy(lane)) continue;
      std::optional<std::size_t> chosen;
      for (std::size_t i = 0; i < state_.size(); ++i) {
        if (dag_.lane_id(TaskId{i}).index() != lane || state_[i].start) continue;
        const std::optional<Time> since = ready(i);
        if (since && *since <= now && (!chosen || *since < *ready(*chosen))) chosen = i;
      }
      if (!chosen || (only_instant && machine_.duration(TaskId{*chosen}) != Duration{})) continue;
      before_[*chosen] = lane_before_[lane];
      lane_before_[lane] = TaskId{*chosen};
      start(*chosen, now);
      changed = true;
    }
    return changed;
  }

  [[nodiscard]] sim::Release release(std::size_t task) const {
    if (*state_[task].start > *ready(task)) return {sim::Release::By::kLane, before_[task]};
    for (const auto& [from, edge] : in_) {  // ascending by `from`: the first of equals
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
  std::vector<TaskId> lane_before_;
  std::vector<TaskId> before_;                           ///< the task that the lane ran before this one
  std::vector<std::pair<std::size_t, std::size_t>> in_;  ///< (source, edge), ascending
};

}  // namespace

std::optional<sim::Timeline> reference_replay(const Dag& dag, const sim::Machine& machine) {
  return Reference{dag, machine}.run();
}

}  // namespace stepsim::testing
