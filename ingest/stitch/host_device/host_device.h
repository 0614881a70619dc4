#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_HOST_DEVICE_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_HOST_DEVICE_H

#include <cstddef>
#include <string>
#include <vector>

#include "ingest/parts/execution_graph.h"
#include "ingest/parts/part.h"
#include "ingest/stitch/assembly.h"

namespace stepsim::ingest {

/// How much of an execution trace found its event.
struct JoinedOperators {
  std::size_t joined = 0;
  std::size_t all = 0;  ///< operators and annotations of the execution trace
};

/// Completes `trace` by the execution trace of the same process and run: which memory its operators used, which
/// collectives they started and waited for, and, where the trace has none, their shapes. The k-th run of a name is the
/// k-th event of it, in the order of begins, for names that both have equally often: in the traces at hand every one of
/// these pairs has equal ids ("Record function id" and rf_id), where they are recorded. O(events log events).
JoinedOperators join_execution_trace(const ExecutionTrace& execution, HostDeviceTrace& trace);

/// One rank's trace and the file it came from.
struct RankTrace {
  HostDeviceTrace trace;
  std::string file;
  Rank rank = 0;
  std::string assumed_host{};  ///< where the trace names none; ranks without either share one host

  [[nodiscard]] const std::string& host() const noexcept {
    return trace.host_name.empty() ? assumed_host : trace.host_name;
  }
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
/// collective connects two hosts that traces name, so that their clocks cannot be aligned.
/// O(events log events), besides the least squares over hosts.
void stitch_host_device(std::vector<RankTrace> ranks, Assembly& assembly);

/// Where traces name groups of ranks by their communicators, gives all of them the job's numbers: each trace knows its
/// own place in a group, so together they know the members. The texts of groups become "[0, 2] nccl 0x1f", with a
/// question mark for a member whose trace was not read, and peers of messages become ranks of the job, or none if that
/// is not known. A group of the whole job, as far as traces tell, has its ranks in the job's order.
/// O(communicators * members + events).
void resolve_communicators(std::vector<RankTrace>& ranks);

}  // namespace stepsim::ingest

#endif
