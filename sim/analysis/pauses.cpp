#include "sim/analysis/pauses.h"

#include <algorithm>
#include <map>

#include "sim/analysis/intervals.h"
#include "sim/analysis/rank_steps.h"

namespace stepsim::sim {

double RankPauses::share() const noexcept { return std::min(ratio(time, recorded), 1.0); }

std::vector<RankPauses> pauses_of(const Capture& capture) {
  const Recording& recording = capture.recording;
  if (recording.pauses.empty()) return {};
  const auto counts = [&recording](TaskId task) {
    if (recording.step.empty()) return true;
    const std::int32_t step = recording.step[task.index()];
    return step >= 0 && is_used(recording.steps[static_cast<std::size_t>(step)]);
  };
  std::map<Rank, RankPauses> by_rank;
  for (const Recording::Pause& pause : recording.pauses) {
    if (!counts(pause.task)) continue;
    RankPauses& rank = by_rank[capture.dag.lane(pause.task).rank];
    ++rank.count;
    rank.time = saturated_sum(rank.time, pause.excess);
  }
  std::map<Rank, Interval> recorded;
  for (const TaskId task : capture.dag.tasks()) {
    const Rank rank = capture.dag.lane(task).rank;
    if (recording.start.empty() || !by_rank.contains(rank) || !counts(task)) continue;
    const auto [span, added] =
        recorded.try_emplace(rank, Interval{recording.start[task.index()], recording.finish[task.index()]});
    span->second.begin = std::min(span->second.begin, recording.start[task.index()]);
    span->second.end = std::max(span->second.end, recording.finish[task.index()]);
  }
  std::vector<RankPauses> ranks;
  for (auto& [number, rank] : by_rank) {
    rank.rank = number;
    rank.recorded = recorded[number].end - recorded[number].begin;
    ranks.push_back(rank);
  }
  std::stable_sort(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.share() > b.share(); });
  return ranks;
}

double worst_share_of_pauses(const Capture& capture) {
  const std::vector<RankPauses> ranks = pauses_of(capture);
  return ranks.empty() ? 0 : ranks.front().share();
}

}  // namespace stepsim::sim
