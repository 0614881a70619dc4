#ifndef STEPSIM_MODEL_REWRITE_PARAMETER_SERVER_JOB_SHAPE_H
#define STEPSIM_MODEL_REWRITE_PARAMETER_SERVER_JOB_SHAPE_H

#include <cstdint>
#include <vector>

#include "model/base/error.h"
#include "model/job/parameter_server/workload.h"
#include "model/rewrite/parameter_server/build.h"

namespace stepsim {

/// One partition of the job that is built.
struct PsPartition {
  std::uint32_t index = 0;  ///< within its tensor
  std::int64_t key = 0;
  Bytes bytes{};
  std::uint32_t server = 0;
  std::uint32_t thread = 0;  ///< of the server
  std::int32_t place = 0;    ///< in the order of keys: the priority
};

/// One tensor with its partitions.
struct PsCut {
  std::uint32_t tensor = 0;  ///< index into PsGpu::tensors
  std::vector<PsPartition> partitions;
};

/// What options make of a workload, before there is a graph.
struct PsShape {
  std::uint32_t workers = 0;
  std::uint32_t servers = 0;
  std::uint32_t local_size = 0;
  std::uint32_t server_threads = 1;
  std::vector<std::uint32_t> source;  ///< by worker of the job: the captured worker it is or copies
  std::vector<PsCut> tensors;         ///< in the order in which the first worker makes them
  std::uint32_t partitions = 0;       ///< of all tensors
};

/// Cuts the tensors, spreads the keys, and decides who is whose copy.
/// Throws InputError at `where`, one sentence, where the workload lacks what it takes.
[[nodiscard]] PsShape shape_of(const PsWorkload& workload, const PsOptions& options, const InputLocation& where);

}  // namespace stepsim

#endif
