// Three to five sentences: what to look at first, from the figures.

#include "sim/report/report.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "model/base/text.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/where_to_look.h"
#include "sim/report/path_sections.h"
#include "sim/report/table.h"

namespace stepsim::sim {
namespace {

std::string largest_class_text(const Dag& dag, const CriticalPath& path, const WhereToLook& found) {
  const std::string part = fmt::format("Of the critical path's {}, {} is", to_text(path.length),
                                       percent(ratio(path[found.largest_class], path.length)));
  const WhereToLook::Name& longest = found.longest_name;
  const auto with_name = [&](std::string_view work) {
    return fmt::format("{} {}; most of that is {} ({} in {}).", part, work, shown(longest.name, 60),
                       to_text(longest.time), counted(longest.tasks, "task"));
  };
  switch (found.largest_class) {
    case PathClass::kCompute: return with_name("compute");
    case PathClass::kCommunication: return with_name("communication");
    case PathClass::kCopy: return with_name("copying within a device or between it and its host");
    case PathClass::kHost: return with_name("work of the host (framework, Python, launches)");
    case PathClass::kQueueing: return fmt::format("{} standing in line behind other work.", part);
    case PathClass::kWait: break;
  }
  const PathTask& wait = *found.longest_wait;
  return fmt::format("{} waiting; the longest is {} before {} on rank {}, after {}.", part, to_text(wait.wait),
                     shown(dag.name(wait.task), 60), dag.lane(wait.task).rank, shown(released_by_text(dag, wait), 80));
}

/// The rank whose recording begins after the path does.
std::string late_start_text(const Dag& dag, const PathTask& first) {
  return fmt::format("The path begins with {} in which rank {} has not started: it, or its recording, began late.",
                     to_text(first.wait), dag.lane(first.task).rank);
}

std::string straggler_text(const Straggler& worst) {
  return fmt::format(
      "Rank {} holds the others up: it arrived last in {} of its {}, and each of the others waited {} for it.",
      worst.rank, worst.last_in, counted(worst.collectives, "collective"), to_text(worst.each));
}

std::string queueing_text(const Dag& dag, const CriticalPath& path, const WhereToLook::QueueingLane& queue) {
  const Lane& lane = dag.lane(queue.lane);
  return fmt::format(
      "Work stands in line for {} of the path, longest ({}) at {} of rank {}: more of that resource, or "
      "less work on it, would shorten the step.",
      to_text(path[PathClass::kQueueing]), to_text(queue.time), shown(lane.name, 60), lane.rank);
}

std::string exposed_communication_text(const RankBreakdown* most) {
  if (most == nullptr) return "No communication is exposed: wherever data moves, the same rank computes.";
  return fmt::format(
      "At most {} of an iteration ({}, rank {}) is communication beside which nothing is computed: the "
      "most that a faster network or more overlap could save there.",
      percent(ratio(most->exposed_communication, most->iteration)), to_text(most->exposed_communication), most->rank);
}

std::string unexplained_text(const Summary& summary, const CriticalPath& path) {
  if (summary.unexplained_wait == Duration{}) return "Every wait is explained: a what-if can move all of it.";
  return fmt::format(
      "{} of an iteration ({}) is waiting that nothing in the capture explains, most of it of kind '{}'; "
      "{} of it is on the critical path, and no what-if can move it.",
      percent(ratio(summary.unexplained_wait, summary.iteration.replayed)), to_text(summary.unexplained_wait),
      summary.unexplained.front().kind, to_text(path.unexplained));
}

std::vector<std::string> sentences_on(const Findings& findings) {
  const Dag& dag = findings.capture.dag;
  const CriticalPath& path = findings.path.path;
  const std::optional<WhereToLook> found = where_to_look(dag, findings.summary, path, findings.stragglers);
  if (!found) return {};
  constexpr std::size_t kEnough = 4;  // five with what is not explained
  std::vector<std::string> sentences{largest_class_text(dag, path, *found)};
  if (found->late_start != nullptr) sentences.push_back(late_start_text(dag, *found->late_start));
  if (found->straggler != nullptr) sentences.push_back(straggler_text(*found->straggler));
  if (found->queueing) sentences.push_back(queueing_text(dag, path, *found->queueing));
  if (sentences.size() < kEnough) sentences.push_back(exposed_communication_text(found->most_exposed));
  if (findings.summary.measured) sentences.push_back(unexplained_text(findings.summary, path));
  return sentences;
}

}  // namespace

std::vector<Section> where_to_look_sections(const Findings& findings) {
  return {{.title = "Where to look next", .sentences = as_list(sentences_on(findings))}};
}

}  // namespace stepsim::sim
