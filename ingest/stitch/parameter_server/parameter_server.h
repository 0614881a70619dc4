#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_PARAMETER_SERVER_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_PARAMETER_SERVER_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ingest/parts/part.h"
#include "ingest/stitch/assembly.h"
#include "model/job/job.h"

namespace stepsim::ingest {

/// What the files of one GPU folder of a BytePS job hold. Which worker it is only the folders
/// say: <trial>/<worker>/<gpu>/files.
struct GpuParts {
  std::uint32_t worker = 0;      ///< counted over the worker folders in natural order
  std::uint32_t local_rank = 0;  ///< counted over the GPU folders of the worker
  std::string host;              ///< the worker folder's name
  std::string folder;            ///< for messages
  std::optional<StageTrace> stages;
  std::optional<OperatorTrace> operators;
  std::optional<OperatorGraph> graph;
  std::optional<TensorTable> tensors;
};

/// Joins the GPUs of a parameter-server job into `assembly`: operators, the stage chain of each
/// partition and step, PULL split into waiting and transfer, workers' clocks aligned.
void stitch_parameter_server(std::vector<GpuParts> gpus, const Job& job, Assembly& assembly);

}  // namespace stepsim::ingest

#endif
