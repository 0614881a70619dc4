#include "model/rewrite/parallel/replicas.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/cost/collective/algorithm.h"
#include "model/job/dag_builder.h"
#include "model/rewrite/buckets.h"
#include "model/rewrite/parallel/added_collectives.h"
#include "model/rewrite/parallel/experts.h"
#include "model/rewrite/parallel/layers.h"
#include "model/rewrite/parallel/model_calls.h"
#include "model/rewrite/parallel/pipeline.h"

namespace stepsim {
namespace {

/// Ranks that have the same parameters.
struct ReplicaGroup {
  const char* name;
  std::uint32_t size;
  std::uint32_t distance;  ///< between the numbers of two ranks that follow each other
};

/// Returns the first device work other than a collective that any thread of a rank launched after `from`; invalid if
/// there is none.
TaskId first_work_after(const Dag& dag, const DeviceLaunches& launches, Rank rank, Time from) {
  TaskId first;
  Time earliest = Time::max();
  for (const auto& [thread, list] : launches) {
    if (dag.lane(thread).rank != rank) continue;
    const auto next = std::find_if(list.begin(), list.end(), [&](const DeviceLaunch& launch) {
      return launch.end > from && dag.kind(launch.work) != TaskKind::kCollective;
    });
    if (next == list.end() || next->end >= earliest) continue;
    first = next->work;
    earliest = next->end;
  }
  return first;
}

/// Adds the collectives of replicas.
class Replicas {
 public:
  /// `pass` is the one whose ends are needed.
  Replicas(const Capture& capture, const Parallelism& parallelism, const ReplicaGroup& group, Pass pass)
      : capture_(capture),
        parallelism_(parallelism),
        launches_(device_launches(capture)),
        ends_(ends_of(pass)),
        added_(capture, launches_, group.name, group.size, group.distance) {}

  [[nodiscard]] const DeviceLaunches& launches() const noexcept { return launches_; }
  [[nodiscard]] AddedCollectives& added() noexcept { return added_; }
  [[nodiscard]] Time finish(TaskId task) const { return capture_.recording.finish[task.index()]; }
  /// Returns the sizes of a rank's parts of gradients.
  [[nodiscard]] std::vector<Bytes> sizes(std::span<const Gradient> gradients) const {
    std::vector<Bytes> sizes = sizes_of(gradients);
    for (Bytes& size : sizes) size = part_of(size, parallelism_.tensor);
    return sizes;
  }
  [[nodiscard]] Bytes sum(std::span<const Gradient> gradients) const {
    Bytes sum{};
    for (const Bytes size : sizes(gradients)) sum += size;
    return sum;
  }

  /// Reduces gradients that are all ready at `ready`.
  TaskId reduce(TaskId ready, Bytes bytes) {
    const CollectiveOp op = parallelism_.zero == 0 ? CollectiveOp::kAllReduce : CollectiveOp::kReduceScatter;
    return added_.add_after(ready, {op, bytes});
  }

  /// Returns the call that launches the last work of the pass, for each step that has one.
  [[nodiscard]] const std::map<std::int32_t, TaskId>& ends() const noexcept { return ends_; }

  /// Makes what follows the backward pass of a step wait for the last reduction of its gradients. The work on the last
  /// gradient may not be the last one: a stage of a pipeline then sums the gradients that it sends.
  void end_backward(std::int32_t index, const StepGradients& step, TaskId last) {
    const Dag& dag = capture_.dag;
    Time end = finish(step.gradients.back().ready);
    if (const auto found = ends_.find(index); found != ends_.end()) end = std::max(end, finish(found->second));
    if (const TaskId next = first_work_after(dag, launches_, dag.lane(step.thread).rank, end); next.valid())
      added_.let_wait(next, last);
    const auto thread = launches_.find(step.thread);
    const TaskId work =
        thread == launches_.end() ? TaskId{} : last_work(dag, launched_between(thread->second, Time::min(), end));
    if (!work.valid()) return;
    for (const EdgeId edge : dag.edges_from(work)) {  // what waits for the backward pass
      const TaskId waiting = dag.target(edge);
      if (dag.rendezvous(waiting).valid()) continue;  // gradients of activations, which the stage before waits for
      if (dag.edge_kind(edge) == EdgeKind::kSync && capture_.recording.start[waiting.index()] >= end)
        added_.let_wait(waiting, last);
    }
  }

 private:
  [[nodiscard]] std::map<std::int32_t, TaskId> ends_of(Pass pass) const {
    std::map<std::int32_t, TaskId> ends;
    const std::map<TaskId, TaskId> call_of = calls_by_work(launches_);
    for (const ModelCall& call : model_calls(capture_)) {
      const auto launch = call_of.find(call.last);
      if (call.pass != pass || launch == call_of.end()) continue;
      TaskId& last = ends[capture_.recording.step[call.last.index()]];
      if (!last.valid() || finish(last) < finish(launch->second)) last = launch->second;
    }
    return ends;
  }

  const Capture& capture_;
  const Parallelism& parallelism_;
  DeviceLaunches launches_;
  std::map<std::int32_t, TaskId> ends_;  ///< found before the edit, because both take much memory
  AddedCollectives added_;
};

/// Returns when the backward passes of the parts of a pipeline begin, from the last part to the first, if a step of the
/// capture is still to be divided into them; else nothing.
std::vector<Time> backward_parts(const Capture& capture, const Parallelism& parallelism) {
  if (capture.recording.ranks.size() > 1 || parallelism.parts_of_pipeline() == 1) return {};
  const std::vector<ModelCall> calls = calls_of_typical_step(capture);
  const std::map<TaskId, TaskId> call_of = calls_by_work(device_launches(capture));
  const StageCuts cuts = stage_cuts(capture, calls, parallelism.parts_of_pipeline(), parallelism.split);
  const std::vector<Time> begins = piece_begins(capture, calls, call_of, cuts);
  return {begins.end() - 1 - static_cast<std::ptrdiff_t>(cuts.backward.size()), begins.end() - 1};
}

/// The units of a step whose parameters are gathered together.
class Units {
 public:
  struct Unit {
    std::optional<std::size_t> forward;   ///< its first call in the forward pass
    std::optional<std::size_t> backward;  ///< its first call in the backward pass
    Bytes parameters{};
    TaskId ready;  ///< its last gradient is ready
  };

  Units(const Capture& capture, const Parallelism& parallelism, const Replicas& replicas)
      : calls_(calls_of_typical_step(capture)), call_of_(calls_by_work(replicas.launches())) {
    const StepLayers layers = layers_of(calls_);
    add(layers.passes.forward, layers.forward_of(0), layers.backward_end_of(0), layers.passes.end);
    for (std::size_t layer = 0; layer < layers.count; ++layer) {
      add(layers.forward_of(layer), layers.forward_of(layer + 1), layers.backward_of(layer),
          layers.backward_end_of(layer));
    }
    add(layers.forward_of(layers.count), layers.passes.backward, layers.passes.backward,
        layers.backward_of(layers.count - 1));
    const std::uint32_t parts = parallelism.parts_of_pipeline();
    if (parts == 1) {
      ends_ = {layers.count};
    } else {
      const std::vector<std::uint32_t> cut = stage_cuts(capture, calls_, parts, parallelism.split).layers;
      ends_.assign(cut.begin(), cut.end());
    }
    for (std::size_t part = 1; part < ends_.size(); ++part) ends_[part] += ends_[part - 1];
    for (std::size_t& end : ends_) ++end;  // the unit before the layers
    ++ends_.back();
  }

  /// Assigns a gradient to the unit whose backward pass has begun last.
  void add_gradient(const Capture& capture, const Gradient& gradient, Bytes bytes) {
    const Time at = capture.recording.finish[gradient.ready.index()];
    Unit* of = nullptr;
    for (Unit& unit : units_) {  // the first one is the last of the backward pass
      if (!unit.backward) continue;
      of = &unit;
      if (launch_time(capture.recording, call_of_, calls_[*unit.backward].first) <= at) break;
    }
    of->parameters += bytes;
    if (!of->ready.valid() || capture.recording.finish[of->ready.index()] <= at) of->ready = gradient.ready;
  }

  [[nodiscard]] const std::vector<Unit>& all() const noexcept { return units_; }

  /// Gathers the parameters of the units, of each part of the pipeline apart: those of the part's first unit when it
  /// begins, and those of another when the one before it begins. A unit without calls in this pass is gathered with the
  /// one before it, or else with the first one.
  void gather(AddedCollectives& added, bool backward) const {
    struct Gathered {
      std::size_t call;
      Bytes parameters{};
    };
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      std::vector<Gathered> part;
      Bytes without_calls{};
      for (std::size_t i = 0; i < end - begin; ++i) {
        const Unit& unit = units_[backward ? end - 1 - i : begin + i];
        if (const std::optional<std::size_t>& call = backward ? unit.backward : unit.forward)
          part.push_back({*call, std::exchange(without_calls, {})});
        (part.empty() ? without_calls : part.back().parameters) += unit.parameters;
      }
      std::erase_if(part, [](const Gathered& one) { return one.parameters == Bytes{}; });
      for (std::size_t i = 0; i < part.size(); ++i) {
        const auto call = call_of_.find(calls_[part[i == 0 ? 0 : i - 1].call].first);
        if (call == call_of_.end()) continue;
        const TaskId gathered = added.add_before(call->second, {CollectiveOp::kAllGather, part[i].parameters});
        added.let_wait(calls_[part[i].call].first, gathered);
      }
      begin = end;
    }
  }

 private:
  void add(std::size_t forward, std::size_t forward_end, std::size_t backward, std::size_t backward_end) {
    const auto place = [](std::size_t first, std::size_t end) {
      return first < end ? std::optional{first} : std::nullopt;
    };
    units_.push_back({.forward = place(forward, forward_end), .backward = place(backward, backward_end), .ready = {}});
  }

  std::vector<ModelCall> calls_;
  std::map<TaskId, TaskId> call_of_;
  std::vector<Unit> units_;        ///< in the order of the forward pass
  std::vector<std::size_t> ends_;  ///< for each part of the pipeline, the unit after its last one
};

/// Calls add(capture, group) for the replicas, with all gradients. If they divide experts, calls it once with the
/// gradients of other parameters, and once for the replicas that have the same experts, with their part of these.
template <class Add>
Capture for_each_group(const Capture& capture, const Parallelism& parallelism, const Add& add) {
  const std::uint32_t distance = parallelism.distance_of_replicas();
  if (parallelism.expert == 1) return add(capture, ReplicaGroup{"data parallel", parallelism.data, distance});
  const Experts experts(capture.operators);
  Capture result = capture;
  const auto add_of = [&](bool of_experts, const ReplicaGroup& group) {
    if (group.size == 1) return;
    Capture part = result;
    for (Gradient& gradient : part.gradients) {
      const bool is_own = experts.is_gradient(gradient.bytes) == of_experts;
      gradient.bytes = is_own ? part_of(gradient.bytes, of_experts ? parallelism.expert : 1) : Bytes{};
    }
    Capture made = add(part, group);
    for (std::size_t i = 0; i < made.gradients.size(); ++i) made.gradients[i].bytes = result.gradients[i].bytes;
    result = std::move(made);
  };
  add_of(false, {"data parallel", parallelism.data, distance});
  add_of(true, {"replicas of experts", parallelism.data / parallelism.expert, distance * parallelism.expert});
  return result;
}

Capture with_reduced_gradients(const Capture& capture, const Parallelism& parallelism, const ReplicaGroup& group) {
  const std::optional<Bytes>& bound = capture.job.bucket_bytes;
  const std::vector<Time> parts = backward_parts(capture, parallelism);
  Replicas replicas(capture, parallelism, group, Pass::kBackward);
  for (const auto& [index, step] : gradients_of_steps(capture)) {
    const auto part_of_gradient = [&](const Gradient& gradient) {
      return std::upper_bound(parts.begin(), parts.end(), replicas.finish(gradient.ready));
    };
    TaskId last;
    for (auto begin = step.gradients.begin(); begin != step.gradients.end();) {
      const auto end = std::find_if(begin, step.gradients.end(), [&](const Gradient& gradient) {
        return part_of_gradient(gradient) != part_of_gradient(*begin);
      });
      for (const Bucket& bucket :
           buckets_of(replicas.sizes({begin, end}), bound.value_or(kUsualBucket), bound.value_or(kFirstBucket))) {
        if (bucket.bytes > Bytes{})
          last = replicas.reduce(begin[static_cast<std::ptrdiff_t>(bucket.last)].ready, bucket.bytes);
      }
      begin = end;
    }
    if (last.valid()) replicas.end_backward(index, step, last);
  }
  return std::move(replicas.added()).finish();
}

Capture with_gathered_parameters(const Capture& capture, const Parallelism& parallelism, const ReplicaGroup& group) {
  Replicas replicas(capture, parallelism, group, Pass::kUpdate);
  const std::map<std::int32_t, TaskId>& updates = replicas.ends();
  for (const auto& [index, step] : gradients_of_steps(capture)) {
    const Bytes parameters = replicas.sum(step.gradients);
    if (parameters == Bytes{}) continue;
    TaskId after = step.gradients.back().ready;
    if (const auto update = updates.find(index);
        update != updates.end() && replicas.finish(after) < replicas.finish(update->second))
      after = update->second;
    const TaskId gathered = replicas.added().add_after(after, {CollectiveOp::kAllGather, parameters});
    const Rank rank = capture.dag.lane(after).rank;
    if (const TaskId next = first_work_after(capture.dag, replicas.launches(), rank, replicas.finish(after));
        next.valid())
      replicas.added().let_wait(next, gathered);
  }
  return std::move(replicas.added()).finish();
}

Capture with_divided_parameters(const Capture& capture, const Parallelism& parallelism, const ReplicaGroup& group) {
  Replicas replicas(capture, parallelism, group, Pass::kBackward);
  for (const auto& [index, step] : gradients_of_steps(capture)) {
    Units units(capture, parallelism, replicas);
    const std::vector<Bytes> sizes = replicas.sizes(step.gradients);
    for (std::size_t i = 0; i < sizes.size(); ++i) units.add_gradient(capture, step.gradients[i], sizes[i]);
    TaskId last;
    for (const Units::Unit& unit : units.all()) {
      if (unit.parameters == Bytes{}) continue;
      const TaskId reduced = replicas.reduce(unit.ready, unit.parameters);
      if (!last.valid()) last = reduced;
    }
    units.gather(replicas.added(), false);
    units.gather(replicas.added(), true);
    if (last.valid()) replicas.end_backward(index, step, last);
  }
  return std::move(replicas.added()).finish();
}

}  // namespace

Capture with_reduced_gradients(const Capture& capture, const Parallelism& parallelism) {
  return for_each_group(capture, parallelism, [&](const Capture& part, const ReplicaGroup& group) {
    return with_reduced_gradients(part, parallelism, group);
  });
}

Capture with_gathered_parameters(const Capture& capture, const Parallelism& parallelism) {
  return for_each_group(capture, parallelism, [&](const Capture& part, const ReplicaGroup& group) {
    return with_gathered_parameters(part, parallelism, group);
  });
}

Capture with_divided_parameters(const Capture& capture, const Parallelism& parallelism) {
  return for_each_group(capture, parallelism, [&](const Capture& part, const ReplicaGroup& group) {
    return with_divided_parameters(part, parallelism, group);
  });
}

}  // namespace stepsim
