#include "ingest/stitch/parameter_server/tasks.h"

#include "model/base/known_diagnostics.h"

namespace stepsim::ingest {
namespace {

/// An edge may run against recorded time by up to this: two threads read the clock independently, and events are
/// recorded in whole microseconds.
constexpr Duration kAgainstTime{50'000};

}  // namespace

std::int32_t PsTasks::step_of(std::size_t gpu, std::int64_t number) const {
  const auto found = step_index.find({gpu, number});
  return found == step_index.end() ? -1 : found->second;
}

std::optional<TaskId> PsTasks::stage(std::size_t gpu, std::size_t chain, Stage stage) const {
  const StageChain& stages = gpus[gpu].chains[chain];
  const StageSpan* const span = stages.find(stage);
  if (span == nullptr) return std::nullopt;
  return stage_task[gpu][chain][static_cast<std::size_t>(span - stages.stages.data())];
}

void PsTasks::link(TaskId from, TaskId to, EdgeKind kind) {
  if (out.finish[from.index()] > out.finish[to.index()] + kAgainstTime) {
    out.diagnostics.count(diagnostic("dependency_against_time"));
    return;
  }
  out.add_edge(from, to, kind);
}

}  // namespace stepsim::ingest
