#ifndef STEPSIM_SIM_EXPORT_TRACKS_H
#define STEPSIM_SIM_EXPORT_TRACKS_H

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/export/exporter.h"
#include "sim/export/tasks_by_lane.h"

/// A timeline as viewers show it. Each rank has a process for what was measured and, below it, one for the replay; of
/// several replays, one for each and none for what was measured. Each lane is a track. The tasks of a track must not
/// overlap, so a lane whose tasks overlap takes several.
namespace stepsim::sim {

/// What was measured of a rank, or one of its replays.
struct TrackProcess {
  const NamedReplay* replay = nullptr;
  std::size_t replay_index = 0;
  Rank rank = 0;
  std::string name;  ///< "rank 0 measured", "rank 0 replayed"
  std::string host;  ///< of its first lane; empty if unknown
  bool replayed = true;
  const std::vector<Time>* start = nullptr;
  const std::vector<Time>* finish = nullptr;
  Time zero;  ///< shown as 0
  std::vector<LaneId> lanes;

  [[nodiscard]] Duration start_of(TaskId task) const { return (*start)[task.index()] - zero; }
  [[nodiscard]] Duration finish_of(TaskId task) const { return (*finish)[task.index()] - zero; }
};

/// The processes of an answer's replays, by rank. 4 bytes a task.
class Tracks {
 public:
  /// Precondition: `answer` outlives it.
  explicit Tracks(const Answer& answer);
  [[nodiscard]] const std::vector<TrackProcess>& processes() const noexcept { return processes_; }

  /// Calls `open` with each track's name and its number within the process, when its first task comes, and `put` with
  /// each task and the number of its track. Lane by lane, and within a lane by start.
  void for_each(const TrackProcess& process,
                const std::function<void(const std::string& name, std::size_t track)>& open,
                const std::function<void(TaskId task, std::size_t track)>& put) const;

 private:
  std::vector<TasksByLane> by_lane_;  ///< of each replay
  std::vector<TrackProcess> processes_;
};

}  // namespace stepsim::sim

#endif
