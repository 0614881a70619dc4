#include "model/rewrite/parameter_server/job_graph.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stepsim {
namespace {

/// Returns the update operators that wait for a tensor in the same step.
std::vector<std::uint32_t> updates_of(const PsTensor& tensor) {
  const std::uint32_t made = *std::max_element(tensor.made_by.begin(), tensor.made_by.end());
  std::vector<std::uint32_t> updates;
  std::copy_if(tensor.needed_by.begin(), tensor.needed_by.end(), std::back_inserter(updates),
               [made](std::uint32_t user) { return user > made; });
  return updates;
}

void add_operator(PsJobGraph& graph, PsGpuGraph& gpu, std::uint32_t number) {
  const PsOperator& op = gpu.source->operators[number];
  if (graph.cross() && op.update) return;  // an update is part of the forward pass of its layer
  const PsRun& run = op.runs[graph.step];
  const Duration length{std::llround(static_cast<double>((run.finish - run.start).count()) * gpu.scale)};
  const TaskId task = graph.builder.add_task({.kind = TaskKind::kOperator,
                                              .name = graph.builder.intern(op.name),
                                              .lane = gpu.rows.at(op.row),
                                              .duration = length,
                                              .hint = graph.hint(gpu, run.start)});
  graph.note(task, gpu, run);
  if (number == gpu.source->first()) graph.note_first(task, gpu);
  gpu.operators[number] = task;
  const auto [last, first] = gpu.last_of_row.try_emplace(op.row, task);
  if (!first) graph.link(std::exchange(last->second, task), task, EdgeKind::kProgram, op.gap);
  for (const std::uint32_t before : op.after) graph.link(gpu.operators[before], task, EdgeKind::kData, op.gap);
  if (gpu.operators_before.empty()) return;
  for (const std::uint32_t before : op.after_previous)
    graph.link(gpu.operators_before[before], task, EdgeKind::kData, op.gap);
}

/// Makes operators of this step wait for tensors of the previous step. With a global barrier, the first operator waits
/// for every tensor that no update operator waits for. Otherwise the operators of the tensor's own layer wait, or the
/// first operator if the layer is not known.
void let_users_wait(PsJobGraph& graph, PsGpuGraph& gpu) {
  if (gpu.done_before.empty()) return;
  for (std::size_t i = 0; i < gpu.source->tensors.size(); ++i) {
    const PsTensor& tensor = gpu.source->tensors[i];
    if (!graph.cross() && !updates_of(tensor).empty()) continue;
    const bool own_layer = graph.cross() && !tensor.used_by.empty();
    for (const std::uint32_t user : own_layer ? tensor.used_by : std::vector<std::uint32_t>{0})
      graph.link(gpu.done_before[i], gpu.operators[user], EdgeKind::kData, gpu.source->operators[user].gap);
  }
}

}  // namespace

void add_operators(PsJobGraph& graph) {
  for (PsGpuGraph& gpu : graph.gpus) {
    gpu.operators_before = std::exchange(gpu.operators, std::vector<TaskId>(gpu.source->operators.size()));
    gpu.done_before = std::exchange(gpu.done, std::vector<TaskId>(gpu.source->tensors.size()));
    for (std::uint32_t number = 0; number < gpu.operators.size(); ++number) add_operator(graph, gpu, number);
    let_users_wait(graph, gpu);
  }
}

void let_updates_wait(PsJobGraph& graph) {
  for (PsGpuGraph& gpu : graph.gpus) {
    for (std::size_t i = 0; i < gpu.source->tensors.size(); ++i) {
      for (const std::uint32_t user : updates_of(gpu.source->tensors[i]))
        graph.link(gpu.done[i], gpu.operators[user], EdgeKind::kData, gpu.source->operators[user].gap);
    }
  }
}

}  // namespace stepsim
