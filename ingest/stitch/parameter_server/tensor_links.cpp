#include "ingest/stitch/parameter_server/tensor_links.h"

#include <algorithm>
#include <string>

#include "model/base/known_diagnostics.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {

TensorLinks::TensorLinks(PsTasks& tasks, std::size_t gpu)
    : tasks_(tasks), out_(tasks.out), recorded_(tasks.gpus[gpu]), gpu_(gpu) {
  for (std::size_t i = 0; i < recorded_.operators.size(); ++i) note_run(i);
}

void TensorLinks::note_run(std::size_t i) {
  const OperatorRun& span = recorded_.operators[i];
  Runs& runs = runs_.try_emplace({span.name, span.step}, Runs{i, i}).first->second;
  if (span.finish > recorded_.operators[runs.last].finish) runs.last = i;
}

void TensorLinks::release(std::size_t index, TaskId first) {
  const StageChain& chain = recorded_.chains[index];
  const auto [known, added] = producer_.try_emplace({chain.tensor, chain.step});
  if (added) known->second = producer_of(chain);
  const std::optional<std::size_t> run = known->second.has_value() ? known->second : last_ended_before(chain);
  if (run.has_value()) tasks_.link(tasks_.operator_task[gpu_][*run], first, EdgeKind::kData);
}

std::optional<std::size_t> TensorLinks::producer_of(const StageChain& chain) const {
  std::optional<std::size_t> last;
  for (const TextId producer : recorded_.tensors[chain.tensor].producers) {
    const auto runs = runs_.find({producer, chain.step});
    if (runs == runs_.end()) continue;
    if (!last.has_value() || recorded_.operators[runs->second.last].finish > recorded_.operators[*last].finish)
      last = runs->second.last;
  }
  return last;
}

std::optional<std::size_t> TensorLinks::last_ended_before(const StageChain& chain) {
  if (by_finish_.empty()) {
    for (std::size_t i = 0; i < recorded_.operators.size(); ++i)
      by_finish_.emplace_back(recorded_.operators[i].finish, i);
    std::sort(by_finish_.begin(), by_finish_.end());
  }
  out_.diagnostics.count(diagnostic("release_by_time"));
  const auto next = std::upper_bound(by_finish_.begin(), by_finish_.end(),
                                     std::pair{chain.stages.front().start, recorded_.operators.size()});
  return next == by_finish_.begin() ? std::nullopt : std::optional{(next - 1)->second};
}

void TensorLinks::let_consumers_wait(std::uint32_t tensor_id, std::int64_t step, std::vector<TaskId> last) {
  const RecordedTensor& tensor = recorded_.tensors[tensor_id];
  std::vector<TaskId> waiting;
  for (const TextId consumer : tensor.consumers) {
    const std::int64_t number = is_update(recorded_.names.text(consumer)) ? step : next_step(step);
    const auto runs = runs_.find({consumer, number});
    if (runs != runs_.end()) waiting.push_back(tasks_.operator_task[gpu_][runs->second.first]);
  }
  if (waiting.empty()) return;
  if (waiting.size() > 1 && last.size() > 1) last = {gathered(tensor, step, last)};
  for (const TaskId from : last) {
    for (const TaskId to : waiting) tasks_.link(from, to, EdgeKind::kData);
  }
}

/// Adds a zero-length task that waits for all of `last`, so that many consumers need few edges.
TaskId TensorLinks::gathered(const RecordedTensor& tensor, std::int64_t step, const std::vector<TaskId>& last) {
  Time end = Time::min();
  for (const TaskId task : last) end = std::max(end, out_.finish[task.index()]);
  if (!gather_lane_.valid()) {
    gather_lane_ = out_.builder.add_lane(
        {std::string(kGatheredLane), recorded_.host, recorded_.rank, LaneKind::kThread, LaneOrder::kEdges, -1});
  }
  const TaskId done = out_.add_task(TaskKind::kControl, out_.builder.intern(std::string(kComm) + tensor.name),
                                    gather_lane_, end, end, tasks_.step_of(gpu_, step));
  for (const TaskId task : last) out_.add_edge(task, done, EdgeKind::kData);
  return done;
}

std::int64_t TensorLinks::next_step(std::int64_t number) const {
  const auto next = tasks_.step_index.upper_bound({gpu_, number});
  return next != tasks_.step_index.end() && next->first.first == gpu_ ? next->first.second : kNoStep;
}

}  // namespace stepsim::ingest
