#ifndef STEPSIM_SIM_REPORT_PATH_SECTIONS_H
#define STEPSIM_SIM_REPORT_PATH_SECTIONS_H

#include <cstddef>
#include <string>
#include <vector>

#include "sim/analysis/critical_path.h"
#include "sim/report/field.h"

namespace stepsim::sim {

/// "cudaLaunchKernel (launch)", "its lane: PUSH 3 was in front", "the start of rank 0", "rank 3, the last
/// to arrive, after gemm (stream)". Names are as the trace has them.
[[nodiscard]] std::string released_by_text(const Dag& dag, const PathTask& task);
/// What released `task` itself, whoever else is in its collective.
[[nodiscard]] std::string released_by_text(const Dag& dag, const Timeline& timeline, TaskId task);

/// Whose path it is: "the replay", "rank 1's step 5".
[[nodiscard]] std::string path_subject(const IterationPath& path);
struct Findings;

/// A task of a path, with its names.
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

/// For programs.
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

/// The tasks of a path that take longest, waits included, at most `rows` of them, in order of time:
///
///         start    duration  queueing  class          rank  lane      task      waited for
///      0.000 us    1.000 ms         -  compute           1  operators  FW.a      the start of rank 1
///      9.000 ms    1.000 ms  0.400 ms  communication     1  Comm       SEND 0.0  Comm.0.Sync (data)
///     10.000 ms    1.500 ms         -  communication     1  Comm       SEND 1.1  its lane: SEND 0.0 was in front
///
/// Columns that would be empty ("wait before", "queueing") are left out.
[[nodiscard]] Table path_table(const Dag& dag, const CriticalPath& path, std::size_t rows);

/// One row a rank that the path passes through, the longest first.
[[nodiscard]] Table rank_table(const Dag& dag, const CriticalPath& path);

/// A critical path for people: by class, without a title; by rank, where it passes through several;
/// its longest tasks, at most `rows`.
[[nodiscard]] std::vector<Section> path_sections(const Dag& dag, const CriticalPath& path, std::size_t rows);

/// The longest path of each GPU alone, and of each worker, beside the job's critical path.
[[nodiscard]] std::vector<Section> part_path_sections(const Findings& findings);

}  // namespace stepsim::sim

#endif
