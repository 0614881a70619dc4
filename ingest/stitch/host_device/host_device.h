#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_HOST_DEVICE_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_HOST_DEVICE_H

#include <string>
#include <vector>

#include "ingest/parts/part.h"
#include "ingest/stitch/assembly.h"

namespace stepsim::ingest {

/// One rank's trace and the file it came from.
struct RankTrace {
  HostDeviceTrace trace;
  std::string file;
  Rank rank = 0;
};

/// Joins the traces of a job's ranks into `assembly`: host threads cut at their events and
/// calls, device work in stream order, the edges between them (launch, stream, sync, hand-off
/// between threads), collectives matched over ranks as rendezvous, hosts' clocks aligned by
/// the collectives' ends, steps by ProfilerStep marks. Ranks must be distinct.
///
/// Throws InputError if hosts cannot be aligned: no collective ties them together.
void stitch_host_device(std::vector<RankTrace> ranks, Assembly& assembly);

}  // namespace stepsim::ingest

#endif
