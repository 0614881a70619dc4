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
#include "ingest/stitch/operation_table.h"
#include "ingest/stitch/parameter_server/parameter_server.h"
#include "ingest/stitch/trial/trial.h"
#include "model/base/text.h"

namespace stepsim::ingest {

/// The parts of a job's inputs, sorted by their content.
class JobParts {
 public:
  /// Moves the parts of `input` into this object. Throws InputError if a GPU has two parts of one kind.
  void add(ReadInput& input);

  /// Joins all parts into `assembly`; `ranks` has the same meaning as in LoadOptions. Call it once, after the last
  /// add(). Throws InputError if the parts are not of one job, CannotAnswer if they do not make a job, UsageError if
  /// `ranks` names no rank of the job.
  void stitch(const std::vector<Rank>& ranks, const Job& job, Assembly& assembly);

  /// If the inputs are graphs of operators without any events, joins the graphs into `assembly` and returns true. In
  /// this case, do not call stitch().
  bool stitch_untimed(Assembly& assembly);

  /// True if the job is a table of operations. Rows that contradict each other can make its tasks wait for each other.
  [[nodiscard]] bool is_table() const noexcept { return !operation_tables_.empty(); }

  /// Returns the inputs in the order of add(). Their rank or GPU is set by stitch(), except for ranks and GPUs that are
  /// left out.
  [[nodiscard]] std::vector<Source> take_sources() { return std::move(sources_); }

 private:
  using FolderOrder = bool (*)(std::string_view, std::string_view) noexcept;
  using Gpus = std::map<std::string, GpuParts, FolderOrder>;

  /// The input that a part comes from.
  struct Origin {
    std::string name;  ///< name for messages
    std::string gpu_folder;
    std::string worker_folder;
  };

  // One overload for each alternative of Part, so that a new alternative does not compile until it is handled here.
  void take(HostDeviceTrace&& trace, const Origin& origin);
  void take(TaskGraph&& graph, const Origin& origin);
  void take(ExecutionGraph&& graph, const Origin& origin);
  void take(ExecutionTrace&& trace, const Origin& origin);
  void take(RangeProfile&& profile, const Origin& origin);
  void take(OperationTable&& table, const Origin& origin);
  /// Stores a part that may occur only once per GPU or only once per job.
  template <class PartType>
  void take(PartType&& part, const Origin& origin);

  /// Sets the ranks of traces whose paths match Job::rank_in_name. Throws InputError if it matches none, or if it finds
  /// no number.
  void take_ranks_from_paths(const Job& job);
  /// Gives all traces their own events, unless each is of a rank and a host that it names, and needs no other file.
  void take_back_events();
  /// Adds to each torch.profiler trace the data of its process's execution trace.
  void join_execution_traces(Assembly& assembly);
  /// If there are no torch.profiler traces, turns each execution trace into a graph.
  void make_graphs_of_execution_traces();
  [[nodiscard]] GpuParts& gpu_of(const Origin& origin);
  [[nodiscard]] std::vector<GpuParts> numbered_gpus(Assembly& assembly);
  void note_gpus(const std::vector<GpuParts>& gpus);
  [[nodiscard]] std::vector<std::string> processes() const;
  void note_ranks(const std::vector<std::string>& files, const std::vector<std::string>& processes);

  std::vector<RankTrace> ranks_;
  std::vector<std::pair<TaskGraph, std::string>> graphs_;
  TrialParts of_job_;  ///< files that belong to the whole job, not to a GPU
  std::vector<ExecutionRank> execution_graphs_;
  std::vector<std::pair<ExecutionTrace, std::string>> execution_traces_;
  std::vector<OperationRanks> operation_tables_;
  std::string profile_file_;  ///< first file of an inline profiler; profiles do not form a job
  std::map<std::string, Gpus, FolderOrder> workers_{&natural_less};
  std::vector<Source> sources_;
};

/// Joins traces that are windows of one process: a profiler with a repeating schedule writes one file per window.
/// Traces are joined if they have the same process id, host and rank and do not overlap in time. The pause between two
/// windows is removed: on all ranks, the events after the pause move to earlier times by the length of the pause.
/// Records what was joined as an assumption. O(events).
void join_windows(std::vector<RankTrace>& traces, Assembly& assembly);

/// Returns the id of the process that recorded `trace`, as written; empty if the trace has no host events.
[[nodiscard]] std::string process_of(const HostDeviceTrace& trace);

}  // namespace stepsim::ingest

#endif
