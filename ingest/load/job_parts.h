#ifndef STEPSIM_INGEST_LOAD_JOB_PARTS_H
#define STEPSIM_INGEST_LOAD_JOB_PARTS_H

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/load/load.h"
#include "ingest/load/read.h"
#include "ingest/stitch/assembly.h"
#include "ingest/stitch/execution_graph/execution_graph.h"
#include "ingest/stitch/host_device/host_device.h"
#include "ingest/stitch/parameter_server/parameter_server.h"
#include "ingest/stitch/trial/trial.h"
#include "model/base/text.h"

namespace stepsim::ingest {

/// The parts of a job's inputs, by what they hold.
class JobParts {
 public:
  /// Takes over the parts of `input`. Throws InputError where a GPU has two of a kind.
  void add(ReadInput& input);

  /// Joins all parts into `assembly`; `ranks` as in LoadOptions. Call it once, last.
  /// Throws InputError if they are not of one job, CannotAnswer if they make none, UsageError if `ranks` names none of
  /// it.
  void stitch(const std::vector<Rank>& ranks, const Job& job, Assembly& assembly);

  /// Where there are graphs of operators and nothing else: joins these into `assembly`, and returns true. Then
  /// stitch() is not called.
  bool stitch_untimed(Assembly& assembly);

  /// The inputs in the order of add(). Whose they are is known after stitch(): of one whose rank or GPU is left out,
  /// neither.
  [[nodiscard]] std::vector<Source> take_sources() { return std::move(sources_); }

 private:
  using FolderOrder = bool (*)(std::string_view, std::string_view) noexcept;
  using Gpus = std::map<std::string, GpuParts, FolderOrder>;

  /// Where a part comes from.
  struct Origin {
    std::string name;  ///< for messages
    std::string gpu_folder;
    std::string worker_folder;
  };

  // For each alternative of Part: a new one does not compile until it is taken here.
  void take(HostDeviceTrace&& trace, const Origin& origin);
  void take(TaskGraph&& graph, const Origin& origin);
  void take(ExecutionGraph&& graph, const Origin& origin);
  void take(ExecutionTrace&& trace, const Origin& origin);
  void take(RangeProfile&& profile, const Origin& origin);
  /// What a GPU, or the job, has one of.
  template <class PartType>
  void take(PartType&& part, const Origin& origin);

  /// Completes the traces of torch.profiler by the execution traces of their processes.
  void join_execution_traces(Assembly& assembly);
  /// Without such traces, execution traces are graphs of their own.
  void make_graphs_of_execution_traces();
  [[nodiscard]] GpuParts& gpu_of(const Origin& origin);
  [[nodiscard]] std::vector<GpuParts> numbered_gpus(Assembly& assembly);
  void note_gpus(const std::vector<GpuParts>& gpus);
  [[nodiscard]] std::vector<std::string> processes() const;
  void note_ranks(const std::vector<std::string>& files, const std::vector<std::string>& processes);

  std::vector<RankTrace> ranks_;
  std::vector<std::pair<TaskGraph, std::string>> graphs_;
  TrialParts of_job_;  ///< without GPUs
  std::vector<ExecutionRank> execution_graphs_;
  std::vector<std::pair<ExecutionTrace, std::string>> execution_traces_;
  std::string profile_file_;  ///< the first of an inline profiler, whose ranges make no job; empty: there is none
  std::map<std::string, Gpus, FolderOrder> workers_{&natural_less};
  std::vector<Source> sources_;
};

/// Joins the traces that are windows of one process: a profiler with a schedule that repeats writes one file a window.
/// They are those with the same process id, host and rank, none of which begins before the one before it has ended. The
/// pause between two windows is left out: all later events of the job move forward by it, so that ranks stay together.
/// What was joined is among the assumptions. O(events).
void join_windows(std::vector<RankTrace>& traces, Assembly& assembly);

/// The id of the process that recorded `trace`, as written; empty if it holds no host events.
[[nodiscard]] std::string process_of(const HostDeviceTrace& trace);

}  // namespace stepsim::ingest

#endif
