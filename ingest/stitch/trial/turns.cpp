#include "ingest/stitch/trial/turns.h"

#include <algorithm>
#include <tuple>

#include "ingest/stitch/parameter_server/queues.h"

namespace stepsim::ingest {
namespace {

/// What overlaps by up to this ran one after another.
constexpr Duration kGrain{5'000};

}  // namespace

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
    if (spans[i].first < spans[i - 1].second - kGrain) return false;
    spans[i].second = std::max(spans[i].second, spans[i - 1].second);
  }
  return true;
}

void let_take_turns(Assembly& assembly, std::vector<TaskId> tasks) {
  std::vector<std::pair<Time, Time>> spans;
  for (const TaskId task : tasks) spans.emplace_back(assembly.start[task.index()], assembly.finish[task.index()]);
  if (!one_at_a_time(std::move(spans))) return;
  std::stable_sort(tasks.begin(), tasks.end(), [&](TaskId a, TaskId b) {
    return std::tie(assembly.start[a.index()], assembly.finish[a.index()]) <
           std::tie(assembly.start[b.index()], assembly.finish[b.index()]);
  });
  take_turns(assembly, tasks);
}

}  // namespace stepsim::ingest
