// Sections about a critical path, including three to five sentences about what to look at first.
#include "sim/report/path_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/base/text.h"
#include "model/job/kernel_name.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/longest_path.h"
#include "sim/analysis/pauses.h"
#include "sim/analysis/where_to_look.h"
#include "sim/report/class_style.h"
#include "sim/report/common_fields.h"
#include "sim/report/report.h"
#include "sim/report/table.h"

namespace stepsim::sim {
namespace {

/// Returns the indices of the `count` longest tasks of the path, in order of time.
std::vector<std::size_t> longest(const CriticalPath& path, std::size_t count) {
  std::vector<std::size_t> chosen(path.tasks.size());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  std::stable_sort(chosen.begin(), chosen.end(), [&path](std::size_t a, std::size_t b) {
    return path.tasks[a].duration + path.tasks[a].wait > path.tasks[b].duration + path.tasks[b].wait;
  });
  chosen.resize(std::min(chosen.size(), count));
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Duration wait_before(const PathLine& line) { return line.task->wait; }
Duration queueing_of(const PathLine& line) { return line.task->queueing; }
constexpr auto kShownPath = std::to_array<Field<PathLine>>({
    {"", [](const PathLine& line) { return line.task->start - line.path->begin; }, {"start", Use::kExtra}},
    {"", at<&PathLine::task, &PathTask::duration>, {"duration"}},
    {"", if_any<wait_before>, {"wait before"}},
    {"", if_any<queueing_of>, {"queueing", Use::kDetail}},
    {"",
     [](const PathLine& line) { return style_of(path_class_of(*line.dag, line.task->task)).label; },
     {"class", Use::kHelp}},
    {"", at<&PathLine::lane, &Lane::rank>, {"rank", Use::kMain, Form::kId}},
    {"", at<&PathLine::lane, &Lane::name>, {"thread or stream", Use::kDetail}},
    {"", at<&PathLine::name>, {"task"}},
    {"", at<&PathLine::released_by>, {"waited for"}},
});

/// Returns one row per class. Data loaders have a row only if the path waits for one.
Table class_table(const CriticalPath& path) {
  Table table{{{"class", Align::kLeft}, {"on the path"}, {"share"}}};
  for (std::size_t c = 0; c < kPathClassCount; ++c) {
    if (static_cast<PathClass>(c) == PathClass::kLoader && path.classes[c] == Duration{}) continue;
    const std::string name{kClassStyles[c].label};
    table.add_row({name, path.classes[c], percent_cell(ratio(path.classes[c], path.length))});
  }
  return table;
}

EdgeKind kind_of_edge(const Dag& dag, TaskId from, TaskId to) {
  const auto targets = dag.successors(from);
  const auto found = std::lower_bound(targets.begin(), targets.end(), to);
  return dag.edge_kind(EdgeId{dag.first_edge(from).index() + static_cast<std::size_t>(found - targets.begin())});
}

std::string release_in_words(const Dag& dag, Release release, TaskId released) {
  switch (release.by()) {
    case Release::By::kNothing: return fmt::format("the start of rank {}", dag.lane(released).rank);
    case Release::By::kLane: return fmt::format("{} (same thread or stream)", dag.name(release.task()));
    case Release::By::kEdge: break;
  }
  return fmt::format("{} ({})", dag.name(release.task()), to_text(kind_of_edge(dag, release.task(), released)));
}

std::string largest_class_text(const Dag& dag, const CriticalPath& path, const WhereToLook& found) {
  const std::string part = fmt::format("{} of the critical path ({}) is",
                                       percent(ratio(path[found.largest_class], path.length)), to_text(path.length));
  const WhereToLook::Name& longest = found.longest_name;
  const auto with_name = [&](std::string_view work) {
    return fmt::format("{} {}, most of all {} ({} in {}).", part, work, shown(short_kernel_name(longest.name), 60),
                       to_text(longest.time), counted(longest.tasks, "task"));
  };
  switch (found.largest_class) {
    case PathClass::kCompute: return with_name("compute");
    case PathClass::kCommunication: return with_name("communication");
    case PathClass::kCopy: return with_name("copies within a device or between a device and its host");
    case PathClass::kHost: return with_name("CPU work (framework, Python, launches)");
    case PathClass::kLoader:
      return fmt::format("{} waiting for data: --set loader.workers=2x predicts what more loader processes save.",
                         part);
    case PathClass::kQueueing:
      return fmt::format("{} queueing: ready work waits for other work on the same thread, stream or link.", part);
    case PathClass::kWait: break;
  }
  const PathTask& wait = *found.longest_wait;
  return fmt::format("{} waiting; the longest is {} before {} on rank {}, after {}.", part, to_text(wait.wait),
                     shown(short_kernel_name(dag.name(wait.task)), 60), dag.lane(wait.task).rank,
                     shown(short_kernel_name(released_by_text(dag, wait)), 80));
}

/// Returns how much of its captured steps the rank that pauses most did not run; empty if that is little of them.
std::string pauses_text(const Capture& capture, const CriticalPath& path) {
  const std::vector<RankPauses> ranks = pauses_of(capture);
  if (ranks.empty() || ranks.front().share() < kWorthALook) return {};
  const RankPauses& worst = ranks.front();
  return fmt::format(
      "Rank {} did not run in {}, {} of its {} ({}), which count as work of the CPU; {} of that is on the critical "
      "path. "
      "--set "
      "host.pauses=0 predicts steps without pauses.",
      worst.rank, counted(worst.count, "pause"), to_text(worst.time), to_text(worst.recorded), percent(worst.share()),
      path.paused == Duration{} ? "none" : to_text(path.paused));
}

/// Describes a path that begins before its first rank has started.
std::string late_start_text(const Dag& dag, const PathTask& first) {
  return fmt::format(
      "The critical path begins with {} in which rank {} has not started: it started late, or its recording did.",
      to_text(first.wait), dag.lane(first.task).rank);
}

std::string straggler_text(const Straggler& worst) {
  return fmt::format(
      "Rank {} is a straggler: it arrived last in {} of its {}, and each other rank waited {} for it in the whole "
      "capture.",
      worst.rank, worst.last_in, counted(worst.collectives, "collective"), to_text(worst.each));
}

std::string queueing_text(const Dag& dag, const CriticalPath& path, const WhereToLook::QueueingLane& queue) {
  const Lane& lane = dag.lane(queue.lane);
  return fmt::format(
      "Queueing takes {} of the critical path, most of it ({}) at {} of rank {}: more of that resource, or less work "
      "on "
      "it, would shorten the step.",
      to_text(path[PathClass::kQueueing]), to_text(queue.time), shown(lane.name, 60), lane.rank);
}

/// Returns how long the slowest rank only waits for data; empty if that is little of its iteration.
std::string waiting_for_data_text(const IterationParts& parts) {
  constexpr double kMuch = 0.2;
  const double share = ratio(parts.loader, parts.sum());
  if (share < kMuch) return {};
  return fmt::format(
      "In {} of a step ({} on rank {}) a thread waits for data and the GPU does nothing: load data in more "
      "worker "
      "processes (num_workers of DataLoader); --set loader.workers=2x predicts what that saves.",
      percent(share), to_text(parts.loader), parts.rank);
}

std::string exposed_transfer_text(const RankBreakdown* most, const std::vector<RankBreakdown>& ranks,
                                  const CriticalPath& path) {
  const bool communicates = std::any_of(ranks.begin(), ranks.end(), [](const RankBreakdown& rank) {
    return rank.communication > Duration{} || rank.collective_wait > Duration{};
  });
  if (!communicates) return "The replay has no communication.";
  if (most == nullptr) return "No transfer is exposed: wherever communication moves data, the same rank computes.";
  const double share = ratio(most->exposed_communication, most->iteration);
  if (share < kLeastShown) return "A faster network or more overlap can save less than 0.1 % of a step.";
  const std::string exposed =
      fmt::format("{} of a step ({} on rank {})", percent(share), to_text(most->exposed_communication), most->rank);
  if (ratio(path[PathClass::kCommunication], path.length) < kLeastShown) {
    return fmt::format(
        "A faster network saves nothing now, because no transfer is on the critical path. {} is exposed transfer, "
        "which "
        "moves data while nothing is computed: it can be saved once the rest is faster.",
        exposed);
  }
  return fmt::format(
      "A faster network or more overlap can save at most {}: that much is exposed transfer, which moves data while "
      "nothing is computed.",
      exposed);
}

std::string unexplained_text(const Summary& summary, const CriticalPath& path) {
  if (summary.unexplained_wait == Duration{}) return "Every wait is explained, so what-ifs can shorten all of them.";
  if (ratio(summary.unexplained_wait, summary.iteration.replayed) < kLeastShown)
    return "Less than 0.1 % of a step is unexplained waiting.";
  return fmt::format(
      "{} of a step ({}) is unexplained waiting, most of it of kind '{}'; {} of it is on the critical path, and "
      "no "
      "what-if can shorten it.",
      percent(ratio(summary.unexplained_wait, summary.iteration.replayed)), to_text(summary.unexplained_wait),
      summary.unexplained.front().kind, path.unexplained == Duration{} ? "none" : to_text(path.unexplained));
}

std::vector<std::string> sentences_on(const Findings& findings) {
  const Dag& dag = findings.capture.dag;
  const CriticalPath& path = findings.path.path;
  const std::optional<WhereToLook> found = where_to_look(dag, findings.summary, path, findings.stragglers);
  if (!found) return {};
  // If there are already four sentences, the one about exposed transfers is left out. A sentence about unexplained
  // waits is added last, so there are at most five sentences.
  constexpr std::size_t kEnough = 4;
  std::vector<std::string> sentences;
  if (std::string loader = waiting_for_data_text(findings.summary.parts); !loader.empty())
    sentences.push_back(std::move(loader));
  sentences.push_back(largest_class_text(dag, path, *found));
  if (std::string pauses = pauses_text(findings.capture, path); !pauses.empty()) sentences.push_back(std::move(pauses));
  if (found->late_start != nullptr) sentences.push_back(late_start_text(dag, *found->late_start));
  if (found->straggler != nullptr) sentences.push_back(straggler_text(*found->straggler));
  if (found->queueing) sentences.push_back(queueing_text(dag, path, *found->queueing));
  if (sentences.size() < kEnough)
    sentences.push_back(exposed_transfer_text(found->most_exposed, findings.summary.ranks, path));
  if (findings.summary.measured) sentences.push_back(unexplained_text(findings.summary, path));
  return sentences;
}

}  // namespace

std::string released_by_text(const Dag& dag, const PathTask& task) {
  if (!task.last_arrival.valid()) return release_in_words(dag, task.release, task.task);
  return fmt::format("rank {}, the last to arrive, after {}", dag.lane(task.last_arrival).rank,
                     release_in_words(dag, task.release, task.last_arrival));
}

std::string released_by_text(const Dag& dag, const Timeline& timeline, TaskId task) {
  return release_in_words(dag, timeline.released_by[task.index()], task);
}

std::string path_subject(const IterationPath& path) {
  return path.step ? fmt::format("rank {}'s step {}", path.step->rank, path.step->number) : "the replay";
}

std::string shares_text(const CriticalPath& path) {
  std::vector<std::pair<Duration, PathClass>> classes;
  for (std::size_t c = 0; c < kPathClassCount; ++c) classes.emplace_back(path.classes[c], static_cast<PathClass>(c));
  std::stable_sort(classes.begin(), classes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  const auto add = [&](Duration time, std::string_view what) {
    const double share = ratio(time, path.length);
    if (share >= kLeastShown) text += fmt::format("{}{} {}", text.empty() ? "; " : ", ", percent(share), what);
  };
  for (const auto& [time, path_class] : classes) add(time, style_of(path_class).label);
  if (path.unexplained > Duration{})
    text += fmt::format("; {} of it is unexplained waiting", to_text(path.unexplained));
  return text;
}

std::vector<PathLine> lines_of(const Dag& dag, const CriticalPath& path) {
  std::vector<PathLine> lines;
  lines.reserve(path.tasks.size());
  for (const PathTask& task : path.tasks) lines.push_back({&dag, &path, &task});
  return lines;
}

Table path_table(const Dag& dag, const CriticalPath& path, std::size_t rows) {
  std::vector<PathLine> chosen;
  for (const std::size_t i : longest(path, rows)) chosen.push_back({&dag, &path, &path.tasks[i]});
  TableRows shown;
  const auto leave_out_if_zero = [&](std::string_view title, Duration PathTask::*column) {
    if (std::all_of(chosen.begin(), chosen.end(),
                    [column](const PathLine& line) { return line.task->*column == Duration{}; }))
      shown.without.push_back(title);
  };
  leave_out_if_zero("wait before", &PathTask::wait);
  leave_out_if_zero("queueing", &PathTask::queueing);
  return table_of(kShownPath, chosen, shown);
}

Table rank_table(const Dag& dag, const CriticalPath& path) {
  std::map<Rank, Duration> by_rank;
  for (const PathTask& task : path.tasks) {
    by_rank[dag.lane(task.task).rank] += task.duration;
    by_rank[dag.lane(released_task(task)).rank] += task.wait;
  }
  std::vector<std::pair<Rank, Duration>> ranks{by_rank.begin(), by_rank.end()};
  std::stable_sort(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  Table table{{{.title = "rank", .identifies = true}, {"on the path"}, {"share"}}};
  for (const auto& [rank, time] : ranks) table.add_row({rank, time, percent_cell(ratio(time, path.length))});
  return table;
}

std::vector<Section> path_sections(const Dag& dag, const CriticalPath& path, std::size_t rows) {
  std::vector<Section> sections{{.title = "", .table = class_table(path)}};
  if (Table ranks = rank_table(dag, path); ranks.rows().size() > 1)
    sections.push_back({.title = "By rank", .table = std::move(ranks)});
  sections.push_back({.title = rows < path.tasks.size()
                                   ? fmt::format("Its {} of {}, in order of time", counted(rows, "longest task"),
                                                 grouped(path.tasks.size()))
                                   : fmt::format("Its {}, in order of time", counted(path.tasks.size(), "task")),
                      .table = path_table(dag, path, rows)});
  return sections;
}

namespace {

/// Maximum number of GPUs whose longest tasks are listed; with more, only the table is shown.
constexpr std::size_t kMostListed = 8;
constexpr std::size_t kPartRows = 3;

std::string ranks_text(const PartPath& part) {
  return joined(part.ranks, [](Rank rank) { return std::to_string(rank); });
}

constexpr auto kShownPart = std::to_array<Field<PartPath>>({
    {"", at<ranks_text>, {.title = "rank", .align = Align::kRight}},
    {"", at<&PartPath::host>, {"worker", Use::kHelp}},
    {"", [](const PartPath& part) { return part.path.tasks.size(); }, {"tasks"}},
    {"", at<&PartPath::path, &CriticalPath::length>, {"alone"}},
    {"", at<&PartPath::path>, kPathClasses},
});

void add_parts(std::vector<Section>& sections, const Findings& findings, const std::vector<PartPath>& parts,
               std::string_view what, const std::string& where) {
  if (parts.empty()) return;
  sections.push_back(
      {.title = fmt::format("Each {} alone{}", what, where),
       .table = table_of(kShownPart, parts, {.without = {"queueing"}, .compared = true}),
       .lead = fmt::format("The critical path through the tasks of one {0}: how long it would take if it "
                           "waited for no other {0}.",
                           what)});
  if (parts.size() > kMostListed) {
    sections.back().sentences.emplace_back("--json has the tasks of each path.");
    return;
  }
  for (const PartPath& part : parts) {
    const std::size_t rows = std::min({kPartRows, findings.path_rows, part.path.tasks.size()});
    if (rows == 0) continue;
    sections.push_back(
        {.title = fmt::format("{} {} alone: {}, its {} of {}", what,
                              part.ranks.size() > 1 ? part.host : ranks_text(part), stepsim::to_text(part.path.length),
                              counted(rows, "longest task"), grouped(part.path.tasks.size())),
         .table = path_table(findings.capture.dag, part.path, rows)});
  }
}

}  // namespace

std::vector<Section> part_path_sections(const Findings& findings) {
  const PartPaths paths = part_paths(findings.capture, *findings.timeline, findings.path.path);
  const std::string where = paths.step < 0 ? std::string{} : fmt::format(", step {}", paths.step);
  std::vector<Section> sections;
  add_parts(sections, findings, paths.gpus, "GPU", where);
  add_parts(sections, findings, paths.workers, "worker", where);
  return sections;
}

std::vector<Section> where_to_look_sections(const Findings& findings) {
  return {{.title = "Where to look next", .sentences = as_list(sentences_on(findings)), .brief = true}};
}

}  // namespace stepsim::sim
