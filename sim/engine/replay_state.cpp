#include "sim/engine/replay_state.h"

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/side_by_side.h"

namespace stepsim::sim {

void ProgressGuard::fail(Time before, Time now) const {
  const auto nanoseconds = [](Time time) { return time.time_since_epoch().count(); };
  if (now < before) {
    throw InternalError(fmt::format("network model {} goes back in time: to an event at {} ns when it is {} ns", model_,
                                    nanoseconds(now), nanoseconds(before)));
  }
  throw InternalError(fmt::format("network model {} does not get on: {} events at {} ns without news of any message",
                                  model_, kMostQuietEvents, nanoseconds(now)));
}

ReplayState::ReplayState(const Dag& of, const Machine& on, const EngineOptions& how)
    : dag(of), machine(on), options(how) {
  // This thread allocates all columns, because memory that another thread allocates is returned to the operating system
  // after every replay.
  timeline.start.reserve(dag.task_count());
  timeline.finish.reserve(dag.task_count());
  timeline.released_by.reserve(dag.task_count());
  const auto fill_starts = [this] {
    timeline.start.assign(dag.task_count(), kUnknown);
    timeline.released_by.resize(dag.task_count());
  };
  const auto fill_ends = [this] {
    timeline.finish.resize(dag.task_count());
    for (std::size_t i = 0; i < dag.task_count(); ++i) {
      const std::uint32_t predecessors = dag.in_degrees()[i];
      timeline.finish[i] = waits_for(predecessors);
      if (predecessors == 0) sources.emplace_back(i);
    }
  };
  if (may_split(dag, options)) {
    side_by_side(options.threads, 2, [&](std::size_t part) { part == 0 ? fill_starts() : fill_ends(); });
  } else {
    fill_starts();
    fill_ends();
  }
  timeline.last_arrival.resize(dag.rendezvous_count());
  for (const RendezvousId rendezvous : dag.all_rendezvous()) {
    absent.push_back(static_cast<std::uint32_t>(dag.members(rendezvous).size()));
  }
}

}  // namespace stepsim::sim
