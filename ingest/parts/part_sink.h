#ifndef STEPSIM_INGEST_PARTS_PART_SINK_H
#define STEPSIM_INGEST_PARTS_PART_SINK_H

#include <cstdint>
#include <string>
#include <vector>

#include "ingest/parts/part.h"
#include "model/base/diagnostics.h"

namespace stepsim::ingest {

/// Takes what a format makes of one input: its parts, and what was wrong with it.
struct PartSink {
  struct Item {
    Part part;
    std::string of;
  };

  /// Takes a part. Where an input holds several ranks or GPUs, `of` says whose part it is, as
  /// messages shall name it: "rank 3", "GPU 1"; a rank's number is also in its HostDeviceTrace.
  void add(Part part, std::string of = {});

  bool details = false;  ///< whether the format is to deliver what only TraceDetails holds, too
  int threads = 1;       ///< that may read the input
  std::vector<Item> parts;
  Diagnostics diagnostics;
  std::uint64_t events = 0;   ///< records seen
  std::uint64_t skipped = 0;  ///< records that could not be used
};

}  // namespace stepsim::ingest

#endif
