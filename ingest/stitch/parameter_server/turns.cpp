#include "ingest/stitch/parameter_server/tasks.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/parts/successors.h"
#include "model/base/known_diagnostics.h"

namespace stepsim::ingest {
namespace {

/// BytePS's stage threads poll their queues. In our runs they slept for up to 0.3 ms between two polls.
constexpr Duration kPolling{300'000};

void sort_by_start(const Assembly& assembly, std::vector<TaskId>& tasks) {
  std::stable_sort(tasks.begin(), tasks.end(), [&](TaskId a, TaskId b) {
    return std::tie(assembly.start[a.index()], assembly.finish[a.index()]) <
           std::tie(assembly.start[b.index()], assembly.finish[b.index()]);
  });
}

/// Returns when the last predecessor of each task ended, lags included.
std::vector<Time> ready_times(Assembly& assembly) {
  std::vector<Time> ready(assembly.start.size(), Time::min());
  for (const DagBuilder::Edge& edge : assembly.builder.edges()) {
    Time& latest = ready[edge.to.index()];
    latest = std::max(latest, assembly.finish[edge.from.index()] + edge.lag);
  }
  return ready;
}

}  // namespace

void take_turns(Assembly& assembly, const std::vector<TaskId>& in_order) {
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    const TaskId task = in_order[i];
    Time& start = assembly.start[task.index()];
    const Time finish = assembly.finish[task.index()];
    if (i > 0) {
      const Time turn = assembly.finish[in_order[i - 1].index()];
      assembly.add_edge(in_order[i - 1], task, EdgeKind::kStream);
      if (start < turn) start = std::min(turn, finish);
    }
    assembly.builder.set_duration(task, finish - start);
  }
}

void follow(PsTasks& tasks, TaskId from, TaskId to, EdgeKind kind) {
  tasks.link(from, to, kind);
  Assembly& out = tasks.out;
  const Time finish = out.finish[to.index()];
  Time& start = out.start[to.index()];
  if (start >= out.finish[from.index()]) return;
  start = std::min(out.finish[from.index()], finish);
  out.builder.set_duration(to, finish - start);
}

bool one_at_a_time(std::vector<std::pair<Time, Time>> spans) {
  std::sort(spans.begin(), spans.end());
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].first < spans[i - 1].second - kClockGrain) return false;
    spans[i].second = std::max(spans[i].second, spans[i - 1].second);
  }
  return true;
}

void let_take_turns(Assembly& assembly, std::vector<TaskId> tasks) {
  std::vector<std::pair<Time, Time>> spans;
  spans.reserve(tasks.size());
  for (const TaskId task : tasks) spans.emplace_back(assembly.start[task.index()], assembly.finish[task.index()]);
  if (!one_at_a_time(std::move(spans))) return;
  sort_by_start(assembly, tasks);
  take_turns(assembly, tasks);
}

void order_lanes(PsTasks& tasks) {
  Assembly& out = tasks.out;
  std::vector<std::vector<TaskId>> by_lane(out.builder.lane_count());
  for (std::size_t i = 0; i < out.start.size(); ++i)
    by_lane[out.builder.task(TaskId{i}).lane.index()].push_back(TaskId{i});
  for (const LaneId lane : tasks.serial_lanes) {
    std::vector<TaskId>& in_order = by_lane[lane.index()];
    sort_by_start(out, in_order);
    take_turns(out, in_order);
  }
}

void explain_polling(PsTasks& tasks) {
  Assembly& out = tasks.out;
  const std::vector<Time> ready = ready_times(out);
  for (DagBuilder::Edge& edge : out.builder.edges()) {
    const std::size_t to = edge.to.index();
    const LaneKind lane = out.builder.lane(out.builder.task(edge.to).lane).kind;
    const bool polled = lane == LaneKind::kCopyEngine || lane == LaneKind::kStream || lane == LaneKind::kLink ||
                        lane == LaneKind::kThread;
    const bool binding = out.finish[edge.from.index()] + edge.lag == ready[to];
    if (polled && binding && out.start[to] > ready[to]) edge.lag += std::min(out.start[to] - ready[to], kPolling);
  }
}

namespace {

class CycleBreaker {
 public:
  explicit CycleBreaker(PsTasks& tasks) : tasks_(tasks), out_(tasks.out) {}

  void run() {
    free_first_tasks();
    waiting_ = find_waiting();
    if (std::any_of(waiting_.begin(), waiting_.end(), [](std::uint32_t n) { return n > 0; })) {
      out_.diagnostics.count(diagnostic("dependency_cycle"));
      std::erase_if(out_.builder.edges(), [&](const DagBuilder::Edge& edge) {
        return waiting_[edge.from.index()] > 0 && waiting_[edge.to.index()] > 0 &&
               order_of(edge.from) >= order_of(edge.to);
      });
    }
    for (std::size_t meeting = 0; meeting < tasks_.meetings.size(); ++meeting) {
      if (waiting_[out_.start.size() + meeting] == 0 && !has_first_task(tasks_.meetings[meeting]))
        meet(tasks_.meetings[meeting]);
    }
  }

 private:
  [[nodiscard]] std::tuple<Time, Time, TaskId> order_of(TaskId task) const {
    return {out_.finish[task.index()], out_.start[task.index()], task};
  }

  /// Removes the edges to each rank's first task, because the replay starts it at its recorded time.
  void free_first_tasks() {
    is_first_.assign(out_.start.size(), false);
    for (const auto& [rank, task] : first_tasks(out_)) is_first_[task.index()] = true;
    std::erase_if(out_.builder.edges(), [&](const DagBuilder::Edge& edge) { return is_first_[edge.to.index()]; });
  }

  [[nodiscard]] bool has_first_task(const std::vector<TaskId>& members) const {
    return std::any_of(members.begin(), members.end(), [&](TaskId task) { return is_first_[task.index()]; });
  }

  /// Returns, for each task and then for each group of tasks.meetings, how many of its predecessors can never end
  /// because of a cycle. A successor of a task in a group waits for the whole group.
  [[nodiscard]] std::vector<std::uint32_t> find_waiting() const {
    const std::size_t count = out_.start.size();
    std::vector<std::size_t> end(count);
    std::iota(end.begin(), end.end(), std::size_t{0});
    for (std::size_t m = 0; m < tasks_.meetings.size(); ++m) {
      for (const TaskId member : tasks_.meetings[m]) end[member.index()] = count + m;
    }
    return count_blocked_predecessors(count + tasks_.meetings.size(), [&](const auto& edge) {
      for (const DagBuilder::Edge& e : out_.builder.edges()) edge(end[e.from.index()], e.to.index());
      for (std::size_t i = 0; i < count; ++i) {
        if (end[i] != i) edge(i, end[i]);
      }
    });
  }

  /// Makes the members a rendezvous: none ends before all have begun. From the last begin on, each takes as long as in
  /// the recording.
  void meet(const std::vector<TaskId>& members) {
    Time last_arrival = Time::min();
    for (const TaskId member : members) last_arrival = std::max(last_arrival, out_.start[member.index()]);
    const RendezvousId rendezvous = out_.builder.add_rendezvous();
    for (const TaskId member : members) {
      out_.builder.join(rendezvous, member);
      out_.builder.set_duration(member, std::max(out_.finish[member.index()] - last_arrival, Duration{}));
    }
  }

  PsTasks& tasks_;
  Assembly& out_;
  std::vector<bool> is_first_;
  std::vector<std::uint32_t> waiting_;  // result of find_waiting()
};

}  // namespace

void join_and_break_cycles(PsTasks& tasks) { CycleBreaker(tasks).run(); }

}  // namespace stepsim::ingest
