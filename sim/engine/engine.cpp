#include "sim/engine/engine.h"

#include <fmt/format.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "model/base/side_by_side.h"
#include "model/base/text.h"
#include "sim/engine/replay_state.h"
#include "sim/engine/replays.h"

namespace stepsim::sim {
namespace {

/// A task that could not end although all it depends on has: a member that waits for others,
/// or one that stands in line.
bool is_stuck(const ReplayState& state, TaskId task) { return state.timeline.finish[task.index()] == waits_for(0); }

[[noreturn]] void report_deadlock(const ReplayState& state) {
  constexpr std::size_t kNamed = 4;
  std::string names;
  std::size_t named = 0;
  for (std::size_t i = 0; i < state.dag.task_count() && named < kNamed; ++i) {
    if (!is_stuck(state, TaskId{i})) continue;
    const Lane& lane = state.dag.lane(TaskId{i});
    names += fmt::format("{}{} on {} of rank {}", named++ == 0 ? "" : ", ", shown(state.dag.name(TaskId{i})),
                         shown(lane.name), lane.rank);
  }
  throw DeadlockError("tasks wait for each other's lanes or credit and none can go on: " + names);
}

/// Parts of the job that nothing connects side by side.
Timeline replay_parts(const Dag& dag, const Machine& machine, const EngineOptions& options) {
  ReplayState state{dag, machine, options};
  std::vector<std::vector<TaskId>> parts{state.sources};
  if (may_split(dag, options)) {
    parts = deal_parts(dag, machine, state.sources, static_cast<std::size_t>(options.threads));
  }
  std::atomic<std::size_t> done{0};
  const auto run = [&](std::size_t part) { done += replay_events(state, parts[part], part == 0); };
  side_by_side(options.threads, parts.size(), run);
  if (done != dag.task_count()) report_deadlock(state);
  return std::move(state.timeline);
}

}  // namespace

Timeline replay(const Dag& dag, const Machine& machine, const EngineOptions& options) {
  return is_dataflow(dag, machine) ? replay_dataflow(dag, machine, options) : replay_parts(dag, machine, options);
}

}  // namespace stepsim::sim
