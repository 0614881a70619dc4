#include "ingest/stitch/parameter_server/tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include "model/base/known_diagnostics.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

/// An edge may contradict recorded times by up to this time, because two threads read the clock independently and
/// events are recorded in whole microseconds.
constexpr Duration kTimeTolerance{50'000};

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

TaskId PsTasks::add_task(TaskKind kind, const std::string& name, LaneId lane, Time begin, Time end, std::int32_t step,
                         Bytes bytes) {
  const TaskId task = out.add_task(kind, out.builder.intern(name), lane, begin, end, step, bytes);
  if (out.details != nullptr) out.details->tasks.push_back({task, begin, end});
  return task;
}

void PsTasks::link(TaskId from, TaskId to, EdgeKind kind) {
  if (out.finish[from.index()] > out.finish[to.index()] + kTimeTolerance) {
    out.diagnostics.count(diagnostic("dependency_against_time"));
    return;
  }
  out.add_edge(from, to, kind);
}

namespace {

/// A step with less than this share of the largest step's operators or chains was cut off by the capture.
constexpr double kWholeShare = 0.9;

class OperatorPass {
 public:
  OperatorPass(PsTasks& tasks, std::size_t gpu)
      : tasks_(tasks), out_(tasks.out), recorded_(tasks.gpus[gpu]), gpu_(gpu) {}

  void run() {
    add_steps();
    add_tasks();
    begin_steps();
    for (std::size_t i = 0; i < recorded_.operators.size(); ++i) add_dependencies(i);
  }

 private:
  /// The number of operators and chains in a step.
  struct Contents {
    std::size_t operators = 0;
    std::size_t chains = 0;
  };

  void add_steps() {
    for (const OperatorRun& span : recorded_.operators) {
      if (span.step >= 0) ++contents_[span.step].operators;
    }
    for (const StageChain& chain : recorded_.chains) ++contents_[chain.step].chains;
    Contents most;
    for (const auto& [number, content] : contents_)
      most = {std::max(most.operators, content.operators), std::max(most.chains, content.chains)};
    const auto enough = [](std::size_t part, std::size_t whole) {
      return static_cast<double>(part) >= kWholeShare * static_cast<double>(whole);
    };
    for (const auto& [number, content] : contents_) {
      if (content.operators == 0) continue;
      const bool whole = enough(content.operators, most.operators) && enough(content.chains, most.chains);
      if (!whole) {
        out_.diagnostics.count(diagnostic("incomplete_step"), {},
                               fmt::format("rank {} step {}", recorded_.rank, number));
      }
      tasks_.step_index[{gpu_, number}] = static_cast<std::int32_t>(out_.steps.size());
      out_.steps.push_back({recorded_.rank, number, TaskId{}, false, whole});
    }
  }

  void add_tasks() {
    std::map<std::uint32_t, LaneId> lanes;
    std::map<std::int64_t, std::size_t> seen;  // operators of each step so far
    for (const OperatorRun& span : recorded_.operators) {
      const bool ends_step_before = recorded_.opaque && seen[span.step]++ == 0 && contents_.at(span.step).operators > 1;
      const auto [lane, added] = lanes.try_emplace(span.row);
      if (added) {
        const std::string name = lanes.size() == 1 ? "operators" : fmt::format("operators {}", lanes.size() - 1);
        lane->second =
            out_.builder.add_lane({name, recorded_.host, recorded_.rank, LaneKind::kOperators, LaneOrder::kEdges, -1});
      }
      tasks_.operator_task[gpu_].push_back(
          out_.add_task(TaskKind::kOperator, out_.builder.intern(recorded_.names.text(span.name)), lane->second,
                        tasks_.aligned(gpu_, span.start), tasks_.aligned(gpu_, span.finish),
                        ends_step_before ? step_before(span.step) : tasks_.step_of(gpu_, span.step)));
    }
  }

  /// Returns the index of the step before the step `number`; -1 if there is none.
  [[nodiscard]] std::int32_t step_before(std::int64_t number) const {
    const auto step = contents_.find(number);
    return step == contents_.begin() ? -1 : tasks_.step_of(gpu_, std::prev(step)->first);
  }

  /// Sets the first task of each step to its first operator. If no operators were recorded, the compute between two
  /// tensors is one task, called a segment. The first segment of a step runs from the last tensor of the step before to
  /// the first tensor of this one. It belongs to the step before, because a step then begins with the second segment,
  /// when its first tensor is ready to be sent.
  void begin_steps() {
    std::map<std::int64_t, std::size_t> place;
    for (std::size_t i = 0; i < recorded_.operators.size(); ++i) {
      const std::int64_t number = recorded_.operators[i].step;
      if (number < 0) continue;
      const std::size_t seen = place[number]++;
      RecordedStep& step = out_.steps[static_cast<std::size_t>(tasks_.step_of(gpu_, number))];
      if (seen == 0 || (recorded_.opaque && seen == 1)) step.first = tasks_.operator_task[gpu_][i];
    }
    std::int32_t before = -1;
    for (const auto& [number, count] : place) {
      const std::int32_t index = tasks_.step_of(gpu_, number);
      if (before >= 0) {
        RecordedStep& step = out_.steps[static_cast<std::size_t>(before)];
        const RecordedStep& next = out_.steps[static_cast<std::size_t>(index)];
        step.next_follows = step.whole && next.whole && next.number - 1 == step.number;  // no overflow: both are >= 0
      }
      before = index;
    }
    // If no operators were recorded, the compute after the last tensor of a step is part of the next step's first
    // segment. The last step has no next step, so the end of its compute is missing.
    if (recorded_.opaque && place.size() > 1) out_.steps[static_cast<std::size_t>(before)].whole = false;
  }

  void add_dependencies(std::size_t i) {
    const OperatorRun& span = recorded_.operators[i];
    const TaskId task = tasks_.operator_task[gpu_][i];
    const auto [row, first] = last_of_row_.try_emplace(span.row, i);
    if (!first) {
      const std::size_t before = row->second;
      if (recorded_.operators[before].finish <= span.start + kClockGrain)
        out_.add_edge(tasks_.operator_task[gpu_][before], task, EdgeKind::kProgram);
      if (recorded_.operators[before].finish <= span.finish) row->second = i;
    }
    for (const TextId input : span.inputs) {
      const auto run = last_run_.find(input);
      if (run == last_run_.end()) continue;
      if (recorded_.operators[run->second].finish <= span.start + kClockGrain)
        out_.add_edge(tasks_.operator_task[gpu_][run->second], task, EdgeKind::kData);
    }
    last_run_[span.name] = i;
  }

  PsTasks& tasks_;
  Assembly& out_;
  const RecordedGpu& recorded_;
  std::map<std::int64_t, Contents> contents_;  ///< by step number
  std::size_t gpu_;
  std::map<std::uint32_t, std::size_t> last_of_row_;
  std::map<TextId, std::size_t> last_run_;  // by name
};

}  // namespace

void add_operators(PsTasks& tasks) {
  tasks.operator_task.resize(tasks.gpus.size());
  for (std::size_t gpu = 0; gpu < tasks.gpus.size(); ++gpu) OperatorPass(tasks, gpu).run();
}

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
