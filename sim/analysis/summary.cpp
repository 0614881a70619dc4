#include "sim/analysis/summary.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/analysis/activity.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/rank_steps.h"

namespace stepsim::sim {
namespace {

/// Computes the median of all steps but one.
class LeaveOneOut {
 public:
  explicit LeaveOneOut(const std::vector<TimedStep>& steps) {
    for (const TimedStep& step : steps) sorted_.push_back(step.time.replayed);
    std::sort(sorted_.begin(), sorted_.end());
  }

  /// Returns the median of the values without `value`. Precondition: there are at least two.
  [[nodiscard]] Duration median_without(Duration value) const {
    const auto place =
        static_cast<std::size_t>(std::lower_bound(sorted_.begin(), sorted_.end(), value) - sorted_.begin());
    const auto rest = [&](std::size_t i) { return sorted_[i < place ? i : i + 1]; };
    const std::size_t count = sorted_.size() - 1;
    const std::size_t middle = count / 2;
    return count % 2 == 1 ? rest(middle) : rest(middle - 1) + (rest(middle) - rest(middle - 1)) / 2;
  }

 private:
  std::vector<Duration> sorted_;
};

void add_steps(const Recording& recording, const RankSteps& rank, std::vector<StepReport>& reports) {
  const LeaveOneOut others{rank.steps};
  for (const TimedStep& timed : rank.steps) {
    const RecordedStep& step = recording.steps[timed.step];
    const MeasuredAndReplayed& time = timed.time;
    StepReport& report = reports.emplace_back();
    report = {step.rank, timed, step.number, time.measured, time.replayed, time.error(), std::nullopt};
    if (rank.steps.size() < 2 || time.measured == Duration{}) continue;
    report.held_out_error = ratio(others.median_without(time.replayed) - time.measured, time.measured);
  }
}

/// Returns the rank with the longest replayed iteration, the first one for ties; null if there is no rank.
const RankSteps* slowest_of(const std::map<Rank, RankSteps>& ranks) {
  const bool only_with_steps = any_steps(ranks);
  const RankSteps* slowest = nullptr;
  for (const auto& [rank, steps] : ranks) {
    if (only_with_steps && steps.whole == 0) continue;
    if (slowest == nullptr || steps.iteration.replayed > slowest->iteration.replayed) slowest = &steps;
  }
  return slowest;
}

Duration mean_of(const std::vector<TimedStep>& steps) {
  Duration sum{};
  for (const TimedStep& step : steps) sum = saturated_sum(sum, step.time.measured);
  return steps.empty() ? sum : sum / static_cast<std::int64_t>(steps.size());
}

IterationReport job_iteration(const std::map<Rank, RankSteps>& ranks, const std::vector<StepReport>& steps) {
  const MeasuredAndReplayed longest = longest_iteration(ranks);
  const RankSteps* const slowest = slowest_of(ranks);
  IterationReport report{.measured = longest.measured, .replayed = longest.replayed, .error = longest.error()};
  if (slowest != nullptr) {
    report.pace = slowest->pace;
    report.mean = mean_of(slowest->steps);
  }
  std::vector<double> errors;
  errors.reserve(steps.size());
  for (const StepReport& step : steps) errors.push_back(std::abs(step.error));
  if (!any_steps(ranks)) {
    for (const auto& [rank, times] : ranks) errors.push_back(std::abs(times.iteration.error()));
  }
  for (const double error : errors) {
    report.mean_abs_error += error / static_cast<double>(errors.size());
    report.worst_abs_error = std::max(report.worst_abs_error, error);
  }
  return report;
}

/// A rank's activity, and its unexplained waits.
struct RankActivity : Activity {
  using Activity::Activity;
  std::vector<Interval> unexplained;
};

/// Computes a rank's breakdown, of which `parts` are the disjoint parts. Sorts the intervals in `activity` in place,
/// because there may be one for each task.
RankBreakdown breakdown(const IterationParts& parts, Duration iteration, RankActivity& activity,
                        std::int64_t iterations) {
  RankBreakdown result;
  result.rank = parts.rank;
  result.iteration = iteration;
  result.compute = parts.compute;
  result.exposed_communication = parts.communication;
  result.other_steps = parts.other_steps;
  result.idle = parts.idle;
  result.exposed_copies = parts.copies;
  result.exposed_collective_wait = parts.collective_wait;
  result.exposed_loader = parts.loader;
  Interval span{Time::max(), Time::min()};
  const auto in_one = [&](std::vector<Interval>& all) { return std::min(union_length(all) / iterations, iteration); };
  result.communication = in_one(activity.communication.own);
  result.copies = in_one(activity.copies.own);
  result.collective_wait = in_one(activity.collective_wait.own);
  result.loader = in_one(activity.loader.own);
  result.host = in_one(activity.host.own);
  result.device_busy = in_one(activity.busy);
  for (const Interval& work : activity.device.all)
    span = {std::min(span.begin, work.begin), std::max(span.end, work.end)};
  if (span.begin < span.end) result.device_span = span.end - span.begin;
  result.busy_of_span = union_length(activity.device.all);
  const Duration device = in_one(activity.device.own);
  result.computes_on_device = device > Duration{} && device >= result.compute;
  result.unexplained = in_one(activity.unexplained);
  return result;
}

std::map<Rank, RankActivity> activities_of(const Dag& dag, const Recording& recording, const Timeline& timeline,
                                           const std::map<Rank, RankSteps>& ranks) {
  std::map<Rank, RankActivity> activities;
  for (const auto& [rank, steps] : ranks) activities.try_emplace(rank, steps, recording);
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    activities.at(dag.lane(TaskId{i}).rank).add(dag, recording, timeline, TaskId{i});
  }
  for (const Recording::UnexplainedWait& wait : recording.unexplained) {
    RankActivity& activity = activities.at(dag.lane(wait.task).rank);
    const Time started = timeline.start[wait.task.index()];
    activity.iterations.put({started - wait.wait, started}, activity.unexplained);
  }
  return activities;
}

/// Fills summary.ranks, and for slowest_rank() summary.parts and the replayed means of its steps.
void add_breakdowns(const Dag& dag, const Recording& recording, const Timeline& timeline,
                    const std::map<Rank, RankSteps>& ranks, Summary& summary) {
  std::int64_t most_steps = 1;
  for (const auto& [rank, steps] : ranks) most_steps = std::max(most_steps, static_cast<std::int64_t>(steps.whole));
  std::map<Rank, IterationParts> parts;
  std::map<Rank, Duration> waiting;  // for data, from the first whole step to the last
  for (auto& [rank, activity] : activities_of(dag, recording, timeline, ranks)) {
    const RankSteps& steps = ranks.at(rank);
    const std::int64_t iterations = steps.whole == 0 ? most_steps : activity.iterations.count();
    const IterationParts& of_rank = parts[rank] = iteration_parts(rank, activity, iterations);
    summary.ranks.push_back(breakdown(of_rank, steps.iteration.replayed, activity, iterations));
    for (Interval& wait : activity.loader.all) wait = clipped(wait, steps.window);
    waiting[rank] = union_length(activity.loader.all);
  }
  const Rank slowest = slowest_rank(summary).rank;
  const auto found = parts.find(slowest);
  if (found == parts.end()) return;
  summary.parts = found->second;
  const RankSteps& steps = ranks.at(slowest);
  if (steps.whole == 0) return;
  const auto whole = static_cast<std::int64_t>(steps.whole);
  summary.iteration.mean_replayed = (steps.window.end - steps.window.begin) / whole;
  summary.iteration.mean_loader = waiting.at(slowest) / whole;
}

std::vector<UnexplainedKind> kinds_of(const std::vector<Recording::UnexplainedWait>& waits) {
  std::map<std::string_view, UnexplainedKind> kinds;
  for (const Recording::UnexplainedWait& wait : waits) {
    UnexplainedKind& kind = kinds[wait.kind];
    kind.kind = wait.kind;
    kind.wait = saturated_sum(kind.wait, wait.wait);
    ++kind.count;
  }
  std::vector<UnexplainedKind> result;
  result.reserve(kinds.size());
  for (const auto& [name, kind] : kinds) result.push_back(kind);
  std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.wait > b.wait; });
  return result;
}

/// Returns the time from the first start to the last end.
Duration whole_length(const Timeline& timeline) {
  if (timeline.size() == 0) return {};
  return *std::max_element(timeline.finish.begin(), timeline.finish.end()) -
         *std::min_element(timeline.start.begin(), timeline.start.end());
}

Summary summarize_recording(const Dag& dag, const Recording& recording, const Timeline& timeline) {
  const std::map<Rank, RankSteps> ranks = rank_steps(dag, recording, timeline);
  Summary summary;
  for (const auto& [rank, times] : ranks) add_steps(recording, times, summary.steps);
  for (const RecordedStep& step : recording.steps) {
    summary.marked = summary.marked || step.marked;
    if (step.asked && is_set_aside(step)) summary.set_aside.emplace_back(step.rank, step.number);
  }
  summary.iteration = job_iteration(ranks, summary.steps);
  add_breakdowns(dag, recording, timeline, ranks, summary);
  for (const RankBreakdown& rank : summary.ranks) {
    summary.unexplained_wait = std::max(summary.unexplained_wait, rank.unexplained);
  }
  summary.unexplained = kinds_of(recording.unexplained);
  return summary;
}

}  // namespace

Summary summarize(const Capture& capture, const Timeline& timeline) {
  if (capture.recording.start.size() == timeline.size()) {
    Summary summary = summarize_recording(capture.dag, capture.recording, timeline);
    summary.measured = timeline.size() != 0 && !has_modelled_times(capture);
    if (!summary.measured) summary.iteration.measured = Duration{};
    return summary;
  }
  // A task graph has no recording, so its replay is compared with itself, and `measured` is false.
  Recording replayed;
  replayed.start = timeline.start;
  replayed.finish = timeline.finish;
  Summary summary = summarize_recording(capture.dag, replayed, timeline);
  summary.iteration.measured = Duration{};
  summary.iteration.replayed = whole_length(timeline);
  summary.parts.idle += summary.iteration.replayed - summary.parts.sum();  // before the slowest rank starts
  return summary;
}

std::optional<double> RankBreakdown::overlap() const noexcept {
  if (communication == Duration{}) return std::nullopt;
  return 1 - std::min(1.0, ratio(exposed_communication, communication));
}

double waiting_for_data(const Summary& summary) noexcept {
  const IterationReport& iteration = summary.iteration;
  return iteration.mean_replayed > Duration{} ? ratio(iteration.mean_loader, iteration.mean_replayed)
                                              : ratio(summary.parts.loader, summary.parts.sum());
}

RankBreakdown slowest_rank(const Summary& summary) {
  RankBreakdown slowest;
  for (const RankBreakdown& rank : summary.ranks) {
    // The job's iteration is the longest among ranks with steps. A longer iteration is the whole recording of a rank
    // without steps, which does not count.
    const bool of_the_job = rank.iteration <= summary.iteration.replayed;
    if (of_the_job && rank.iteration > slowest.iteration) slowest = rank;
  }
  return slowest;
}

Duration replayed_iteration(const Capture& capture, const Timeline& timeline) {
  return replayed_iteration(capture, timeline, rank_steps(capture.dag, capture.recording, timeline));
}

Duration replayed_iteration(const Capture& capture, const Timeline& timeline, const std::map<Rank, RankSteps>& ranks) {
  return capture.recording.start.size() == timeline.size() ? longest_iteration(ranks).replayed : whole_length(timeline);
}

double Slowing::share() const noexcept { return ratio(recorded - free, free); }

std::optional<Slowing> slowing_of(const Capture& capture, const Summary& summary) {
  if (!capture.job.measured_step || !summary.measured) return std::nullopt;
  Slowing slowing{.recorded = summary.iteration.measured,
                  .free = *capture.job.measured_step,
                  .shortest = summary.iteration.measured};
  for (const StepReport& step : summary.steps) slowing.shortest = std::min(slowing.shortest, step.measured);
  return slowing;
}

}  // namespace stepsim::sim
