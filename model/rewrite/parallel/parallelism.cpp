#include "model/rewrite/parallel/parallelism.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/cost/collective/algorithm.h"
#include "model/cost/device/device_work.h"
#include "model/job/dag_builder.h"
#include "model/rewrite/buckets.h"
#include "model/rewrite/parallel/layers.h"
#include "model/rewrite/parallel/model_calls.h"
#include "model/rewrite/parallel/pipeline.h"
#include "model/rewrite/parallel/tensor_division.h"
#include "model/rewrite/reduction_edit.h"

namespace stepsim {
namespace {

/// Returns the group of `size` ranks from `first` on, `distance` apart, of which all are copies of the first.
Group group_of_copies(std::string name, Rank first, std::uint32_t size, std::uint32_t distance) {
  Group group{.name = std::move(name), .size = size};
  for (std::uint32_t i = 0; i < size; ++i) group.ranks.push_back(first + static_cast<Rank>(i * distance));
  group.copy_of.resize(size, 0);
  return group;
}

/// Returns the group of all ranks, of which each is a copy of the first one of its stage.
Group all_ranks(const Parallelism& parallelism) {
  Group group{.name = "all ranks", .size = static_cast<std::uint32_t>(parallelism.ranks())};
  for (std::uint32_t rank = 0; rank < group.size; ++rank) {
    group.ranks.push_back(static_cast<Rank>(rank));
    group.copy_of.push_back(rank - rank % parallelism.ranks_of_stage());
  }
  return group;
}

/// Adds all-reduces to a capture, on streams of their own.
class AddedReductions {
 public:
  /// All-reduces with these names, among `size` ranks that are `distance` apart. The other arguments must outlive it.
  AddedReductions(const Capture& capture, const DeviceLaunches& launches, std::string name, std::uint32_t size,
                  std::uint32_t distance)
      : capture_(capture), edit_(capture, launches), name_(std::move(name)), size_(size), distance_(distance) {}

  /// Adds an all-reduce of what was computed by the work that the thread of `ready` had launched at its end. A call
  /// after `ready` launches it.
  TaskId add(TaskId ready, Bytes bytes, bool of_activations) {
    const Recording& recording = capture_.recording;
    DagBuilder& builder = edit_.capture().builder();
    const Place& place = place_of(capture_.dag.lane(ready));
    const Time at = recording.finish[ready.index()];
    const std::string name = "all_reduce (" + name_ + ")";
    const TaskId call = edit_.add_call(ready, {kCollectiveCall, {}}, name);
    const TaskId reduction = edit_.capture().add_task(
        {.kind = TaskKind::kCollective, .name = builder.intern(name), .lane = place.lane, .bytes = bytes, .hint = at},
        recording.step[ready.index()]);
    const RendezvousId rendezvous = builder.add_rendezvous({.op = CollectiveOp::kAllReduce,
                                                            .algorithm = find_collective_model("nccl"),
                                                            .bytes = bytes,
                                                            .group = place.group,
                                                            .of_activations = of_activations});
    builder.join(rendezvous, reduction);
    edit_.launch(reduction, capture_.dag.lane_id(ready), {at, call, {}, {}});
    return reduction;
  }

  void let_wait(TaskId task, TaskId reduction) { edit_.capture().builder().add_edge(reduction, task, EdgeKind::kSync); }

  [[nodiscard]] Capture finish() && {
    try {
      return std::move(edit_).finish();
    } catch (const CycleError&) {
      throw CannotAnswer({},
                         "some device work was launched together, as by a CUDA graph, so that no all-reduce fits in "
                         "between; expected a capture without CUDA graphs");
    }
  }

 private:
  /// The stream and the group of one rank's all-reduces.
  struct Place {
    LaneId lane;
    GroupId group;
  };

  const Place& place_of(const Lane& thread) {
    const auto known = places_.find(thread.rank);
    if (known != places_.end()) return known->second;
    DagBuilder& builder = edit_.capture().builder();
    Lane lane{.name = "stream of " + name_, .host = thread.host, .rank = thread.rank, .kind = LaneKind::kStream};
    for (const Lane& one : capture_.dag.lanes()) {
      if (one.kind == LaneKind::kStream) lane.device = one.device;
    }
    const GroupId group = builder.add_group(group_of_copies(name_, thread.rank, size_, distance_));
    return places_.emplace(thread.rank, Place{builder.add_lane(std::move(lane)), group}).first->second;
  }

  const Capture& capture_;
  ReductionEdit edit_;
  std::string name_;
  std::uint32_t size_;
  std::uint32_t distance_;
  std::map<Rank, Place> places_;
};

Capture with_tensor_parallel(const Capture& captured, std::uint32_t ranks) {
  const std::vector<ModelCall> calls = model_calls(captured);
  const TensorDivision division = divide_calls(captured.operators, calls);
  Capture capture = captured;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    for (const std::size_t use : calls[i].uses) capture.operators.uses[use].divided = division.divided[i];
  }
  const DeviceLaunches launches = device_launches(capture);
  const std::map<TaskId, TaskId> call_of = calls_by_work(launches);
  AddedReductions reductions(capture, launches, "tensor parallel", ranks, 1);
  for (const TensorDivision::Reduction& one : division.reductions) {
    const auto call = call_of.find(calls[one.after].last);
    if (call == call_of.end()) continue;
    const TaskId reduction = reductions.add(call->second, one.bytes, true);
    if (one.before) reductions.let_wait(calls[*one.before].first, reduction);
  }
  return std::move(reductions).finish();
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
  AddedReductions reductions(capture, launches, "data parallel", parallelism.data, parallelism.tensor);
  for (const auto& [index, step] : gradients_of_steps(capture)) {
    std::vector<Bytes> sizes = sizes_of(step.gradients);
    for (Bytes& size : sizes) size = part_of(size, parallelism.tensor);
    TaskId last;
    for (const Bucket& bucket : buckets_of(sizes, bound.value_or(kUsualBucket), bound.value_or(kFirstBucket))) {
      if (bucket.bytes == Bytes{}) continue;
      last = reductions.add(step.gradients[bucket.last].ready, bucket.bytes, false);
    }
    if (!last.valid()) continue;
    const Time end = capture.recording.finish[step.gradients.back().ready.index()];
    if (const TaskId next = first_work_after(capture.dag, launches, capture.dag.lane(step.thread).rank, end);
        next.valid())
      reductions.let_wait(next, last);
    const auto thread = launches.find(step.thread);
    const TaskId work = thread == launches.end()
                            ? TaskId{}
                            : last_work(capture.dag, launched_between(thread->second, Time::min(), end));
    if (!work.valid()) continue;
    for (const EdgeId edge : capture.dag.edges_from(work)) {  // what waits for the backward pass
      const TaskId waiting = capture.dag.target(edge);
      if (capture.dag.edge_kind(edge) == EdgeKind::kSync && capture.recording.start[waiting.index()] >= end)
        reductions.let_wait(waiting, last);
    }
  }
  return std::move(reductions).finish();
}

/// The least share of the model's device time that must be of operators with shapes. Other kernels are in no layer.
constexpr double kLeastWithShapes = 0.8;

void need_shapes(const Capture& capture) {
  Duration all{};
  Duration with_shapes{};
  for (const auto& [task, piece] : device_work(capture)) {
    if (capture.dag.kind(task) != TaskKind::kKernel || piece.in_optimizer) continue;
    all += piece.recorded;
    if (piece.which) with_shapes += piece.recorded;
  }
  const double share =
      all > Duration{} ? static_cast<double>(with_shapes.count()) / static_cast<double>(all.count()) : 0;
  if (share >= kLeastWithShapes) return;
  throw CannotAnswer({},
                     fmt::format("{:.0f} % of the kernels' time is of operators with shapes, so that most layers are "
                                 "not known; expected {:.0f} %: a trace with record_shapes=True and without CUDA "
                                 "graphs",
                                 100 * share, 100 * kLeastWithShapes));
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
    const TensorDivision division = divide_calls(capture.operators, model_calls(capture));
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
  if (parallelism.tensor > 1) result = with_tensor_parallel(result, parallelism.tensor);
  if (parallelism.has_pieces()) result = with_stages(result, parallelism);
  if (parallelism.data > 1) result = with_data_parallel(result, parallelism);
  CaptureEdit edit(result);
  edit.builder().add_group(all_ranks(parallelism));
  return std::move(edit).finish();
}

}  // namespace stepsim
