#include "scenarios/answer/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "model/base/text.h"
#include "sim/analysis/activity.h"
#include "sim/report/class_style.h"
#include "sim/report/headline.h"
#include "sim/report/table.h"

namespace stepsim::scenarios {
namespace {

using sim::PathClass;
using sim::ratio;
using stepsim::to_text;

/// Changes below this share of an iteration are not explained.
constexpr double kWorthSaying = 0.005;

std::array<Duration, sim::kPathClassCount> work_of(const PredictionView& view) {
  std::array<Duration, sim::kPathClassCount> work{};
  const Dag& dag = view.prediction.graph->dag;
  for (const TaskId task : dag.tasks()) {
    work[static_cast<std::size_t>(sim::path_class_of(dag, task))] += sim::own_time(dag, view.prediction.timeline, task);
  }
  return work;
}

/// The total change of the durations of tasks other than communication, or of communication if only that changes.
/// Communication is treated separately because its time also depends on the sharing of links.
struct ChangedWork {
  Duration time{};  ///< change of the time per iteration
  bool of_messages = false;
};

ChangedWork changed_work(const ReplayDifference& difference, const PredictionView& baseline) {
  const auto an_iteration = [&baseline](Duration time) {
    return Duration{std::llround(static_cast<double>(time.count()) / baseline.iterations)};
  };
  const Duration messages = difference.work[static_cast<std::size_t>(PathClass::kCommunication)];
  Duration others{};
  for (const Duration time : difference.work) others += time;
  others = an_iteration(others - messages);
  const bool worthwhile = std::abs(ratio(others, baseline.prediction.iteration)) >= kWorthSaying;
  return worthwhile ? ChangedWork{others, false} : ChangedWork{an_iteration(messages), true};
}

std::string magnitude(Duration time) { return to_text(Duration{std::abs(time.count())}); }
/// Returns "3.2 ms less" or "3.2 ms more".
std::string less_or_more(Duration difference) {
  return fmt::format("{} {}", magnitude(difference), difference < Duration{} ? "less" : "more");
}

/// Returns the largest class of work on a path and its share: "compute (81 %)".
std::string largest_class(const sim::CriticalPath& path) {
  const auto* const largest = std::max_element(path.classes.begin(), path.classes.end());
  const auto which = static_cast<PathClass>(largest - path.classes.begin());
  return fmt::format("{} ({:.0f} %)", sim::work_label(which), 100 * ratio(*largest, path.length));
}

/// Returns the classes of work that take more time on the scenario's critical path than on the baseline's, or less time
/// if `grew` is false: "queueing takes 3.1 ms more, CPU work 1.0 ms more". The largest change comes first; changes
/// below kWorthSaying of the path are left out.
std::string classes_that_changed(const WhatIfAnswer& answer, bool grew) {
  const sim::CriticalPath& before = answer.baseline.path.path;
  const sim::CriticalPath& after = answer.scenario.path.path;
  std::vector<std::pair<Duration, PathClass>> changes;
  for (std::size_t i = 0; i < sim::kPathClassCount; ++i) {
    const Duration change = after.classes[i] - before.classes[i];
    const bool counts = std::abs(ratio(change, before.length)) >= kWorthSaying;
    if (counts && (change > Duration{}) == grew) changes.emplace_back(change, static_cast<PathClass>(i));
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.first.count()) > std::abs(b.first.count()); });
  std::string text;
  for (const auto& [change, which] : changes) {
    add_item(text, fmt::format("{} {}{}", sim::work_label(which), text.empty() ? "takes " : "", less_or_more(change)));
  }
  return text;
}

/// Returns the lane (thread, stream or link) on which the tasks of the critical path take most time: "rank 1's stream
/// 7". Empty if the path has no tasks.
std::string main_lane(const PredictionView& view) {
  const Dag& dag = view.prediction.graph->dag;
  std::vector<Duration> times(dag.lanes().size());
  for (const sim::PathTask& task : view.path.path.tasks) times[dag.lane_id(task.task).index()] += task.duration;
  if (times.empty()) return {};
  const Lane& lane =
      dag.lane(LaneId{static_cast<std::size_t>(std::max_element(times.begin(), times.end()) - times.begin())});
  return fmt::format("rank {}'s {}", lane.rank, shown(lane.name, 60));
}

std::string queueing_link(const WhatIfAnswer& answer) {
  const LinkPair* worst = nullptr;
  Duration most{};
  for (const LinkPair& link : answer.links) {
    const Duration more = link.scenario.queueing - link.baseline.queueing;
    if (more > most) {
      most = more;
      worst = &link;
    }
  }
  return worst == nullptr ? std::string() : fmt::format(" Queueing grows most on {}.", shown(worst->name));
}

std::string why_nothing(const WhatIfAnswer& answer, const ReplayDifference& difference) {
  if (difference.same_graph && difference.changed == 0) return "The changes affect no task of this job.";
  const std::string path =
      fmt::format("Largest part of the critical path: {}.", largest_class(answer.scenario.path.path));
  if (!difference.same_graph) return fmt::format("The critical path is as long as before. {}", path);
  if (difference.changed_on_path == 0) {
    return fmt::format("None of the tasks whose duration changes ({}) is on the critical path. {}", difference.changed,
                       path);
  }
  const bool one = difference.changed_on_path == 1;
  return fmt::format("Of {} whose duration changes, only {} on the critical path; {} {}. {}",
                     counted(difference.changed, "task"),
                     one ? std::string("1 is") : fmt::format("{} are", difference.changed_on_path),
                     one ? "it takes" : "together they take", less_or_more(difference.path_tasks), path);
}

std::string why_less(const WhatIfAnswer& answer, const ReplayDifference& difference, Duration change) {
  const std::string grew = classes_that_changed(answer, difference.path_tasks < Duration{});
  return fmt::format(
      "The tasks on the baseline's critical path take {}, but the step only {}: another path is now the longest, "
      "mostly "
      "on {}{}.",
      less_or_more(difference.path_tasks), less_or_more(change), main_lane(answer.scenario),
      grew.empty() ? "" : fmt::format(" (on it {})", grew));
}

std::string why_against(const WhatIfAnswer& answer, const ChangedWork& work, Duration change) {
  const bool grew = change > Duration{};
  const std::string classes = classes_that_changed(answer, grew);
  return fmt::format(
      "{} {} per step, but the step takes {}: {}.{}",
      work.of_messages ? "Communication takes" : "Tasks other than communication take", less_or_more(work.time),
      less_or_more(change),
      classes.empty() ? std::string("tasks run in a different order") : "on the critical path " + classes,
      grew ? queueing_link(answer) : "");
}

/// Returns a sentence saying that the change is smaller than its uncertainty; empty if it is larger.
std::string why_uncertain(const WhatIfAnswer& answer) {
  const Range<double>& change = answer.steps_differ ? answer.effect.mean : answer.effect.typical;
  if (!may_be_none(change)) return {};
  return fmt::format("A change of {} is within the uncertainty of this prediction ({} to {}): {}.",
                     sim::signed_percent(change.mid), sim::signed_percent(change.low), sim::signed_percent(change.high),
                     widest_source(change));
}

/// Returns what limits the pace without and with the changes; empty without device work.
std::string limits_text(const WhatIfAnswer& answer) {
  const std::string_view before = sim::limit_of(answer.baseline.summary, answer.baseline.path.path);
  const std::string_view after = sim::limit_of(answer.scenario.summary, answer.scenario.path.path);
  if (before.empty() || after.empty()) return {};
  if (before == after) return fmt::format("The step is limited by {}, before and after.", before);
  return fmt::format("The limit moves: before, the step is limited by {}, after by {}.", before, after);
}

}  // namespace

ReplayDifference difference_of(const PredictionView& baseline, const PredictionView& scenario) {
  ReplayDifference difference;
  const auto before = work_of(baseline);
  const auto after = work_of(scenario);
  for (std::size_t i = 0; i < before.size(); ++i) difference.work[i] = after[i] - before[i];
  difference.same_graph = baseline.prediction.graph == scenario.prediction.graph;
  if (!difference.same_graph) return difference;
  const Dag& dag = baseline.prediction.graph->dag;
  const auto changed_by = [&](TaskId task) {
    return sim::own_time(dag, scenario.prediction.timeline, task) -
           sim::own_time(dag, baseline.prediction.timeline, task);
  };
  for (const TaskId task : dag.tasks()) difference.changed += changed_by(task) != Duration{} ? 1U : 0U;
  for (const sim::PathTask& on_path : baseline.path.path.tasks) {
    const Duration change = changed_by(on_path.task);
    difference.changed_on_path += change != Duration{} ? 1U : 0U;
    difference.path_tasks += change;
  }
  return difference;
}

std::vector<std::string> reasons_of(const WhatIfAnswer& answer) {
  const Duration before = answer.baseline.prediction.iteration;
  const Duration change = answer.scenario.prediction.iteration - before;
  if (answer.changes.empty() || before <= Duration{}) return {};
  const ReplayDifference difference = difference_of(answer.baseline, answer.scenario);
  std::vector<std::string> reasons;
  if (std::string limits = limits_text(answer); !limits.empty()) reasons.push_back(std::move(limits));
  if (std::abs(ratio(change, before)) < sim::kLeastShown) {
    reasons.push_back(why_nothing(answer, difference));
    return reasons;
  }
  const ChangedWork work = changed_work(difference, answer.baseline);
  // If the scenario has another graph, its messages or their queueing may differ. The time of all messages then does
  // not show whether the step should become longer or shorter.
  const bool expects = !work.of_messages || difference.same_graph;
  const bool against = expects && (work.time < Duration{}) != (change < Duration{});
  if (against && std::min(std::abs(ratio(work.time, before)), std::abs(ratio(change, before))) >= kWorthSaying) {
    reasons.push_back(why_against(answer, work, change));
  } else if (std::abs(ratio(difference.path_tasks, before)) >= kWorthSaying &&
             std::abs(ratio(change, difference.path_tasks)) < 0.5) {
    reasons.push_back(why_less(answer, difference, change));
  }
  std::string uncertain = why_uncertain(answer);
  if (!uncertain.empty()) reasons.push_back(std::move(uncertain));
  return reasons;
}

namespace {

using sim::RankBreakdown;

Duration overlapped(const RankBreakdown& rank) { return rank.communication - rank.exposed_communication; }

}  // namespace

std::vector<ComparedTime> compared_breakdowns(const WhatIfAnswer& answer) {
  const RankBreakdown& before = answer.baseline.slowest;
  const RankBreakdown& after = answer.scenario.slowest;
  return {{"iteration", "step time", false, before.iteration, after.iteration},
          {"compute", "compute", false, before.compute, after.compute},
          {"communication", "communication", false, before.communication, after.communication},
          {"exposed transfer", "exposed transfer", true, before.exposed_communication, after.exposed_communication},
          {"hidden behind compute", "overlapped with compute", true, overlapped(before), overlapped(after)},
          {"copies", "copies", false, before.copies, after.copies},
          {"waiting in collectives", "waiting in collectives", false, before.collective_wait, after.collective_wait},
          {"waiting for data", "waiting for data", false, before.loader, after.loader},
          {"host", "CPU", false, before.host, after.host},
          {"work of other steps", "other steps' work", false, before.other_steps, after.other_steps},
          {"idle", "nothing running", false, before.idle, after.idle}};
}

std::vector<ComparedTime> compared_paths(const WhatIfAnswer& answer) {
  const sim::CriticalPath& before = answer.baseline.path.path;
  const sim::CriticalPath& after = answer.scenario.path.path;
  std::vector<ComparedTime> times{{"length", "length", false, before.length, after.length}};
  for (std::size_t i = 0; i < sim::kPathClassCount; ++i) {
    const auto path_class = static_cast<sim::PathClass>(i);
    times.push_back(
        {sim::to_text(path_class), sim::style_of(path_class).label, false, before[path_class], after[path_class]});
  }
  return times;
}

const ComparedTime* largest_change(const std::vector<ComparedTime>& breakdown) {
  const Duration change = breakdown.front().after - breakdown.front().before;
  const ComparedTime* largest = nullptr;
  Duration most{};
  for (const ComparedTime& time : std::span(breakdown).subspan(1)) {
    const Duration along = change < Duration{} ? time.before - time.after : time.after - time.before;
    if (time.id == "communication" || time.id == "hidden behind compute" || along <= most) continue;
    most = along;
    largest = &time;
  }
  return largest;
}

sim::Table table_of(std::string title, const std::vector<ComparedTime>& times) {
  sim::Table table({{std::move(title), sim::Align::kLeft}, {"baseline"}, {"scenario"}, {"difference"}});
  table.compare_times();
  for (const ComparedTime& time : times) {
    if (time.before == Duration{} && time.after == Duration{}) continue;
    table.add_row({(time.is_part ? "- " : "") + std::string(time.title), time.before, time.after,
                   sim::signed_time_cell(time.after - time.before)});
  }
  return table;
}

}  // namespace stepsim::scenarios
