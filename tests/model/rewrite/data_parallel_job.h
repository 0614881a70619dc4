#ifndef STEPSIM_TESTS_MODEL_REWRITE_DATA_PARALLEL_JOB_H
#define STEPSIM_TESTS_MODEL_REWRITE_DATA_PARALLEL_JOB_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/job/dag_builder.h"
#include "model/job/recording.h"
#include "model/rewrite/capture_edit.h"

namespace stepsim::testing {

/// A DistributedDataParallel job on gloo, in the form in which ingest delivers it. Each rank computes each gradient in
/// 10 ms, submits an all-reduce after every second gradient, and waits for the last all-reduce before its optimizer.
/// Two threads per rank carry the all-reduces alternately. Every all-reduce takes 1 ns per byte that a rank sends, and
/// ends before the next one is submitted.
struct DataParallelJob {
  std::size_t ranks = 2;
  std::size_t steps = 2;
  std::vector<Bytes> gradients{Bytes{1'000'000}, Bytes{3'000'000}, Bytes{2'000'000}, Bytes{600'000}};

  [[nodiscard]] Capture capture() const;
};

/// A DistributedDataParallel job on GPUs with NCCL. A thread launches a kernel of 10 ms for each gradient, and after
/// the last gradient of each bucket an all-reduce, which follows the gradient's kernel on a separate stream. The
/// optimizer's kernel waits for all all-reduces. The launches take microseconds, so the thread runs ahead of the
/// device.
struct DeviceDataParallelJob {
  std::size_t ranks = 2;
  std::size_t steps = 3;
  std::vector<Bytes> gradients{Bytes{2'000'000}, Bytes{2'000'000}, Bytes{2'000'000}, Bytes{600'000}};
  std::vector<std::size_t> buckets{1, 3};  ///< the last gradient of each bucket
  /// If false, the capture has no sizes of gradients. Instead, a kernel of zero duration copies each gradient into its
  /// bucket, with one block for every `kBlock` bytes.
  bool shapes = true;

  /// If true, the all-reduces are launched after the backward pass, those of the last buckets first.
  bool late = false;
  /// If true, a kernel of zero duration precedes each late all-reduce, as if it made its input.
  bool packed = false;
  /// Time by which the first all-reduce of each step takes longer, because other ranks arrive late.
  Duration wait{};
  /// Number of ranks in the group, if not all were captured.
  std::uint32_t group = 0;

  static constexpr std::int64_t kBlock = 2000;

  [[nodiscard]] Capture capture() const;
};

/// Returns the tasks with this name, ordered by id.
std::vector<TaskId> tasks_named(const Dag& dag, std::string_view name);
/// Whether there is an edge between the two tasks.
bool has_edge(const Dag& dag, TaskId from, TaskId to);

}  // namespace stepsim::testing

#endif
