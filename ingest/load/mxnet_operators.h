#ifndef STEPSIM_INGEST_LOAD_MXNET_OPERATORS_H
#define STEPSIM_INGEST_LOAD_MXNET_OPERATORS_H

#include <string>
#include <vector>

#include "ingest/bytes/input.h"

namespace stepsim::ingest {

/// An operator of a merged trace. Times are texts of microseconds.
struct ProfiledOperator {
  std::string name;  ///< "FW.conv1", "BW.conv1", "STEP"
  std::string thread;
  std::string start;
  std::string duration;
};

/// The operators of temp.json, which MXNet's profiler dumps as B and E or as X events, as ByteProfile names them:
/// "conv1_fwd" is FW.conv1, "conv1_backward" BW.conv1, and of "...name=conv1_fwd;..." that name counts. All else
/// between the last BW and the next FW is one STEP; what lies elsewhere is left out. In order of time. Throws
/// InputError if no operator is in it.
[[nodiscard]] std::vector<ProfiledOperator> mxnet_operators(Input& input);

}  // namespace stepsim::ingest

#endif
