#ifndef STEPSIM_INGEST_LOAD_RECORDED_STAGES_H
#define STEPSIM_INGEST_LOAD_RECORDED_STAGES_H

#include <cstdint>
#include <vector>

#include "ingest/load/read.h"
#include "ingest/parts/part.h"

namespace stepsim::ingest {

/// The communication of one GPU as recorded in its comm.json.
struct RecordedStages {
  std::uint32_t worker = 0;
  std::uint32_t gpu = 0;  ///< number within its worker
  Rank rank = 0;          ///< counted over all workers, as --ranks does
  StageTrace stages;      ///< stages of one process
};

/// Returns the communication recorded in BytePS's format, sorted by worker and GPU, which are numbered as in load(). A
/// file with the events of several GPUs is split. Returns nothing if a GPU has no file in this format. Also returns
/// nothing for a dPRO trial, because there this file is derived from other files.
[[nodiscard]] std::vector<RecordedStages> recorded_stages(const ReadInputs& read);

}  // namespace stepsim::ingest

#endif
