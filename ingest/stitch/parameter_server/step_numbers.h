#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_STEP_NUMBERS_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_STEP_NUMBERS_H

#include <cstdint>
#include <string>
#include <vector>

#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "model/base/diagnostics.h"

/// Which step each operator run and each stage chain belongs to.
namespace stepsim::ingest {

/// Completes the steps of gpu.operators, which are in order of time. Where some have an args.step,
/// the others belong to the step of the one before them, and are counted in `diagnostics`. Where
/// none has, a step begins at each run of the first forward operator, and numbers count from 0.
void number_operators(RecordedGpu& gpu, Diagnostics& diagnostics);

/// Gives each chain the step of its tensor's producer: of the last run that began before the chain
/// did. Chains without a step of their own are left out and counted, with `folder` as the place.
void number_chains_by_producer(RecordedGpu& gpu, const std::string& folder, Diagnostics& diagnostics);

/// The same for a GPU without operators: the k-th chain of a key belongs to the k-th of `numbers`,
/// or to step k if that is empty.
void number_chains_by_occurrence(RecordedGpu& gpu, const std::vector<std::int64_t>& numbers, const std::string& folder,
                                 Diagnostics& diagnostics);

/// The numbers of the steps of gpu.operators, ascending.
[[nodiscard]] std::vector<std::int64_t> step_numbers(const RecordedGpu& gpu);

}  // namespace stepsim::ingest

#endif
