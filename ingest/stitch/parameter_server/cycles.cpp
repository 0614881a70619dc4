#include "ingest/stitch/parameter_server/cycles.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "model/base/known_diagnostics.h"

namespace stepsim::ingest {
namespace {

class CycleBreaker {
 public:
  explicit CycleBreaker(PsTasks& tasks) : tasks_(tasks), out_(tasks.out) {}

  void run() {
    free_first_tasks();
    if (!all_can_run()) {
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

  /// Removes the edges to each rank's first task, which starts when it was recorded to.
  void free_first_tasks() {
    is_first_.assign(out_.start.size(), false);
    for (const auto& [rank, task] : first_tasks(out_)) is_first_[task.index()] = true;
    std::erase_if(out_.builder.edges(), [&](const DagBuilder::Edge& edge) { return is_first_[edge.to.index()]; });
  }

  [[nodiscard]] bool has_first_task(const std::vector<TaskId>& members) const {
    return std::any_of(members.begin(), members.end(), [&](TaskId task) { return is_first_[task.index()]; });
  }

  /// Kahn's algorithm over the tasks and, numbered after them, the meetings: what follows a member
  /// follows its meeting. Leaves in waiting_ how many nodes each one still waits for; they are in or
  /// behind a cycle if that is not 0.
  bool all_can_run() {
    const std::size_t count = out_.start.size();
    std::vector<std::size_t> exit(count);
    for (std::size_t i = 0; i < count; ++i) exit[i] = i;
    for (std::size_t m = 0; m < tasks_.meetings.size(); ++m) {
      for (const TaskId member : tasks_.meetings[m]) exit[member.index()] = count + m;
    }
    std::vector<std::pair<std::size_t, std::size_t>> edges;
    for (const DagBuilder::Edge& edge : out_.builder.edges())
      edges.emplace_back(exit[edge.from.index()], edge.to.index());
    for (std::size_t i = 0; i < count; ++i) {
      if (exit[i] != i) edges.emplace_back(i, exit[i]);
    }
    std::sort(edges.begin(), edges.end());
    waiting_.assign(count + tasks_.meetings.size(), 0);
    for (const auto& [from, to] : edges) ++waiting_[to];
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      if (waiting_[i] == 0) ready.push_back(i);
    }
    for (std::size_t done = 0; done < ready.size(); ++done) {
      auto edge = std::lower_bound(edges.begin(), edges.end(), std::pair{ready[done], std::size_t{0}});
      for (; edge != edges.end() && edge->first == ready[done]; ++edge) {
        if (--waiting_[edge->second] == 0) ready.push_back(edge->second);
      }
    }
    return ready.size() == waiting_.size();
  }

  /// Makes the members a rendezvous: none ends before all have begun, and each takes its own time
  /// from then on.
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
  std::vector<std::uint32_t> waiting_;  // by task, then meeting
};

}  // namespace

void join_and_break_cycles(PsTasks& tasks) { CycleBreaker(tasks).run(); }

}  // namespace stepsim::ingest
