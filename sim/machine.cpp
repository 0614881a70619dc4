#include "sim/machine.h"

#include <algorithm>
#include <map>

namespace stepsim::sim {

Machine Machine::as_recorded(const Capture& capture) {
  const Dag& dag = capture.dag;
  const std::vector<Time>& start = capture.recording.start;
  Machine machine{dag};
  if (start.size() != dag.task_count() || start.empty()) return machine;

  std::map<Rank, Time> first;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const auto [rank, is_new] = first.try_emplace(dag.lane(TaskId{i}).rank, start[i]);
    if (!is_new) rank->second = std::min(rank->second, start[i]);
  }
  const Time begin = *std::min_element(start.begin(), start.end());

  std::vector<std::pair<TaskId, Time>> origins;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (dag.in_degrees()[i] != 0) continue;
    origins.emplace_back(TaskId{i}, Time{first.at(dag.lane(TaskId{i}).rank) - begin});
  }
  machine.set_origins(std::move(origins));
  return machine;
}

Time Machine::origin(TaskId task) const noexcept {
  const auto found = std::lower_bound(origins_.begin(), origins_.end(), task,
                                      [](const auto& entry, TaskId id) { return entry.first < id; });
  return found != origins_.end() && found->first == task ? found->second : Time{};
}

}  // namespace stepsim::sim
