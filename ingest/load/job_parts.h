#ifndef STEPSIM_INGEST_LOAD_JOB_PARTS_H
#define STEPSIM_INGEST_LOAD_JOB_PARTS_H

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/load/read.h"
#include "ingest/stitch/assembly.h"
#include "ingest/stitch/execution_graph/execution_graph.h"
#include "ingest/stitch/host_device/host_device.h"
#include "ingest/stitch/parameter_server/parameter_server.h"
#include "model/base/text.h"

namespace stepsim::ingest {

/// The parts of a job's inputs, by what they hold.
class JobParts {
 public:
  /// Takes over the parts of `input`. Throws InputError where a GPU has two of a kind.
  void add(ReadInput& input);

  /// Joins all parts into `assembly`; `ranks` as in LoadOptions. Call it once, last.
  /// Throws InputError if they are not of one job, UsageError if `ranks` names none of it.
  void stitch(const std::vector<Rank>& ranks, const Job& job, Assembly& assembly);

 private:
  using FolderOrder = bool (*)(std::string_view, std::string_view) noexcept;
  using Gpus = std::map<std::string, GpuParts, FolderOrder>;

  /// Where a part comes from.
  struct Origin {
    std::string name;  ///< for messages
    std::string gpu_folder;
    std::string worker_folder;
  };

  // One for each alternative of Part: a new one does not compile until it is taken here.
  void take(HostDeviceTrace&& trace, const Origin& origin);
  void take(TaskGraph&& graph, const Origin& origin);
  void take(ExecutionGraph&& graph, const Origin& origin);
  void take(ExecutionTrace&& trace, const Origin& origin);
  void take(StageTrace&& stages, const Origin& origin);
  void take(OperatorTrace&& operators, const Origin& origin);
  void take(OperatorGraph&& graph, const Origin& origin);
  void take(TensorTable&& tensors, const Origin& origin);

  /// Completes the traces of torch.profiler by the execution traces of their processes.
  void join_execution_traces(Assembly& assembly);
  /// Without such traces, execution traces are graphs of their own.
  void make_graphs_of_execution_traces();
  [[nodiscard]] GpuParts& gpu_of(const Origin& origin);
  [[nodiscard]] std::vector<GpuParts> numbered_gpus(Assembly& assembly);

  std::vector<RankTrace> ranks_;
  std::vector<std::pair<TaskGraph, std::string>> graphs_;
  std::vector<RankGraph> execution_graphs_;
  std::vector<std::pair<ExecutionTrace, std::string>> execution_traces_;
  std::map<std::string, Gpus, FolderOrder> workers_{&natural_less};
};

}  // namespace stepsim::ingest

#endif
