#include "sim/analysis/inserted_period.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace stepsim::sim {
namespace {

/// The tasks of each lane, in order.
std::vector<std::vector<TaskId>> tasks_of_lanes(const Dag& dag) {
  std::vector<std::vector<TaskId>> tasks(dag.lanes().size());
  for (const TaskId task : dag.tasks()) tasks[dag.lane_id(task).index()].push_back(task);
  return tasks;
}

/// How much a task of the longer job moves with each repetition.
struct Move {
  Duration start{};
  Duration finish{};
  bool is_later = false;  ///< true from the first task of its lane that has other times in the shorter job
};

/// Compares two replays, lane by lane.
class InsertedPeriod {
 public:
  InsertedPeriod(const Dag& before, const Timeline& times_before, const Dag& after, const Timeline& times_after)
      : before_(before),
        times_before_(times_before),
        after_(after),
        times_after_(times_after),
        moves_(after.task_count()) {}

  std::optional<Duration> period() {
    if (before_.lanes().size() != after_.lanes().size()) return std::nullopt;
    const std::vector<std::vector<TaskId>> shorter = tasks_of_lanes(before_);
    const std::vector<std::vector<TaskId>> longer = tasks_of_lanes(after_);
    for (std::size_t lane = 0; lane < longer.size(); ++lane) {
      if (after_.lanes()[lane].order != LaneOrder::kEdges || !compare(shorter[lane], longer[lane])) return std::nullopt;
    }
    if (!edges_hold() || !collectives_hold()) return std::nullopt;
    Duration most{};
    for (const Move& move : moves_) most = std::max(most, move.is_later ? move.finish : Duration{});
    return most == period_.value_or(most) ? std::optional{most} : std::nullopt;
  }

 private:
  [[nodiscard]] bool is_alike(TaskId before, TaskId after) const {
    return before_.kind(before) == after_.kind(after) && before_.name(before) == after_.name(after);
  }
  [[nodiscard]] Move moved(TaskId before, TaskId after) const {
    return {times_after_.start[after.index()] - times_before_.start[before.index()],
            times_after_.finish[after.index()] - times_before_.finish[before.index()]};
  }

  /// Sets the moves of a lane's tasks.
  bool compare(const std::vector<TaskId>& shorter, const std::vector<TaskId>& longer) {
    if (longer.size() < shorter.size()) return false;
    const std::size_t more = longer.size() - shorter.size();
    std::size_t first = 0;  // the first task with other times
    for (; first < shorter.size(); ++first) {
      const Move move = moved(shorter[first], longer[first]);
      if (!is_alike(shorter[first], longer[first]) || move.start != Duration{} || move.finish != Duration{}) break;
    }
    if (first < 2 * more) return false;
    for (std::size_t i = more; i < longer.size(); ++i) {
      const TaskId task = longer[i];
      const bool is_alike_task = is_alike(shorter[i - more], task);
      if (i + more >= first && !is_alike_task) return false;
      if (!is_alike_task) continue;  // before the steady part
      Move move = moved(shorter[i - more], task);
      move.is_later = i >= first;
      moves_[task.index()] = move;
      if (i + more >= first && !moves_alike(task, move)) return false;
    }
    return true;
  }

  /// True if a task takes as long in each repetition, and is at the pace of the others whose times depend on it in
  /// other ways than edges.
  bool moves_alike(TaskId task, const Move& move) {
    const bool is_shared = after_.kind(task) == TaskKind::kKernel || after_.rendezvous(task).valid();
    if (!after_.rendezvous(task).valid() && move.start != move.finish) return false;
    if (!is_shared) return move.finish >= Duration{};
    if (!period_) period_ = move.finish;
    return move.start == *period_ && move.finish == *period_;
  }

  [[nodiscard]] bool edges_hold() const {
    for (const TaskId task : after_.tasks()) {
      for (const TaskId next : after_.successors(task)) {
        const Move& move = moves_[next.index()];
        if (move.is_later && moves_[task.index()].finish > move.start) return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool collectives_hold() const {
    for (const RendezvousId rendezvous : after_.all_rendezvous()) {
      Duration latest = Duration::min();
      Duration earliest = Duration::max();
      for (const TaskId member : after_.members(rendezvous)) {
        const Move& move = moves_[member.index()];
        latest = std::max(latest, move.start);
        if (move.is_later) earliest = std::min(earliest, move.finish);
      }
      if (latest > earliest) return false;
    }
    return true;
  }

  const Dag& before_;
  const Timeline& times_before_;
  const Dag& after_;
  const Timeline& times_after_;
  std::vector<Move> moves_;         ///< by task of the longer job
  std::optional<Duration> period_;  ///< how much kernels and collectives move
};

}  // namespace

std::optional<Duration> inserted_period(const Dag& before, const Timeline& times_before, const Dag& after,
                                        const Timeline& times_after) {
  return InsertedPeriod(before, times_before, after, times_after).period();
}

}  // namespace stepsim::sim
