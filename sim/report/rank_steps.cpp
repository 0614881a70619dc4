#include "sim/report/rank_steps.h"

#include <algorithm>
#include <optional>

#include "model/base/median.h"

namespace stepsim::sim {
namespace {

/// Lengths that belong together, measured and replayed.
struct Lengths {
  std::vector<Duration> measured;
  std::vector<Duration> replayed;

  void add(MeasuredAndReplayed length) {
    measured.push_back(length.measured);
    replayed.push_back(length.replayed);
  }
  [[nodiscard]] MeasuredAndReplayed medians() const { return {median(measured), median(replayed)}; }
};

/// From which instant to which, measured and replayed.
struct Span {
  Interval measured{Time::max(), Time::min()};
  Interval replayed{Time::max(), Time::min()};

  void include_start_of(TaskId task, const Recording& recording, const Timeline& timeline) {
    measured.begin = std::min(measured.begin, recording.start[task.index()]);
    replayed.begin = std::min(replayed.begin, timeline.start[task.index()]);
  }
  void include_end_of(TaskId task, const Recording& recording, const Timeline& timeline) {
    measured.end = std::max(measured.end, recording.finish[task.index()]);
    replayed.end = std::max(replayed.end, timeline.finish[task.index()]);
  }
  void include(const Span& other) {
    measured = {std::min(measured.begin, other.measured.begin), std::max(measured.end, other.measured.end)};
    replayed = {std::min(replayed.begin, other.replayed.begin), std::max(replayed.end, other.replayed.end)};
  }
  [[nodiscard]] bool has_end() const { return replayed.end != Time::min(); }
  [[nodiscard]] MeasuredAndReplayed length() const {
    return {measured.end - measured.begin, replayed.end - replayed.begin};
  }
};

class Measuring {
 public:
  Measuring(const Dag& dag, const Recording& recording, const Timeline& timeline)
      : dag_(dag),
        recording_(recording),
        timeline_(timeline),
        spans_(recording_.steps.size()),
        device_work_(recording_.steps.size()),
        launches_(recording_.steps.size(), false) {
    find_spans();
    for (std::size_t i = 0; i < recording_.steps.size(); ++i) {
      const RecordedStep& step = recording_.steps[i];
      if (is_used(step)) add_step(i, ranks_[step.rank]);
    }
    for (auto& [rank, steps] : ranks_) finish_rank(steps, whole_[rank]);
  }

  [[nodiscard]] std::map<Rank, RankSteps> take() { return std::move(ranks_); }

 private:
  void find_spans() {
    std::vector<Span> by_lane(dag_.lanes().size());
    for (std::size_t i = 0; i < recording_.start.size(); ++i) {
      Span& lane = by_lane[dag_.lane_id(TaskId{i}).index()];
      lane.include_start_of(TaskId{i}, recording_, timeline_);
      lane.include_end_of(TaskId{i}, recording_, timeline_);
      const std::int32_t step = recording_.step.empty() ? -1 : recording_.step[i];
      if (step >= 0) include_end(TaskId{i}, static_cast<std::size_t>(step));
    }
    for (std::size_t i = 0; i < by_lane.size(); ++i) {
      if (by_lane[i].has_end()) whole_[dag_.lanes()[i].rank].include(by_lane[i]);
    }
    for (const auto& [rank, whole] : whole_) ranks_.try_emplace(rank);
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const RecordedStep& step = recording_.steps[i];
      if (step.first.valid()) spans_[i].include_start_of(step.first, recording_, timeline_);
    }
  }

  void include_end(TaskId task, std::size_t step) {
    spans_[step].include_end_of(task, recording_, timeline_);
    if (dag_.lane(task).kind == LaneKind::kStream) device_work_[step].include_end_of(task, recording_, timeline_);
    if (dag_.kind(task) == TaskKind::kKernel) launches_[step] = true;
  }

  void add_step(std::size_t index, RankSteps& rank) {
    Span& span = spans_[index];
    if (follows(index)) {
      const TaskId next = recording_.steps[index + 1].first;
      span.measured.end = recording_.start[next.index()];
      span.replayed.end = timeline_.start[next.index()];
    }
    rank.steps.push_back(index);
    rank.times.push_back(span.length());
    rank.window.begin = std::min(rank.window.begin, span.replayed.begin);
    rank.window.end = std::max(rank.window.end, span.replayed.end);
  }

  [[nodiscard]] bool follows(std::size_t step) const {
    return recording_.steps[step].next_follows && step + 1 < recording_.steps.size() &&
           is_used(recording_.steps[step + 1]);
  }

  void finish_rank(RankSteps& rank, const Span& whole) {
    if (rank.steps.empty()) {
      rank.window = whole.replayed;
      rank.iteration = whole.length();
      return;
    }
    const bool any_follows =
        std::any_of(rank.steps.begin(), rank.steps.end(), [this](std::size_t step) { return follows(step); });
    Lengths lengths;
    for (std::size_t i = 0; i < rank.steps.size(); ++i) {
      if (!any_follows || follows(rank.steps[i])) lengths.add(rank.times[i]);
    }
    rank.iteration = lengths.medians();
    rank.iteration.replayed += falling_behind(rank);
  }

  /// By how much more than in the recording the device falls behind its host in one step: how far
  /// its work ends behind the step's start, from step to step, on average.
  [[nodiscard]] Duration falling_behind(const RankSteps& rank) const {
    MeasuredAndReplayed grown;
    std::int64_t steps = 0;
    for (const std::size_t step : rank.steps) {
      if (!follows(step) || !launches_[step] || !launches_[step + 1]) continue;
      const MeasuredAndReplayed before = behind(step);
      const MeasuredAndReplayed after = behind(step + 1);
      grown.measured += after.measured - before.measured;
      grown.replayed += after.replayed - before.replayed;
      ++steps;
    }
    if (steps == 0) return {};
    return std::max(Duration{}, grown.replayed - std::max(Duration{}, grown.measured)) / steps;
  }

  [[nodiscard]] MeasuredAndReplayed behind(std::size_t step) const {
    const TaskId first = recording_.steps[step].first;
    return {device_work_[step].measured.end - recording_.start[first.index()],
            device_work_[step].replayed.end - timeline_.start[first.index()]};
  }

  const Dag& dag_;
  const Recording& recording_;
  const Timeline& timeline_;
  std::vector<Span> spans_;        ///< by step
  std::vector<Span> device_work_;  ///< by step: when it ends; begins are not kept
  std::vector<bool> launches_;     ///< by step: whether kernels are launched in it
  std::map<Rank, Span> whole_;     ///< of the capture
  std::map<Rank, RankSteps> ranks_;
};

}  // namespace

double MeasuredAndReplayed::error() const noexcept { return ratio(replayed - measured, measured); }

std::map<Rank, RankSteps> rank_steps(const Dag& dag, const Recording& recording, const Timeline& timeline) {
  return Measuring{dag, recording, timeline}.take();
}

bool any_steps(const std::map<Rank, RankSteps>& ranks) {
  return std::any_of(ranks.begin(), ranks.end(), [](const auto& entry) { return !entry.second.steps.empty(); });
}

MeasuredAndReplayed longest_iteration(const std::map<Rank, RankSteps>& ranks) {
  const bool only_with_steps = any_steps(ranks);
  MeasuredAndReplayed longest;
  for (const auto& [rank, times] : ranks) {
    if (only_with_steps && times.steps.empty()) continue;
    longest.measured = std::max(longest.measured, times.iteration.measured);
    longest.replayed = std::max(longest.replayed, times.iteration.replayed);
  }
  return longest;
}

}  // namespace stepsim::sim
