#include "sim/stats/launches.h"

#include <algorithm>

namespace stepsim::sim {

std::vector<Launch> launches(const MeasuredWork& work) {
  std::vector<Launch> found;
  const std::vector<TraceDetails::Launch>& known = work.details.launches;
  found.reserve(known.size());
  auto next = known.begin();
  for (std::uint32_t i = 0; i < work.pieces.size() && !work.pieces[i].is_call; ++i) {
    const TaskId task{work.pieces[i].index};
    while (next != known.end() && next->task < task) ++next;
    if (next != known.end() && next->task == task) found.push_back({i, next->call});
  }
  return found;
}

std::vector<LaunchUse> launch_use(const MeasuredWork& work, const std::vector<Launch>& launches) {
  constexpr std::uint32_t kNew = 0xFFFFFFFFU;
  const Dag& dag = work.capture.dag;
  std::vector<std::uint32_t> group_of_name(dag.name_count(), kNew);
  std::vector<LaunchUse> made;
  std::vector<std::uint32_t> group;
  std::vector<Duration> calls;
  std::vector<Duration> delays;
  std::vector<Duration> works;
  for (const Launch& launch : launches) {
    const Piece& piece = work.pieces[launch.piece];
    const TraceDetails::Call& call = work.details.calls[launch.by];
    std::uint32_t& number = group_of_name[dag.name_id(TaskId{piece.index}).index()];
    if (number == kNew) {
      number = static_cast<std::uint32_t>(made.size());
      made.push_back({.name = std::string(work.name(piece)), .call = {}, .delay = {}, .work = {}});
    }
    group.push_back(number);
    calls.push_back(call.duration);
    delays.push_back(std::max(Duration{}, piece.start - (call.start + call.duration)));
    works.push_back(piece.length);
    if (piece.length < call.duration) ++made[number].short_ones;
  }
  const std::vector<Distribution> of_calls = distributions(group, calls, made.size());
  const std::vector<Distribution> of_delays = distributions(group, delays, made.size());
  const std::vector<Distribution> of_works = distributions(group, works, made.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i].call = of_calls[i];
    made[i].delay = of_delays[i];
    made[i].work = of_works[i];
  }
  std::sort(made.begin(), made.end(), [](const LaunchUse& a, const LaunchUse& b) {
    return a.work.total != b.work.total ? a.work.total > b.work.total : a.name < b.name;
  });
  return made;
}

}  // namespace stepsim::sim
