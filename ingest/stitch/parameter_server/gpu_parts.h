#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_GPU_PARTS_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_GPU_PARTS_H

#include <cstdint>
#include <optional>
#include <string>

#include "ingest/parts/part.h"

namespace stepsim::ingest {

/// What the files of one GPU folder of a BytePS job or of a dPRO trial hold. Only the folders,
/// <trial>/<worker>/<gpu>/, say which worker and which GPU that is.
struct GpuParts {
  std::uint32_t worker = 0;      ///< counted over the worker folders in natural order
  std::uint32_t local_rank = 0;  ///< counted over the GPU folders of the worker
  std::string host;              ///< the worker folder's name
  std::string folder;            ///< path of the GPU folder, for messages
  std::optional<StageTrace> stages;
  std::optional<OperatorTrace> operators;
  std::optional<OperatorGraph> graph;
  std::optional<TensorTable> tensors;
  // Of trials, and of Horovod's timelines.
  std::optional<TensorflowTrace> tensorflow;
  std::optional<OperatorMetadata> metadata;
  std::optional<TensorTable> tensor_ids;  ///< gradient_name2ID.json, where gradient_name_list.json is missing
  std::optional<OperatorTrace> inputs;    ///< io.json: the loading of batches
  std::optional<HorovodTrace> horovod;
  std::optional<ChunkTrace> chunks;
  std::optional<RankGraph> rank_graph;
};

}  // namespace stepsim::ingest

#endif
