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

/// Joins the traces of a job's ranks into `assembly`:
///
/// * host threads, cut into tasks at their events and calls;
/// * device work, in the order of its streams;
/// * the edges between these: launches, streams, synchronisation, one thread waiting for another;
/// * collectives, matched across ranks, as rendezvous;
/// * the hosts' clocks, aligned by the ends of collectives;
/// * steps, by ProfilerStep marks.
///
/// docs/stitching.md has every rule and its evidence. Ranks must be distinct. Throws InputError if no
/// collective connects two hosts, so that their clocks cannot be aligned.
/// O(events log events), besides the least squares over hosts.
void stitch_host_device(std::vector<RankTrace> ranks, Assembly& assembly);

}  // namespace stepsim::ingest

#endif
