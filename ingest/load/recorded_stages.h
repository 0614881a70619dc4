#ifndef STEPSIM_INGEST_LOAD_RECORDED_STAGES_H
#define STEPSIM_INGEST_LOAD_RECORDED_STAGES_H

#include <cstdint>
#include <vector>

#include "ingest/load/read.h"
#include "ingest/parts/part.h"

namespace stepsim::ingest {

/// The communication of one GPU as its comm.json has it.
struct RecordedStages {
  std::uint32_t worker = 0;
  std::uint32_t gpu = 0;  ///< of its worker
  Rank rank = 0;          ///< counted over all workers, as --ranks does
  StageTrace stages;      ///< of one process
};

/// What the inputs hold in BytePS's own words, by worker and GPU, numbered as load() numbers them. Files of several
/// GPUs are divided. Empty where some GPU has none, and of a dPRO trial, in which such a file is no source.
[[nodiscard]] std::vector<RecordedStages> recorded_stages(const ReadInputs& read);

}  // namespace stepsim::ingest

#endif
