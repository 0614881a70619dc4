#include "ingest/stitch/parameter_server/tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "ingest/parts/names.h"
#include "model/base/median.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

/// Builds the PsGpu and the stage runs of one GPU.
class GpuWorkload {
 public:
  GpuWorkload(const PsTasks& tasks, std::size_t gpu, PsWorkload& out)
      : tasks_(tasks), recorded_(tasks.gpus[gpu]), gpu_(gpu), out_(out) {
    for (std::uint32_t step = 0; step < out_.steps.size(); ++step) step_.try_emplace(out_.steps[step], step);
  }

  void run() {
    made_.worker = recorded_.worker;
    made_.local_rank = recorded_.local_rank;
    made_.rank = recorded_.rank;
    made_.host = recorded_.host;
    made_.opaque = recorded_.opaque;
    add_operators();
    add_tensors();
    add_stages();
    add_gaps();
    out_.gpus.push_back(std::move(made_));
  }

 private:
  /// Identifies an operator: the k-th run of a name in a step is the same operator in every step.
  using Place = std::pair<TextId, std::uint32_t>;  // name, occurrence

  [[nodiscard]] PsRun aligned(Time start, Time finish) const {
    return {tasks_.aligned(gpu_, start), tasks_.aligned(gpu_, finish)};
  }

  void add_operators() {
    std::vector<std::vector<const OperatorRun*>> by_step(out_.steps.size());
    for (const OperatorRun& span : recorded_.operators) {
      if (const auto step = step_.find(span.step); step != step_.end()) by_step[step->second].push_back(&span);
    }
    for (std::uint32_t step = 0; step < by_step.size(); ++step) add_runs(by_step[step], step);
    for (const OperatorRun* const span : by_step.front()) add_inputs(*span);
  }

  /// Enters the runs of a step's operators. An operator that is missing in the step is assumed to have run as in the
  /// first step.
  void add_runs(const std::vector<const OperatorRun*>& spans, std::uint32_t step) {
    std::map<TextId, std::uint32_t> seen;
    for (PsOperator& op : made_.operators) {
      const Duration later = tasks_.aligned(gpu_, spans.front()->start) - made_.operators.front().runs.front().start;
      op.runs.push_back({op.runs.front().start + later, op.runs.front().finish + later});
    }
    for (const OperatorRun* const span : spans) {
      const Place place{span->name, seen[span->name]++};
      if (step == 0) add_operator(*span, place);
      const auto known = place_.find(place);
      if (known != place_.end()) made_.operators[known->second].runs[step] = aligned(span->start, span->finish);
    }
  }

  void add_operator(const OperatorRun& span, Place place) {
    const auto index = static_cast<std::uint32_t>(made_.operators.size());
    place_.try_emplace(place, index);
    of_name_[span.name].push_back(index);
    PsOperator& op = made_.operators.emplace_back();
    op.name = recorded_.names.text(span.name);
    op.row = span.row;
    op.update = is_update(op.name);
    op.runs.resize(1);
  }

  /// Adds an operator's inputs. An input is the name of an operator. It refers to the last run of that operator before
  /// `span` in the same step or, if there is none, to its last run in the step before.
  void add_inputs(const OperatorRun& span) {
    PsOperator& op = made_.operators[place_.at({span.name, passed_[span.name]++})];
    for (const TextId input : span.inputs) {
      const auto runs = of_name_.find(input);
      if (runs == of_name_.end()) continue;
      const std::uint32_t before = passed_[input];
      if (before > 0 && input != span.name) {
        op.after.push_back(runs->second[before - 1]);
      } else if (before == 0) {
        op.after_previous.push_back(runs->second.back());
      }
    }
  }

  void add_tensors() {
    std::map<std::int64_t, std::uint32_t> tensor_of_key;
    for (const StageChain& chain : recorded_.chains) tensor_of_key.try_emplace(chain.declared_key(), chain.tensor);
    for (const auto& [declared, index] : tensor_of_key) {
      const RecordedTensor& recorded = recorded_.tensors[index];
      const std::string& name = recorded.name;
      if (declared < 0) return give_up("only the total of {} was recorded; expected its partitions", name);
      if (!recorded.bytes.has_value())
        return give_up("the size of {} is unknown; expected it in gradient_name_list.txt", name);
      PsTensor tensor{name, declared, *recorded.bytes, {}, {}, {}};
      for (const TextId producer : recorded.producers) append(tensor.made_by, producer);
      if (tensor.made_by.empty()) return give_up("no operator is known to make {}; expected one in dag.gml", name);
      add_users(recorded, tensor);
      made_.tensors.push_back(std::move(tensor));
    }
  }

  void add_users(const RecordedTensor& recorded, PsTensor& tensor) {
    for (const TextId name : recorded.consumers)
      append(is_update(recorded_.names.text(name)) ? tensor.needed_by : tensor.used_by, name);
    if (!tensor.used_by.empty()) return;
    for (const TextId maker : recorded.producers) {
      const std::string& text = recorded_.names.text(maker);
      if (text.starts_with(kBackward))
        append(tensor.used_by, recorded_.names.find(std::string(kForward) + text.substr(kBackward.size())));
    }
  }

  void append(std::vector<std::uint32_t>& to, TextId name) const {
    const auto runs = of_name_.find(name);
    if (runs != of_name_.end()) to.insert(to.end(), runs->second.begin(), runs->second.end());
  }

  void give_up(fmt::format_string<const std::string&> why, const std::string& tensor) {
    if (out_.cannot_build.empty())
      out_.cannot_build = fmt::format("the job cannot be rebuilt: {}", fmt::format(why, tensor));
  }

  void add_stages() {
    for (const StageChain& chain : recorded_.chains) {
      const auto step = step_.find(chain.step);
      if (step == step_.end() || chain.key < 0) continue;
      const Bytes bytes = partition_bytes(recorded_.tensors[chain.tensor], chain.key, tasks_.job).value_or(Bytes{});
      Time& done = done_[{chain.declared_key(), step->second}];
      done = std::max(done, tasks_.aligned(gpu_, chain.stages.back().finish));
      for (const StageSpan& span : chain.stages) {
        if (const auto stage = role_of(span.stage).built; stage.has_value()) {
          out_.stages.push_back({static_cast<std::uint32_t>(gpu_), step->second, chain.key, *stage, bytes,
                                 aligned(span.start, span.finish)});
        } else if (out_.cannot_build.empty()) {
          out_.cannot_build = fmt::format("the job cannot be rebuilt: it has {} stages, which are not modelled",
                                          stage_name(span.stage));
        }
      }
    }
  }

  /// Dependencies of an operator other than its inputs: the operator before it in its row, and tensors.
  struct Waits {
    // The operator before it in its row. For the first operator of a row, this is the last operator of the row.
    std::uint32_t before = 0;
    bool in_previous_step = true;        // `before` belongs to the step before
    std::vector<const PsTensor*> needs;  // tensors of its own step
    std::vector<const PsTensor*> uses;   // tensors of the step before
  };

  [[nodiscard]] std::vector<Waits> waits() const {
    std::vector<Waits> waits(made_.operators.size());
    std::map<std::uint32_t, std::uint32_t> last_of_row;
    for (std::uint32_t index = 0; index < waits.size(); ++index) {
      const auto [last, first] = last_of_row.try_emplace(made_.operators[index].row, index);
      if (!first) waits[index] = {std::exchange(last->second, index), false, {}, {}};
    }
    for (std::uint32_t index = 0; index < waits.size(); ++index) {
      if (waits[index].in_previous_step) waits[index].before = last_of_row.at(made_.operators[index].row);
    }
    for (const PsTensor& tensor : made_.tensors) {
      for (const std::uint32_t op : tensor.needed_by) waits[op].needs.push_back(&tensor);
      if (tasks_.job.barrier == Barrier::kCross) {
        for (const std::uint32_t op : tensor.used_by) waits[op].uses.push_back(&tensor);
      } else if (tensor.needed_by.empty() && !waits.empty()) {
        waits.front().uses.push_back(&tensor);  // no update operator waits for the tensor, so the next step does
      }
    }
    return waits;
  }

  /// Sets each operator's gap: the median over steps of the time from the end of its last dependency to its begin.
  void add_gaps() {
    const std::vector<Waits> all = waits();
    for (std::uint32_t index = 0; index < all.size(); ++index) {
      std::vector<double> gaps;
      PsOperator& op = made_.operators[index];
      for (std::uint32_t step = 0; step < out_.steps.size(); ++step) {
        const std::optional<Time> ready = ready_time(op, all[index], step);
        if (ready.has_value()) gaps.push_back(static_cast<double>((op.runs[step].start - *ready).count()));
      }
      op.gap = Duration{std::max<std::int64_t>(0, static_cast<std::int64_t>(median(std::move(gaps))))};
    }
  }

  /// Returns when the last dependency of an operator was done; nothing if the capture does not show it.
  [[nodiscard]] std::optional<Time> ready_time(const PsOperator& op, const Waits& waits, std::uint32_t step) const {
    const bool follows = step > 0 && out_.steps[step] == out_.steps[step - 1] + 1;
    if (!follows && (waits.in_previous_step || !waits.uses.empty())) return std::nullopt;
    Time ready = made_.operators[waits.before].runs[waits.in_previous_step ? step - 1 : step].finish;
    for (const std::uint32_t before : op.after) ready = std::max(ready, made_.operators[before].runs[step].finish);
    for (const PsTensor* const tensor : waits.needs) ready = std::max(ready, done(*tensor, step));
    for (const PsTensor* const tensor : waits.uses) ready = std::max(ready, done(*tensor, step - 1));
    return ready;
  }

  [[nodiscard]] Time done(const PsTensor& tensor, std::uint32_t step) const {
    const auto found = done_.find({tensor.declared_key, step});
    return found == done_.end() ? Time::min() : found->second;
  }

  const PsTasks& tasks_;
  const RecordedGpu& recorded_;
  std::size_t gpu_;
  PsWorkload& out_;
  PsGpu made_;
  std::map<std::int64_t, std::uint32_t> step_;                   // step number -> index
  std::map<Place, std::uint32_t> place_;                         // place -> operator
  std::map<TextId, std::vector<std::uint32_t>> of_name_;         // name -> operators
  std::map<TextId, std::uint32_t> passed_;                       // name -> runs before the current one
  std::map<std::pair<std::int64_t, std::uint32_t>, Time> done_;  // declared key, step
};

/// Returns the numbers of the steps that every GPU recorded whole.
std::vector<std::int64_t> whole_steps(const PsTasks& tasks) {
  std::map<std::int64_t, std::size_t> count;
  for (const auto& [gpu_step, index] : tasks.step_index)
    count[gpu_step.second] += tasks.out.steps[static_cast<std::size_t>(index)].whole ? 1U : 0U;
  std::vector<std::int64_t> whole;
  for (const auto& [number, gpus] : count) {
    if (gpus == tasks.gpus.size()) whole.push_back(number);
  }
  return whole;
}

}  // namespace

PsWorkload workload_of(const PsTasks& tasks) {
  PsWorkload workload;
  workload.job = tasks.job;
  workload.steps = whole_steps(tasks);
  if (workload.steps.empty()) {
    workload.cannot_build = "the job cannot be rebuilt: no step was recorded whole by every GPU";
    return workload;
  }
  for (std::size_t gpu = 0; gpu < tasks.gpus.size(); ++gpu) GpuWorkload(tasks, gpu, workload).run();
  workload.job.workers = std::max(workload.job.workers.value_or(0), workload.workers());
  if (!workload.job.servers.has_value() && workload.cannot_build.empty()) {
    workload.cannot_build = "the job cannot be rebuilt: the number of servers is unknown; expected servers in job.yaml";
  }
  return workload;
}

}  // namespace stepsim::ingest
