#ifndef STEPSIM_MODEL_REWRITE_PARALLEL_ADDED_COLLECTIVES_H
#define STEPSIM_MODEL_REWRITE_PARALLEL_ADDED_COLLECTIVES_H

#include <cstdint>
#include <map>
#include <string>

#include "model/base/units.h"
#include "model/job/collective.h"
#include "model/job/group.h"
#include "model/job/recording.h"
#include "model/rewrite/buckets.h"
#include "model/rewrite/reduction_edit.h"

namespace stepsim {

/// Returns the group of `size` ranks from `first` on, `distance` apart, of which all are copies of the first.
[[nodiscard]] Group copied_group(std::string name, Rank first, std::uint32_t size, std::uint32_t distance);

/// A collective to be added.
struct CollectiveSpec {
  CollectiveOp op = CollectiveOp::kAllReduce;
  Bytes bytes{};
  bool of_activations = false;  ///< see Collective
};

/// Host time of PyTorch's call of a collective on NCCL under its profiler, without waiting. In 14 captures
/// (shared/traces/kineto) the median of all-reduces is 42 to 278 us, and that of the medians 82 us.
inline constexpr Duration kCollectiveCall{80'000};

/// Adds collectives among copies of a rank to a capture, on a stream of their own for each captured rank. A call of
/// kCollectiveCall launches each of them. They follow each other in the order of their launches.
class AddedCollectives {
 public:
  /// `name` is the group's, which has `size` ranks that are `distance` apart. The capture and the launches must outlive
  /// the object.
  AddedCollectives(const Capture& capture, const DeviceLaunches& launches, std::string name, std::uint32_t size,
                   std::uint32_t distance);

  /// Adds a collective of what was computed by the work that the thread of `ready` had launched at its end. A call
  /// after `ready` launches it.
  TaskId add_after(TaskId ready, const CollectiveSpec& what);
  /// Adds a collective that waits for the work that a thread had launched before its call `call`. The call that
  /// launches it follows `call`, whose work can still wait for it.
  TaskId add_before(TaskId call, const CollectiveSpec& what);
  void let_wait(TaskId task, TaskId collective) {
    edit_.capture().builder().add_edge(collective, task, EdgeKind::kSync);
  }

  /// Returns the changed capture. Throws CannotAnswer if device work was launched together where a collective would
  /// have to run in between.
  [[nodiscard]] Capture finish() &&;

 private:
  /// The stream and the group of one rank's collectives.
  struct Place {
    LaneId lane;
    GroupId group;
  };

  TaskId add(TaskId call, Time at, const CollectiveSpec& what);
  const Place& place_of(const Lane& thread);

  const Capture& capture_;
  ReductionEdit edit_;
  std::string name_;
  std::uint32_t size_;
  std::uint32_t distance_;
  std::map<Rank, Place> places_;
};

}  // namespace stepsim

#endif
