#include "sim/report/path_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "sim/analysis/intervals.h"

namespace stepsim::sim {
namespace {

/// The tasks of the path that take longest, in order of time.
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

Cell shown_duration(Duration duration) { return duration == Duration{} ? Cell{"-"} : Cell{duration}; }

/// One row a class.
Table class_table(const CriticalPath& path) {
  Table table{{{"class", Align::kLeft}, {"on the path"}, {"share"}}};
  for (std::size_t c = 0; c < kPathClassCount; ++c) {
    const std::string name{to_text(static_cast<PathClass>(c))};
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
    case Release::By::kLane: return fmt::format("its lane: {} was in front", dag.name(release.task()));
    case Release::By::kEdge: break;
  }
  return fmt::format("{} ({})", dag.name(release.task()), to_text(kind_of_edge(dag, release.task(), released)));
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

Table path_table(const Dag& dag, const CriticalPath& path, std::size_t rows) {
  const std::vector<std::size_t> chosen = longest(path, rows);
  const auto any = [&](Duration PathTask::*column) {
    return std::any_of(chosen.begin(), chosen.end(),
                       [&](std::size_t i) { return path.tasks[i].*column != Duration{}; });
  };
  const bool with_wait = any(&PathTask::wait);
  const bool with_queueing = any(&PathTask::queueing);
  std::vector<Column> columns{{"start", Align::kRight, Use::kHelp}, {"duration"}};
  if (with_wait) columns.push_back({"wait before", Align::kRight, Use::kDetail});
  if (with_queueing) columns.push_back({"queueing", Align::kRight, Use::kDetail});
  const Column named[] = {{"class", Align::kLeft},
                          {"rank"},
                          {"lane", Align::kLeft, Use::kDetail},
                          {"task", Align::kLeft},
                          {"released by", Align::kLeft, Use::kHelp}};
  columns.insert(columns.end(), std::begin(named), std::end(named));
  Table table{std::move(columns)};
  for (const std::size_t i : chosen) {
    const PathTask& task = path.tasks[i];
    const Lane& lane = dag.lane(task.task);
    std::vector<Cell> cells{task.start - path.begin, task.duration};
    if (with_wait) cells.push_back(shown_duration(task.wait));
    if (with_queueing) cells.push_back(shown_duration(task.queueing));
    cells.insert(cells.end(), {std::string{to_text(path_class_of(dag, task.task))}, lane.rank, lane.name,
                               std::string{dag.name(task.task)}, released_by_text(dag, task)});
    table.add_row(std::move(cells));
  }
  return table;
}

Table rank_table(const Dag& dag, const CriticalPath& path) {
  std::map<Rank, Duration> by_rank;
  for (const PathTask& task : path.tasks) {
    by_rank[dag.lane(task.task).rank] += task.duration;
    by_rank[dag.lane(released_task(task)).rank] += task.wait;
  }
  std::vector<std::pair<Rank, Duration>> ranks{by_rank.begin(), by_rank.end()};
  std::stable_sort(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  Table table{{{"rank"}, {"on the path"}, {"share"}}};
  for (const auto& [rank, time] : ranks) table.add_row({rank, time, percent_cell(ratio(time, path.length))});
  return table;
}

std::vector<Section> path_sections(const Dag& dag, const CriticalPath& path, std::size_t rows) {
  std::vector<Section> sections{{.title = "", .table = class_table(path)}};
  if (Table ranks = rank_table(dag, path); ranks.rows().size() > 1)
    sections.push_back({.title = "By rank", .table = std::move(ranks)});
  sections.push_back(
      {.title = rows < path.tasks.size()
                    ? fmt::format("Its {} longest tasks of {}, in order of time", rows, path.tasks.size())
                    : fmt::format("Its {} tasks, in order of time", path.tasks.size()),
       .table = path_table(dag, path, rows)});
  return sections;
}

}  // namespace stepsim::sim
