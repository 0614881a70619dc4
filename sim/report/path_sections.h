#ifndef STEPSIM_SIM_REPORT_PATH_SECTIONS_H
#define STEPSIM_SIM_REPORT_PATH_SECTIONS_H

#include <cstddef>
#include <string>
#include <vector>

#include "sim/analysis/critical_path.h"
#include "sim/report/field.h"

namespace stepsim::sim {

/// Describes what released a task of a path: "cudaLaunchKernel (launch)", "its lane: PUSH 3 was in front", "the start
/// of rank 0", "rank 3, the last to arrive, after gemm (stream)". Names are unescaped.
[[nodiscard]] std::string released_by_text(const Dag& dag, const PathTask& task);
/// Like the overload for a PathTask, but describes what released `task` itself, even if another member of its
/// collective arrived last.
[[nodiscard]] std::string released_by_text(const Dag& dag, const Timeline& timeline, TaskId task);

/// Names the step or the replay that the path belongs to: "the replay", "rank 1's step 5".
[[nodiscard]] std::string path_subject(const IterationPath& path);

/// Returns the shares of a path's classes, the largest first, and of unexplained waiting: "; 89.1 % communication, 10.8
/// % compute".
[[nodiscard]] std::string shares_text(const CriticalPath& path);
struct Findings;

/// A task of a path, as a row of a table.
struct PathLine {
  const Dag* dag;
  const CriticalPath* path;
  const PathTask* task;

  [[nodiscard]] std::string_view name() const { return dag->name(task->task); }
  [[nodiscard]] TaskKind kind() const { return dag->kind(task->task); }
  [[nodiscard]] const Lane& lane() const { return dag->lane(task->task); }
  [[nodiscard]] std::string released_by() const { return released_by_text(*dag, *task); }
};
[[nodiscard]] std::vector<PathLine> lines_of(const Dag& dag, const CriticalPath& path);

/// The fields of a task on a path in JSON and in spreadsheets.
inline constexpr auto kPathLine = std::to_array<Field<PathLine>>({
    {"name", at<&PathLine::name>},
    {"rank", at<&PathLine::lane, &Lane::rank>, {.place = 2}},
    {"lane", at<&PathLine::lane, &Lane::name>, {.place = 3}},
    {"start_ns", at<&PathLine::task, &PathTask::start>, {.place = 4}},
    {"duration_ns", at<&PathLine::task, &PathTask::duration>, {.place = 5}},
    {"released_by", at<&PathLine::released_by>, {.place = 8}},
    {"kind", at<&PathLine::kind>, {.place = 1}},
    {"wait_ns", at<&PathLine::task, &PathTask::wait>, {.place = 6}},
    {"queueing_ns", at<&PathLine::task, &PathTask::queueing>, {.place = 7}},
});

/// Returns a table of the path's longest tasks, including their waits, at most `rows`, in order of time:
///
///         start    duration  queueing  class          rank  lane      task      waited for
///      0.000 us    1.000 ms         -  compute           1  operators  FW.a      the start of rank 1
///      9.000 ms    1.000 ms  0.400 ms  communication     1  Comm       SEND 0.0  Comm.0.Sync (data)
///     10.000 ms    1.500 ms         -  communication     1  Comm       SEND 1.1  its lane: SEND 0.0 was in front
///
/// Empty columns ("wait before", "queueing") are left out.
[[nodiscard]] Table path_table(const Dag& dag, const CriticalPath& path, std::size_t rows);

/// Returns a table with one row per rank on the path, the longest first.
[[nodiscard]] Table rank_table(const Dag& dag, const CriticalPath& path);

/// Returns a critical path for people: its classes (without a title), its ranks if there are several, and its longest
/// tasks, at most `rows`.
[[nodiscard]] std::vector<Section> path_sections(const Dag& dag, const CriticalPath& path, std::size_t rows);

/// Returns the longest path of each GPU alone and of each worker alone, compared with the job's critical path.
[[nodiscard]] std::vector<Section> part_path_sections(const Findings& findings);

}  // namespace stepsim::sim

#endif
