#ifndef STEPSIM_MODEL_REWRITE_REDUCTION_EDIT_H
#define STEPSIM_MODEL_REWRITE_REDUCTION_EDIT_H

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/units.h"
#include "model/rewrite/buckets.h"
#include "model/rewrite/capture_edit.h"

namespace stepsim {

/// Time that a thread spends on the call of a collective, up to and including the launch of its kernel, and after it.
struct CallTimes {
  Duration before{};
  Duration after{};
};

/// Edits a capture so that collectives on streams are launched by other calls, at other places of their thread and
/// stream: what with_device_buckets() and with_early_reductions() have in common. The capture and the launches must
/// outlive it.
class ReductionEdit {
 public:
  ReductionEdit(const Capture& capture, const DeviceLaunches& launches);

  /// The edit of all other parts of the capture.
  [[nodiscard]] CaptureEdit& capture() noexcept { return edit_; }

  /// Returns the times of a captured call. It consists of the launch and of those tasks beside it that are ranges of
  /// the library or runtime calls that launch nothing; between two collectives, these belong to the later one.
  [[nodiscard]] CallTimes call_times(const DeviceLaunch& launch) const;
  /// Makes a captured call take no time.
  void drop_call(const DeviceLaunch& launch);
  /// Adds a call named `name` after task `ready` and after the calls that were added there before. Returns its launch.
  TaskId add_call(TaskId ready, const CallTimes& times, std::string_view name);

  /// Launches the collective `kernel`, captured or added, by launch.call, which ends at launch.end. It then waits for
  /// this call, for the last work other than a collective that `thread` had launched by then, and for the kernels of
  /// its stream that were launched before. Its lags are those of the captured collective launch.work. A captured kernel
  /// must be among those of forget_waits().
  void launch(TaskId kernel, LaneId thread, const DeviceLaunch& launch);
  /// Removes what captured collectives wait for, and takes them from their places on their streams. What waits for them
  /// stays. launch() gives each a new place. O(edges).
  void forget_waits(std::set<TaskId> kernels);
  /// Removes a captured collective.
  void remove(TaskId kernel);

  /// Returns the changed capture. Throws CycleError.
  [[nodiscard]] Capture finish() &&;

 private:
  /// The tasks of a thread that belong to the call of one collective.
  struct Call {
    std::vector<TaskId> before;  ///< up to and including the launch, latest first
    std::vector<TaskId> after;
  };
  enum class Change : std::uint8_t { kStays, kLeaves, kArrives };
  /// A kernel on a stream, with the time of its launch, or of its start if that is unknown.
  struct Place {
    Time at;
    TaskId task;
    Change change = Change::kStays;
  };

  void link(TaskId task);
  [[nodiscard]] bool is_of_call(TaskId task) const;
  [[nodiscard]] bool launches_collective(TaskId call) const;
  [[nodiscard]] Call call_of(TaskId launch) const;
  [[nodiscard]] bool leaves(TaskId task) const { return moved_.contains(task) || removed_.contains(task); }
  void order_threads();
  void order_streams();
  void order_stream(LaneId lane, std::vector<Place> places);
  [[nodiscard]] Duration pause_on(LaneId lane) const;

  const Dag& dag_;
  const Recording& recording_;
  const DeviceLaunches& launches_;
  CaptureEdit edit_;
  std::vector<TaskId> next_;      ///< indexed by task: the next one on its thread
  std::vector<TaskId> previous_;  ///< indexed by task: the previous one on its thread
  std::vector<bool> launches_work_;
  std::map<TaskId, Duration> sync_lag_;  ///< lag of the edge into the waiting task, for each collective
  std::map<TaskId, std::vector<std::pair<TaskId, TaskId>>> calls_after_;  ///< new calls, by the task they follow
  std::map<LaneId, std::vector<Place>> arriving_;                         ///< by stream
  std::set<TaskId> moved_;
  std::set<TaskId> removed_;
};

}  // namespace stepsim

#endif
