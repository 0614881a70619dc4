#ifndef STEPSIM_MODEL_JOB_PARALLEL_PLACE_H
#define STEPSIM_MODEL_JOB_PARALLEL_PLACE_H

#include <compare>
#include <cstdint>

namespace stepsim {

/// A rank's coordinates in a pipeline- and data-parallel job. A tensor-parallel group counts as one rank.
struct ParallelPlace {
  std::uint32_t data_rank = 0;  ///< data-parallel rank, from 0
  std::uint32_t stage = 0;      ///< pipeline stage, from 0
  friend auto operator<=>(const ParallelPlace&, const ParallelPlace&) = default;
};

}  // namespace stepsim

#endif
