#include "sim/analysis/rank_steps.h"

#include <algorithm>
#include <utility>

#include "model/base/median.h"

namespace stepsim::sim {
namespace {

/// Paces of a rank's host and device that differ by less than so many hundredths are the same.
constexpr std::int64_t kSamePace = 1;
/// Ranks whose paces differ by less than so many hundredths have one pace.
constexpr std::int64_t kOnePace = 2;

/// Lengths of time: as measured in the capture, and as replayed.
struct Lengths {
  std::vector<Duration> measured;
  std::vector<Duration> replayed;

  void add(MeasuredAndReplayed length) {
    measured.push_back(length.measured);
    replayed.push_back(length.replayed);
  }
  [[nodiscard]] MeasuredAndReplayed midmeans() const { return {midmean(measured), midmean(replayed)}; }
};

/// Returns the midmean of the steps.
MeasuredAndReplayed pace_of(const std::vector<TimedStep>& steps) {
  Lengths lengths;
  for (const TimedStep& step : steps) lengths.add(step.time);
  return lengths.midmeans();
}

/// An interval: as measured in the capture, and as replayed.
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

/// The task that ends last: by the measured times, and by the replayed times.
struct LastEnd {
  TaskId measured;
  TaskId replayed;

  void include(TaskId task, const Recording& recording, const Timeline& timeline) {
    if (!measured.valid() || recording.finish[task.index()] > recording.finish[measured.index()]) measured = task;
    if (!replayed.valid() || timeline.finish[task.index()] > timeline.finish[replayed.index()]) replayed = task;
  }
};

/// A rank's steps at its two paces.
struct Paces {
  std::vector<TimedStep> by_host;
  std::vector<TimedStep> by_device;  ///< empty without two consecutive steps with device work
  MeasuredAndReplayed host;
  MeasuredAndReplayed device;
  MeasuredAndReplayed behind;  ///< backlog of the device
  MeasuredAndReplayed pause;   ///< idle time of the device before a step

  /// True if the device limits the pace. A device's pace that is slower than the host's does not prove this alone: the
  /// distances between n completions cover other steps than the distances between n starts, and steps vary. Therefore,
  /// the device's average backlog must also be at least half of the difference between the two paces, and its average
  /// pause before a step must be less than half of that difference.
  [[nodiscard]] bool device_binds(Duration MeasuredAndReplayed::*time) const {
    const Duration longer = device.*time - host.*time;
    return longer > Duration{} && 2 * (behind.*time) >= longer && 2 * (pause.*time) < longer;
  }
};

class Measuring {
 public:
  Measuring(const Dag& dag, const Recording& recording, const Timeline& timeline)
      : dag_(dag),
        recording_(recording),
        timeline_(timeline),
        ends_(recording_.steps.size()),
        completions_(recording_.steps.size()),
        begins_(recording_.steps.size()),
        last_launches_(recording_.steps.size()),
        launches_(recording_.steps.size(), false) {
    find_ends();
    std::map<Rank, std::vector<std::size_t>> whole;
    for (std::size_t i = 0; i < recording_.steps.size(); ++i) {
      if (is_used(recording_.steps[i])) whole[recording_.steps[i].rank].push_back(i);
    }
    std::map<Rank, Paces> paces;
    for (auto& [rank, steps] : ranks_) {
      const auto found = whole.find(rank);
      if (found == whole.end()) {
        steps.window = whole_[rank].replayed;
        steps.iteration = whole_[rank].length();
      } else {
        paces.emplace(rank, measure(found->second, steps));
      }
    }
    const bool synchronous = have_one_pace(paces);
    const bool measured = synchronous && devices_set_pace(paces, &MeasuredAndReplayed::measured);
    const bool replayed = synchronous && devices_set_pace(paces, &MeasuredAndReplayed::replayed);
    const bool leads = synchronous && leads_change(paces, &MeasuredAndReplayed::replayed);
    for (auto& [rank, of_rank] : paces) {
      ranks_[rank].leads_change = leads;
      choose(measured || of_rank.device_binds(&MeasuredAndReplayed::measured),
             replayed || of_rank.device_binds(&MeasuredAndReplayed::replayed), std::move(of_rank), ranks_[rank]);
    }
  }

  [[nodiscard]] std::map<Rank, RankSteps> take() { return std::move(ranks_); }

 private:
  void find_ends() {
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
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const TaskId first = recording_.steps[i].first;
      if (first.valid()) ends_[i].include(first, recording_, timeline_);
      // Work of a step on a side stream may end after all work of the next step. A step therefore completes no earlier
      // than the step before it.
      if (i > 0 && recording_.steps[i - 1].next_follows) include_ends_of(completions_[i - 1], completions_[i]);
      include_ends_of(completions_[i], ends_[i]);
    }
  }

  void include_ends_of(const LastEnd& other, LastEnd& end) const {
    if (!other.measured.valid()) return;
    end.include(other.measured, recording_, timeline_);
    end.include(other.replayed, recording_, timeline_);
  }

  void include_end(TaskId task, std::size_t step) {
    ends_[step].include(task, recording_, timeline_);
    if (dag_.kind(task) == TaskKind::kRuntime && is_launch(task))
      last_launches_[step].include(task, recording_, timeline_);
    if (dag_.lane(task).kind != LaneKind::kStream) return;
    completions_[step].include(task, recording_, timeline_);
    begins_[step].include_start_of(task, recording_, timeline_);
    if (dag_.kind(task) == TaskKind::kKernel) launches_[step] = true;
  }

  [[nodiscard]] bool is_launch(TaskId task) const {
    const auto edges = dag_.edges_from(task);
    return std::any_of(edges.begin(), edges.end(),
                       [this](EdgeId edge) { return dag_.edge_kind(edge) == EdgeKind::kLaunch; });
  }

  /// Returns the backlog of the device: the time from a step's last launch to its completion. Without recorded launch
  /// calls, returns a time that is longer than any backlog.
  [[nodiscard]] MeasuredAndReplayed backlog(std::size_t step) const {
    const LastEnd& done = completions_[step];
    const LastEnd& launched = last_launches_[step];
    if (!launched.measured.valid()) return {Duration::max() / 2, Duration::max() / 2};
    return {recording_.finish[done.measured.index()] - recording_.finish[launched.measured.index()],
            timeline_.finish[done.replayed.index()] - timeline_.finish[launched.replayed.index()]};
  }

  /// Returns how long the device is idle before a step: from the completion of the previous step to the first device
  /// work of this step.
  [[nodiscard]] MeasuredAndReplayed pause_before(std::size_t step) const {
    const LastEnd& done = completions_[step - 1];
    return {begins_[step].measured.begin - recording_.finish[done.measured.index()],
            begins_[step].replayed.begin - timeline_.finish[done.replayed.index()]};
  }

  /// True if the two durations differ by at most so many hundredths of the longer one.
  static bool is_close(Duration a, Duration b, std::int64_t hundredths) {
    return 100 * std::chrono::abs(a - b) <= hundredths * std::max(a, b);
  }

  /// Times a rank's steps, and sets all of `rank` that does not depend on its pace.
  [[nodiscard]] Paces measure(const std::vector<std::size_t>& steps, RankSteps& rank) const {
    Lengths backlogs;
    Lengths pauses;
    rank.whole = steps.size();
    Paces paces;
    for (const std::size_t step : steps) {
      paces.by_host.push_back(from_start(step));
      const TimedStep& timed = paces.by_host.back();
      if (follows(step)) rank.iterations.push_back(timed);
      if (follows(step) && is_used(recording_.steps[step + 1]) && launches_[step] && launches_[step + 1]) {
        paces.by_device.push_back(to_completion(step + 1));
        backlogs.add(backlog(step + 1));
        pauses.add(pause_before(step + 1));
      }
      rank.window.begin = std::min(rank.window.begin, timed.begin);
      rank.window.end = std::max(rank.window.end, timed.begin + timed.time.replayed);
    }
    if (rank.iterations.empty()) rank.iterations = paces.by_host;
    paces.host = pace_of(rank.iterations);
    paces.device = pace_of(paces.by_device);
    paces.behind = backlogs.midmeans();
    paces.pause = pauses.midmeans();
    return paces;
  }

  /// True if all ranks have both paces, and collectives or messages tie ranks to each other: then no rank can have
  /// another pace than the others for long.
  [[nodiscard]] bool have_one_pace(const std::map<Rank, Paces>& paces) const {
    if (paces.size() < 2) return false;
    const bool have_both =
        std::none_of(paces.begin(), paces.end(), [](const auto& entry) { return entry.second.by_device.empty(); });
    const auto all = dag_.all_rendezvous();
    return have_both && std::any_of(all.begin(), all.end(), [this](RendezvousId rendezvous) {
             const auto members = dag_.members(rendezvous);
             return !members.empty() && dag_.lane(members.front()).rank != dag_.lane(members.back()).rank;
           });
  }

  /// True if the devices complete steps at one pace and the hosts begin them at different ones, because the hosts'
  /// leads over their devices change.
  [[nodiscard]] static bool leads_change(const std::map<Rank, Paces>& paces, Duration MeasuredAndReplayed::*time) {
    const auto are_close = [&](MeasuredAndReplayed Paces::*pace) {
      const auto [least, most] = std::minmax_element(paces.begin(), paces.end(), [&](const auto& a, const auto& b) {
        return a.second.*pace.*time < b.second.*pace.*time;
      });
      return is_close(least->second.*pace.*time, most->second.*pace.*time, kOnePace);
    };
    return are_close(&Paces::device) && !are_close(&Paces::host);
  }

  /// True if the devices set the pace of ranks that have one pace: if they do on one rank, or if the leads of hosts
  /// change.
  [[nodiscard]] static bool devices_set_pace(const std::map<Rank, Paces>& paces, Duration MeasuredAndReplayed::*time) {
    return leads_change(paces, time) || std::any_of(paces.begin(), paces.end(), [time](const auto& entry) {
             return entry.second.device_binds(time);
           });
  }

  /// Sets the pace of a rank: that of its device, if `measured` and `replayed` say so, or that of its host.
  static void choose(bool measured, bool replayed, Paces paces, RankSteps& rank) {
    const bool any = !paces.by_device.empty();
    rank.iteration = {(any && measured ? paces.device : paces.host).measured,
                      (any && replayed ? paces.device : paces.host).replayed};
    if (any) rank.pace = is_close(paces.device.replayed, paces.host.replayed, kSamePace) ? Pace::kBoth : Pace::kHost;
    if (any && replayed) {
      rank.iterations = paces.by_device;
      if (rank.pace != Pace::kBoth) rank.pace = Pace::kDevice;
      std::swap(paces.by_host, paces.by_device);
    }
    rank.steps = std::move(paces.by_host);
    rank.at_other_pace = std::move(paces.by_device);
  }

  /// True if the begin of the next step is known, which ends this one. The capture may cut that step off later.
  [[nodiscard]] bool follows(std::size_t step) const {
    return recording_.steps[step].next_follows && step + 1 < recording_.steps.size() &&
           recording_.steps[step + 1].first.valid();
  }

  /// Times a step to the start of the next one if that follows immediately, otherwise to the end of its last task.
  [[nodiscard]] TimedStep from_start(std::size_t step) const {
    if (!follows(step)) return last_one(step);
    const TaskId first = recording_.steps[step].first;
    const TaskId next = recording_.steps[step + 1].first;
    const Time begin = timeline_.start[first.index()];
    return {step,
            {recording_.start[next.index()] - recording_.start[first.index()], timeline_.start[next.index()] - begin},
            begin,
            next};
  }

  /// Times a step to the end of its last task, because no step follows. The time begins at the step's start, or at the
  /// completion of the previous step if that is later: until then the device did work that the host had launched ahead.
  [[nodiscard]] TimedStep last_one(std::size_t step) const {
    const TaskId first = recording_.steps[step].first;
    Time measured = recording_.start[first.index()];
    Time replayed = timeline_.start[first.index()];
    if (step > 0 && recording_.steps[step - 1].next_follows && launches_[step - 1] && launches_[step]) {
      const LastEnd& before = completions_[step - 1];
      measured = std::max(measured, recording_.finish[before.measured.index()]);
      replayed = std::max(replayed, timeline_.finish[before.replayed.index()]);
    }
    const LastEnd& end = ends_[step];
    return {step,
            {recording_.finish[end.measured.index()] - measured, timeline_.finish[end.replayed.index()] - replayed},
            replayed,
            end.replayed};
  }

  /// Times a step from the completion of the previous step to its own completion. Precondition: the previous step is
  /// whole, and device work was launched in both.
  [[nodiscard]] TimedStep to_completion(std::size_t step) const {
    const LastEnd& before = completions_[step - 1];
    const LastEnd& end = completions_[step];
    const Time begin = timeline_.finish[before.replayed.index()];
    return {step,
            {recording_.finish[end.measured.index()] - recording_.finish[before.measured.index()],
             timeline_.finish[end.replayed.index()] - begin},
            begin,
            end.replayed};
  }

  const Dag& dag_;
  const Recording& recording_;
  const Timeline& timeline_;
  std::vector<LastEnd> ends_;           ///< indexed by step: the last end of its tasks
  std::vector<LastEnd> completions_;    ///< indexed by step: the last end of device work launched in it or earlier
  std::vector<Span> begins_;            ///< indexed by step: the begin of device work launched in it; ends are unset
  std::vector<LastEnd> last_launches_;  ///< indexed by step: the last end of its launch calls
  std::vector<bool> launches_;          ///< indexed by step: true if it launches kernels
  std::map<Rank, Span> whole_;          ///< indexed by rank: the span of the whole capture
  std::map<Rank, RankSteps> ranks_;
};

}  // namespace

std::string_view to_text(Pace pace) noexcept {
  switch (pace) {
    case Pace::kHost: return "host";
    case Pace::kDevice: return "device";
    case Pace::kBoth: break;
  }
  return "both";
}

double MeasuredAndReplayed::error() const noexcept { return ratio(replayed - measured, measured); }

std::map<Rank, RankSteps> rank_steps(const Dag& dag, const Recording& recording, const Timeline& timeline) {
  return Measuring{dag, recording, timeline}.take();
}

std::size_t step_count(const Recording& recording) {
  std::map<Rank, std::size_t> steps;
  for (const RecordedStep& step : recording.steps) {
    if (step.marked) steps[step.rank] += is_used(step) ? 1U : 0U;
  }
  const auto fewest =
      std::min_element(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return fewest == steps.end() ? 0 : fewest->second;
}

bool any_steps(const std::map<Rank, RankSteps>& ranks) {
  return std::any_of(ranks.begin(), ranks.end(), [](const auto& entry) { return entry.second.whole > 0; });
}

MeasuredAndReplayed longest_iteration(const std::map<Rank, RankSteps>& ranks) {
  const bool only_with_steps = any_steps(ranks);
  MeasuredAndReplayed longest;
  for (const auto& [rank, times] : ranks) {
    if (only_with_steps && times.whole == 0) continue;
    longest.measured = std::max(longest.measured, times.iteration.measured);
    longest.replayed = std::max(longest.replayed, times.iteration.replayed);
  }
  return longest;
}

}  // namespace stepsim::sim
