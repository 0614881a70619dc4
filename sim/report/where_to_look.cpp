#include "sim/report/where_to_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "model/base/text.h"
#include "sim/analysis/intervals.h"
#include "sim/report/table.h"

namespace stepsim::sim {
namespace {

/// What takes most of the path's time in one class, by name.
struct Longest {
  std::string_view name;
  Duration time{};
  std::size_t tasks = 0;
};

/// Of names with equal time the first in the alphabet.
Longest longest_name(const Dag& dag, const CriticalPath& path, PathClass of_class) {
  const auto counts = [&](const PathTask& task) { return path_class_of(dag, task.task) == of_class; };
  std::vector<Duration> time(dag.name_count());
  for (const PathTask& task : path.tasks) {
    if (counts(task)) time[dag.name_id(task.task).index()] += task.duration - task.queueing;
  }
  NameId longest{};
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (time[i] == Duration{}) continue;
    const bool longer = !longest.valid() || time[i] > time[longest.index()];
    if (longer || (time[i] == time[longest.index()] && dag.name(NameId{i}) < dag.name(longest))) longest = NameId{i};
  }
  if (!longest.valid()) return {};
  const auto tasks = std::count_if(path.tasks.begin(), path.tasks.end(), [&](const PathTask& task) {
    return counts(task) && dag.name_id(task.task) == longest;
  });
  return {dag.name(longest), time[longest.index()], static_cast<std::size_t>(tasks)};
}

std::string most_of(const Dag& dag, const CriticalPath& path, PathClass of_class) {
  const Longest longest = longest_name(dag, path, of_class);
  return fmt::format("; most of that is {} ({} in {})", shown(longest.name, 60), to_text(longest.time),
                     counted(longest.tasks, "task"));
}

std::string longest_wait(const Dag& dag, const CriticalPath& path) {
  const auto longest = std::max_element(path.tasks.begin(), path.tasks.end(),
                                        [](const PathTask& a, const PathTask& b) { return a.wait < b.wait; });
  return fmt::format("; the longest is {} before {} on rank {}, after {}", to_text(longest->wait),
                     shown(dag.name(longest->task), 60), dag.lane(longest->task).rank,
                     shown(released_by_text(dag, *longest), 80));
}

std::string about_largest_class(const Dag& dag, const CriticalPath& path) {
  const auto* const largest = std::max_element(path.classes.begin(), path.classes.end());
  const std::string part =
      fmt::format("Of the critical path's {}, {} is", to_text(path.length), percent(ratio(*largest, path.length)));
  switch (static_cast<PathClass>(largest - path.classes.begin())) {
    case PathClass::kCompute: return fmt::format("{} compute{}.", part, most_of(dag, path, PathClass::kCompute));
    case PathClass::kCommunication:
      return fmt::format("{} communication{}.", part, most_of(dag, path, PathClass::kCommunication));
    case PathClass::kCopy:
      return fmt::format("{} copying within a device or between it and its host{}.", part,
                         most_of(dag, path, PathClass::kCopy));
    case PathClass::kHost:
      return fmt::format("{} work of the host (framework, Python, launches){}.", part,
                         most_of(dag, path, PathClass::kHost));
    case PathClass::kQueueing: return fmt::format("{} standing in line behind other work.", part);
    case PathClass::kWait: break;
  }
  return fmt::format("{} waiting{}.", part, longest_wait(dag, path));
}

/// The rank whose recording begins after the path does.
std::string about_late_start(const Dag& dag, const PathTask& first) {
  return fmt::format("The path begins with {} in which rank {} has not started: it, or its recording, began late.",
                     to_text(first.wait), dag.lane(first.task).rank);
}

std::string about_straggler(const Straggler& worst) {
  return fmt::format(
      "Rank {} holds the others up: it arrived last in {} of its {}, and each of the others waited {} for it.",
      worst.rank, worst.last_in, counted(worst.collectives, "collective"), to_text(worst.each));
}

/// The lane on which the path queues longest.
std::string about_queueing(const Dag& dag, const CriticalPath& path) {
  std::map<LaneId, Duration> by_lane;
  for (const PathTask& task : path.tasks) by_lane[dag.lane_id(task.task)] += task.queueing;
  const auto longest = std::max_element(by_lane.begin(), by_lane.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  const Lane& lane = dag.lane(longest->first);
  return fmt::format(
      "Work stands in line for {} of the path, longest ({}) at {} of rank {}: more of that resource, or "
      "less work on it, would shorten the step.",
      to_text(path[PathClass::kQueueing]), to_text(longest->second), shown(lane.name, 60), lane.rank);
}

std::string about_exposed_communication(const Summary& summary) {
  const auto most = std::max_element(summary.ranks.begin(), summary.ranks.end(), [](const auto& a, const auto& b) {
    return a.exposed_communication < b.exposed_communication;
  });
  if (most == summary.ranks.end() || most->exposed_communication == Duration{}) {
    return "No communication is exposed: wherever data moves, the same rank computes.";
  }
  return fmt::format(
      "At most {} of an iteration ({}, rank {}) is communication beside which nothing is computed: the "
      "most that a faster network or more overlap could save there.",
      percent(ratio(most->exposed_communication, most->iteration)), to_text(most->exposed_communication), most->rank);
}

std::string about_unexplained(const Summary& summary, const CriticalPath& path) {
  if (summary.unexplained_wait == Duration{}) return "Every wait is explained: a what-if can move all of it.";
  return fmt::format(
      "{} of an iteration ({}) is waiting that nothing in the capture explains, most of it of kind '{}'; "
      "{} of it is on the critical path, and no what-if can move it.",
      percent(ratio(summary.unexplained_wait, summary.iteration.replayed)), to_text(summary.unexplained_wait),
      summary.unexplained.front().kind, to_text(path.unexplained));
}

}  // namespace

std::vector<std::string> where_to_look(const Capture& capture, const Summary& summary, const CriticalPath& path,
                                       const std::vector<Straggler>& stragglers) {
  if (path.tasks.empty()) return {};
  constexpr double kWorthSaying = 0.02;
  constexpr std::size_t kEnough = 4;  // five with what is not explained
  const auto worth_saying = [&path](Duration part) { return ratio(part, path.length) > kWorthSaying; };
  std::vector<std::string> sentences{about_largest_class(capture.dag, path)};
  const PathTask& first = path.tasks.front();
  if (first.release.by() == Release::By::kNothing && worth_saying(first.wait)) {
    sentences.push_back(about_late_start(capture.dag, first));
  }
  if (!stragglers.empty() && worth_saying(stragglers.front().each))
    sentences.push_back(about_straggler(stragglers.front()));
  if (worth_saying(path[PathClass::kQueueing])) sentences.push_back(about_queueing(capture.dag, path));
  if (sentences.size() < kEnough) sentences.push_back(about_exposed_communication(summary));
  if (summary.measured) sentences.push_back(about_unexplained(summary, path));
  return sentences;
}

}  // namespace stepsim::sim
