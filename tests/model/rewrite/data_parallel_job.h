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

/// The tasks of that name, by id.
std::vector<TaskId> tasks_named(const Dag& dag, std::string_view name);
/// Whether an edge leads from one to the other.
bool has_edge(const Dag& dag, TaskId from, TaskId to);

}  // namespace stepsim::testing

#endif
