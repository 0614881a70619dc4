#include "scenarios/answer/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "model/base/text.h"
#include "scenarios/answer/factors.h"
#include "sim/analysis/activity.h"
#include "sim/report/table.h"

namespace stepsim::scenarios {
namespace {

using sim::PathClass;
using sim::ratio;
using stepsim::to_text;

/// A change of an iteration that is printed as 0.0 %.
constexpr double kNoChange = 0.0005;
/// Less than this share of an iteration is not worth a reason.
constexpr double kWorthSaying = 0.005;

std::array<Duration, sim::kPathClassCount> work_of(const PredictionView& view) {
  std::array<Duration, sim::kPathClassCount> work{};
  const Dag& dag = view.prediction.graph->dag;
  for (const TaskId task : dag.tasks()) {
    work[static_cast<std::size_t>(sim::path_class_of(dag, task))] += sim::own_time(dag, view.prediction.timeline, task);
  }
  return work;
}

/// What the changes did to tasks: to all but communication, which follows them on shared links, or, where those stay as
/// they are, to communication.
struct ChangedWork {
  Duration time{};  ///< an iteration
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
/// "3.2 ms less"
std::string less_or_more(Duration difference) {
  return fmt::format("{} {}", magnitude(difference), difference < Duration{} ? "less" : "more");
}

/// "compute, 81.0 % of it"
std::string largest_class(const sim::CriticalPath& path) {
  const auto* const largest = std::max_element(path.classes.begin(), path.classes.end());
  const auto which = static_cast<PathClass>(largest - path.classes.begin());
  const std::string_view what = which == PathClass::kLoader ? "waiting for data" : sim::to_text(which);
  return fmt::format("{}, {:.0f} % of it", what, 100 * ratio(*largest, path.length));
}

/// "queueing takes 3.1 ms more, host 1.0 ms more": the classes of the critical path that grew, or shrank, by a
/// worthwhile share of it, the largest first.
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
    add_item(text, fmt::format("{} {}{}", sim::to_text(which), text.empty() ? "takes " : "", less_or_more(change)));
  }
  return text;
}

/// "rank 1's stream 7": the lane on which the scenario's path spends most time.
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
  return worst == nullptr ? std::string() : fmt::format(" Messages queue most for {}.", shown(worst->name));
}

std::string why_nothing(const WhatIfAnswer& answer, const ReplayDifference& difference) {
  if (difference.same_graph && difference.changed == 0)
    return "No task takes a different time: there is nothing for the changes to act on.";
  const std::string path =
      fmt::format("What sets the length of an iteration is {}.", largest_class(answer.scenario.path.path));
  if (!difference.same_graph) return fmt::format("The critical path is as long as before. {}", path);
  if (difference.changed_on_path == 0) {
    return fmt::format("None of the tasks that take a different time ({}) is on the critical path. {}",
                       difference.changed, path);
  }
  return fmt::format(
      "Of the tasks that take a different time ({}) few are on the critical path ({}), which take {} in all. {}",
      difference.changed, difference.changed_on_path, less_or_more(difference.path_tasks), path);
}

std::string why_less(const WhatIfAnswer& answer, const ReplayDifference& difference, Duration change) {
  const std::string grew = classes_that_changed(answer, difference.path_tasks < Duration{});
  return fmt::format(
      "The tasks of the captured critical path take {}, the iteration only {}: another path is the longest now, mostly "
      "on {}{}.",
      less_or_more(difference.path_tasks), less_or_more(change), main_lane(answer.scenario),
      grew.empty() ? "" : fmt::format(" (on it {})", grew));
}

std::string why_against(const WhatIfAnswer& answer, const ChangedWork& work, Duration change) {
  const bool grew = change > Duration{};
  const std::string classes = classes_that_changed(answer, grew);
  return fmt::format("{} {} an iteration, and yet the iteration takes {}: {}.{}",
                     work.of_messages ? "All communication together takes" : "All tasks but communication take",
                     less_or_more(work.time), less_or_more(change),
                     classes.empty() ? std::string("tasks meet in another order") : "on the critical path " + classes,
                     grew ? queueing_link(answer) : "");
}

/// Whether a source of the range moves the job as captured and the answer alike: then it says how long an iteration is,
/// but not whether the change shortens it.
bool moves_both(const IntervalSource& source) { return source.of_capture || source.name == "model"; }

/// That the change is less than what is not known of it; empty if it is more.
std::string why_uncertain(const WhatIfAnswer& answer) {
  const Duration before = answer.baseline.prediction.iteration;
  const Duration after = answer.scenario.prediction.iteration;
  std::vector<Factors> factors;
  const IntervalSource* widest = nullptr;
  for (const IntervalSource& source : answer.interval.sources) {
    if (moves_both(source)) continue;
    factors.push_back({ratio(source.low, after), ratio(source.high, after)});
    if (widest == nullptr || source.high - source.low > widest->high - widest->low) widest = &source;
  }
  const Factors all = independent(factors);
  const double needed = ratio(before, after);
  if (widest == nullptr || needed < all.least || needed > all.most) return {};
  return fmt::format("{} is no more than what is not known of such a change, mostly because {}.",
                     sim::signed_percent(ratio(after - before, before), 1), widest->reason);
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
  if (std::abs(ratio(change, before)) < kNoChange) return {why_nothing(answer, difference)};
  std::vector<std::string> reasons;
  const ChangedWork work = changed_work(difference, answer.baseline);
  // Another graph may have other messages, or let them queue otherwise: their sum is no expectation.
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

}  // namespace stepsim::scenarios
