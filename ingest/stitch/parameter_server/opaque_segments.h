#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_OPAQUE_SEGMENTS_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_OPAQUE_SEGMENTS_H

#include "ingest/stitch/parameter_server/recorded_gpu.h"

namespace stepsim::ingest {

/// Gives a GPU without operators one opaque segment up to each release of a tensor, in place of
/// the operators that ran there. A tensor is released when its `total` event in `stages` begins,
/// else when its first partition's first stage does. A step's first segment begins with the last
/// release of the step before; behind a global barrier it waits for that step's tensors, and
/// begins when they are there. Precondition: the chains of `gpu` have their steps.
void add_opaque_segments(RecordedGpu& gpu, const StageTrace& stages, Barrier barrier);

}  // namespace stepsim::ingest

#endif
