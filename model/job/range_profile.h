#ifndef STEPSIM_MODEL_JOB_RANGE_PROFILE_H
#define STEPSIM_MODEL_JOB_RANGE_PROFILE_H

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/units.h"

/// What an inline profiler measures: labelled ranges of one process, each in other iterations than the rest, with
/// events on the devices' streams. It is a statistical timeline and no iteration: no dependency is in it.
namespace stepsim {

/// A label on one stream, and what was measured of it.
struct MeasuredRange {
  std::string name;               ///< as the code calls it: "fused_fully_connected.fprop"
  std::string layer;              ///< which part of the model that was; empty: not said
  std::int64_t occurrence = 0;    ///< how many ranges of this name came before it on its stream, in an iteration
  std::int32_t device = 0;        ///< index
  std::uint32_t stream = 0;       ///< index into RangeProfile::streams
  std::int64_t start_index = -1;  ///< its place in the order in which starts and stops first came; -1: not said
  std::int64_t end_index = -1;
  std::vector<Duration> lengths;  ///< one a measured iteration
  std::vector<Duration> offsets;  ///< from the iteration's start to the range's; may be fewer than lengths, or none
};

/// One process.
struct RangeProfile {
  std::string file;
  std::string host;                   ///< as the file says, else as its name does; may be empty
  std::vector<Duration> iterations;   ///< whole ones, on the host's clock; empty: not measured
  std::vector<std::string> streams;   ///< as written, in the order in which they came
  std::vector<MeasuredRange> ranges;  ///< in the order of the file
};

/// The processes of one run.
struct ProfiledRun {
  std::string name;  ///< as the user named it
  std::vector<RangeProfile> processes;
};

}  // namespace stepsim

#endif
