#ifndef STEPSIM_TESTS_MODEL_REWRITE_DATA_PARALLEL_JOB_H
#define STEPSIM_TESTS_MODEL_REWRITE_DATA_PARALLEL_JOB_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/job/dag_builder.h"
#include "model/job/recording.h"
#include "model/rewrite/capture_edit.h"

namespace stepsim::testing {

/// A DistributedDataParallel job on gloo as ingest delivers it: each rank computes its gradients,
/// 10 ms each, hands over each bucket of two, and waits for the last before its optimizer. Two
/// threads a rank carry the all-reduces in turn. Every all-reduce takes 1 ns a byte that a rank
/// sends, less than the next bucket takes to come.
struct DataParallelJob {
  std::size_t ranks = 2;
  std::size_t steps = 2;
  std::vector<Bytes> gradients{Bytes{1'000'000}, Bytes{3'000'000}, Bytes{2'000'000}, Bytes{600'000}};

  [[nodiscard]] Capture capture() const;
};

/// The same job on GPUs with NCCL: a thread launches a kernel of 10 ms for each gradient and, in the hook of each
/// bucket's last one, the all-reduce, which follows the gradient's kernel on a stream of its own. The optimizer's
/// kernel waits for all of them. The thread takes microseconds and runs ahead.
struct DeviceDataParallelJob {
  std::size_t ranks = 2;
  std::size_t steps = 3;
  std::vector<Bytes> gradients{Bytes{2'000'000}, Bytes{2'000'000}, Bytes{2'000'000}, Bytes{600'000}};
  std::vector<std::size_t> buckets{1, 3};  ///< the last gradient of each
  /// Without, a kernel of no time copies each gradient into its bucket, a block for every `kBlock`.
  bool shapes = true;

  static constexpr std::int64_t kBlock = 2000;

  [[nodiscard]] Capture capture() const;
};

/// The tasks of that name, by id.
std::vector<TaskId> tasks_named(const Dag& dag, std::string_view name);
/// Whether an edge leads from one to the other.
bool has_edge(const Dag& dag, TaskId from, TaskId to);

}  // namespace stepsim::testing

#endif
