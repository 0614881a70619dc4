#include "model/rewrite/parallel/parallelism.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/cost/collective/algorithm.h"
#include "model/cost/device/device_work.h"
#include "model/job/dag_builder.h"
#include "model/rewrite/buckets.h"
#include "model/rewrite/parallel/added_collectives.h"
#include "model/rewrite/parallel/layers.h"
#include "model/rewrite/parallel/model_calls.h"
#include "model/rewrite/parallel/pipeline.h"
#include "model/rewrite/parallel/tensor_division.h"

namespace stepsim {
namespace {

/// Returns the group of all ranks, of which each is a copy of the first one of its stage.
Group all_ranks(const Parallelism& parallelism) {
  Group group{.name = "all ranks", .size = static_cast<std::uint32_t>(parallelism.ranks())};
  for (std::uint32_t rank = 0; rank < group.size; ++rank) {
    group.ranks.push_back(static_cast<Rank>(rank));
    group.copy_of.push_back(rank - rank % parallelism.ranks_of_stage());
  }
  return group;
}

Capture with_tensor_parallel(const Capture& captured, const Parallelism& parallelism) {
  const std::vector<ModelCall> calls = model_calls(captured);
  const TensorDivision division = divide_calls(captured.operators, calls, parallelism.sequence);
  Capture capture = captured;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    for (const std::size_t use : calls[i].uses) capture.operators.uses[use].divided = division.divided[i];
  }
  const DeviceLaunches launches = device_launches(capture);
  const std::map<TaskId, TaskId> call_of = calls_by_work(launches);
  AddedCollectives added(capture, launches, "tensor parallel", parallelism.tensor, 1);
  for (const TensorDivision::Exchange& one : division.exchanges) {
    const bool before = one.op == CollectiveOp::kAllGather;
    const auto call = call_of.find(before ? calls[one.at].first : calls[one.at].last);
    if (call == call_of.end()) continue;
    const AddedCollectives::What what{one.op, one.bytes, true};
    const TaskId made = before ? added.add_before(call->second, what) : added.add_after(call->second, what);
    if (one.before) added.let_wait(calls[*one.before].first, made);
  }
  return std::move(added).finish();
}

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

Capture with_data_parallel(const Capture& capture, const Parallelism& parallelism) {
  const std::optional<Bytes>& bound = capture.job.bucket_bytes;
  const DeviceLaunches launches = device_launches(capture);
  AddedCollectives added(capture, launches, "data parallel", parallelism.data, parallelism.tensor);
  for (const auto& [index, step] : gradients_of_steps(capture)) {
    std::vector<Bytes> sizes = sizes_of(step.gradients);
    for (Bytes& size : sizes) size = part_of(size, parallelism.tensor);
    TaskId last;
    for (const Bucket& bucket : buckets_of(sizes, bound.value_or(kUsualBucket), bound.value_or(kFirstBucket))) {
      if (bucket.bytes == Bytes{}) continue;
      last = added.add_after(step.gradients[bucket.last].ready, {CollectiveOp::kAllReduce, bucket.bytes});
    }
    if (!last.valid()) continue;
    const Time end = capture.recording.finish[step.gradients.back().ready.index()];
    if (const TaskId next = first_work_after(capture.dag, launches, capture.dag.lane(step.thread).rank, end);
        next.valid())
      added.let_wait(next, last);
    const auto thread = launches.find(step.thread);
    const TaskId work = thread == launches.end()
                            ? TaskId{}
                            : last_work(capture.dag, launched_between(thread->second, Time::min(), end));
    if (!work.valid()) continue;
    for (const EdgeId edge : capture.dag.edges_from(work)) {  // what waits for the backward pass
      const TaskId waiting = capture.dag.target(edge);
      if (capture.dag.edge_kind(edge) == EdgeKind::kSync && capture.recording.start[waiting.index()] >= end)
        added.let_wait(waiting, last);
    }
  }
  return std::move(added).finish();
}

}  // namespace

DividedWork divided_work(const Capture& capture, const Parallelism& parallelism) {
  if (capture.recording.ranks.size() != 1 || capture.recording.ranks.front() != 0)
    throw CannotAnswer({}, "the capture has several ranks, or not rank 0; expected the trace of a job on one device");
  if (capture.dag.rendezvous_count() > 0)
    throw CannotAnswer({}, "the captured rank communicates with others; expected the trace of a job on one device");
  if (device_launches(capture).empty())
    throw CannotAnswer({}, "the capture shows no launches of kernels; expected a profiler's trace of a GPU");
  DividedWork found;
  if (parallelism.tensor > 1 || parallelism.has_pieces()) need_shapes(capture);
  if (parallelism.tensor > 1) {
    const TensorDivision division = divide_calls(capture.operators, model_calls(capture), parallelism.sequence);
    found.layers = division.products;
    found.whole_layers = division.whole_products;
    if (found.layers == 0) {
      throw CannotAnswer({},
                         "no layers of a transformer were found: linear layers from the hidden dimension and back to "
                         "it; expected a trace of such a model with record_shapes=True");
    }
  }
  if (parallelism.has_pieces())
    found.layers_of_parts = stage_cuts(capture, calls_of_typical_step(capture), parallelism.parts_of_pipeline()).layers;
  if (parallelism.data == 1) return found;
  for (const Gradient& gradient : capture.gradients) found.gradients += gradient.bytes;
  if (found.gradients == Bytes{}) {
    throw CannotAnswer({},
                       "no gradients with sizes were found; expected a trace of training with PyTorch with "
                       "record_shapes=True");
  }
  return found;
}

Capture with_parallelism(const Capture& capture, const Parallelism& parallelism) {
  static_cast<void>(divided_work(capture, parallelism));
  Capture result = capture;
  if (parallelism.tensor > 1) result = with_tensor_parallel(result, parallelism);
  if (parallelism.has_pieces()) result = with_stages(result, parallelism);
  if (parallelism.data > 1) result = with_data_parallel(result, parallelism);
  CaptureEdit edit(result);
  edit.builder().add_group(all_ranks(parallelism));
  return std::move(edit).finish();
}

}  // namespace stepsim
