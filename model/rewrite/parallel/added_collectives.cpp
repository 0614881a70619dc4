#include "model/rewrite/parallel/added_collectives.h"

#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/cost/collective/algorithm.h"
#include "model/job/dag_builder.h"

namespace stepsim {
namespace {

const char* name_of(CollectiveOp op) noexcept {
  switch (op) {
    case CollectiveOp::kReduceScatter: return "reduce_scatter";
    case CollectiveOp::kAllGather: return "all_gather";
    default: return "all_reduce";
  }
}

}  // namespace

Group copied_group(std::string name, Rank first, std::uint32_t size, std::uint32_t distance) {
  Group group{.name = std::move(name), .size = size};
  for (std::uint32_t i = 0; i < size; ++i) group.ranks.push_back(first + static_cast<Rank>(i * distance));
  group.copy_of.resize(size, 0);
  return group;
}

AddedCollectives::AddedCollectives(const Capture& capture, const DeviceLaunches& launches, std::string name,
                                   std::uint32_t size, std::uint32_t distance)
    : capture_(capture), edit_(capture, launches), name_(std::move(name)), size_(size), distance_(distance) {}

TaskId AddedCollectives::add_after(TaskId ready, const CollectiveSpec& what) {
  return add(ready, capture_.recording.finish[ready.index()], what);
}

TaskId AddedCollectives::add_before(TaskId call, const CollectiveSpec& what) {
  const Time start = capture_.recording.start[call.index()];
  const bool takes_time = capture_.recording.finish[call.index()] > start;
  return add(call, takes_time ? start : start - Duration{1}, what);
}

/// Adds a collective that a call after `call` launches, of what its thread had launched at `at`.
TaskId AddedCollectives::add(TaskId call, Time at, const CollectiveSpec& what) {
  DagBuilder& builder = edit_.capture().builder();
  const Place& place = place_of(capture_.dag.lane(call));
  const std::string name = std::string(name_of(what.op)) + " (" + name_ + ")";
  const TaskId launch = edit_.add_call(call, {kCollectiveCall, {}}, name);
  const TaskId collective = edit_.capture().add_task({.kind = TaskKind::kCollective,
                                                      .name = builder.intern(name),
                                                      .lane = place.lane,
                                                      .bytes = what.bytes,
                                                      .hint = capture_.recording.finish[call.index()]},
                                                     capture_.recording.step[call.index()]);
  const RendezvousId rendezvous = builder.add_rendezvous({.op = what.op,
                                                          .algorithm = find_collective_model("nccl"),
                                                          .bytes = what.bytes,
                                                          .group = place.group,
                                                          .of_activations = what.of_activations});
  builder.join(rendezvous, collective);
  edit_.launch(collective, capture_.dag.lane_id(call), {at, launch, {}, {}});
  return collective;
}

const AddedCollectives::Place& AddedCollectives::place_of(const Lane& thread) {
  const auto known = places_.find(thread.rank);
  if (known != places_.end()) return known->second;
  DagBuilder& builder = edit_.capture().builder();
  Lane lane{.name = "stream of " + name_, .host = thread.host, .rank = thread.rank, .kind = LaneKind::kStream};
  for (const Lane& one : capture_.dag.lanes()) {
    if (one.kind == LaneKind::kStream) lane.device = one.device;
  }
  const GroupId group = builder.add_group(copied_group(name_, thread.rank, size_, distance_));
  return places_.emplace(thread.rank, Place{builder.add_lane(std::move(lane)), group}).first->second;
}

Capture AddedCollectives::finish() && {
  try {
    return std::move(edit_).finish();
  } catch (const CycleError&) {
    throw CannotAnswer({},
                       "some device work was launched together, as by a CUDA graph, so that no collective fits in "
                       "between; expected a capture without CUDA graphs");
  }
}

}  // namespace stepsim
