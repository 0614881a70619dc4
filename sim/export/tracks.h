#ifndef STEPSIM_SIM_EXPORT_TRACKS_H
#define STEPSIM_SIM_EXPORT_TRACKS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/units.h"
#include "model/job/dag.h"
#include "sim/export/exporter.h"

/// A timeline as viewers show it. Each rank has a process for the measurement and, below it, one for the replay. If
/// there are several replays, there is one process for each and none for the measurement. Each lane is a track. The
/// tasks of a track must not overlap, so a lane with overlapping tasks is split into several tracks.
namespace stepsim::sim {

/// Places intervals on as few rows as possible without overlap, always on the first free row. O(log rows) per interval.
class Rows {
 public:
  /// Returns the row for [begin, end). Precondition: calls are in ascending order of `begin`.
  std::size_t place(Time begin, Time end);
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

 private:
  template <class Entry>
  using Smallest = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

  Smallest<std::pair<Time, std::size_t>> busy_;  ///< end of the last interval, and the row
  Smallest<std::size_t> free_;
  std::size_t count_ = 0;
};

/// The tasks of each lane, ascending. Takes 4 bytes per task.
class TasksByLane {
 public:
  explicit TasksByLane(const Dag& dag);
  [[nodiscard]] std::span<const TaskId> of(LaneId lane) const noexcept {
    return {tasks_.data() + begin_[lane.index()], begin_[lane.index() + 1] - begin_[lane.index()]};
  }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<TaskId> tasks_;
};

/// A rank's measurement, or one of its replays.
struct TrackProcess {
  const NamedReplay* replay = nullptr;
  std::size_t replay_index = 0;
  Rank rank = 0;
  std::string name;  ///< for example "rank 0 measured", "rank 0 replayed"
  std::string host;  ///< host of its first lane; empty if unknown
  bool replayed = true;
  const std::vector<Time>* start = nullptr;
  const std::vector<Time>* finish = nullptr;
  Time zero;  ///< the time shown as 0
  std::vector<LaneId> lanes;

  [[nodiscard]] Duration start_of(TaskId task) const { return (*start)[task.index()] - zero; }
  [[nodiscard]] Duration finish_of(TaskId task) const { return (*finish)[task.index()] - zero; }
};

/// The processes of an answer's replays, by rank. Takes 4 bytes per task.
class Tracks {
 public:
  /// Precondition: `answer` outlives this object.
  explicit Tracks(const Answer& answer);
  [[nodiscard]] const std::vector<TrackProcess>& processes() const noexcept { return processes_; }

  /// Calls `open` with each track's name and its number within the process, before the track's first task. Calls `put`
  /// with each task and the number of its track, lane by lane, and by start within a lane.
  void for_each(const TrackProcess& process,
                const std::function<void(const std::string& name, std::size_t track)>& open,
                const std::function<void(TaskId task, std::size_t track)>& put) const;

 private:
  std::vector<TasksByLane> by_lane_;  ///< tasks by lane, one entry for each replay
  std::vector<TrackProcess> processes_;
};

}  // namespace stepsim::sim

#endif
