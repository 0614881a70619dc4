#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_HOST_DEVICE_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_HOST_DEVICE_H

#include <cstddef>
#include <string>
#include <vector>

#include "ingest/parts/execution_graph.h"
#include "ingest/parts/like_traces.h"
#include "ingest/parts/part.h"
#include "ingest/stitch/assembly.h"

namespace stepsim::ingest {

/// The number of operators of an execution trace that were matched to events.
struct JoinedOperators {
  std::size_t joined = 0;
  std::size_t all = 0;  ///< operators and annotations of the execution trace
};

/// Completes `trace` with the execution trace of the same process and run: the memory its operators used, the
/// collectives they started and waited for, and their shapes if the trace has none. The k-th run of a name belongs to
/// the k-th event with that name, in the order of begins, for names that occur equally often in both. In the traces we
/// have, all such pairs have equal ids ("Record function id" and rf_id) where these are recorded. O(events log events).
JoinedOperators join_execution_trace(const ExecutionTrace& execution, HostDeviceTrace& trace);

/// Gives the device work of collectives the arguments of the calls that launched it (join_collective() in
/// parts/collective_calls.h). A call launched what was launched on its thread while it was the innermost such call, as
/// correlations show. O(events log calls).
void join_collectives(HostDeviceTrace& trace);

/// One rank's trace and the file it came from.
struct RankTrace {
  HostDeviceTrace trace;
  std::string file;
  Rank rank = 0;
  std::string assumed_host{};  ///< used if the trace names no host; ranks without either name share one host
  SharedEvents events{};       ///< the trace's events, if like traces share them

  [[nodiscard]] const std::string& host() const noexcept {
    return trace.host_name.empty() ? assumed_host : trace.host_name;
  }
};

/// Joins the traces of a job's ranks into `assembly`:
///
/// * host threads, cut into tasks at their events and calls;
/// * device work, in the order of its streams;
/// * the edges between these: launches, streams, synchronisation, and waits between threads;
/// * collectives, matched across ranks, as rendezvous;
/// * the hosts' clocks, aligned by the ends of collectives;
/// * steps, by ProfilerStep marks.
///
/// Of many ranks that do the same at the same time (leave_one_of_each()), only the first has tasks; the others are its
/// copies in the groups of collectives, and have a lane without tasks.
///
/// docs/internals/stitching.md has every rule and its evidence. Ranks must be distinct. Throws InputError if a host
/// that the traces name has no collective with the others, so that its clock cannot be aligned. O(events log events),
/// plus the least squares over hosts.
void stitch_host_device(std::vector<RankTrace> ranks, Assembly& assembly);

/// Gives the groups of communicators the ranks of the job. Each trace knows its own number in a group, so all traces
/// together know the members; the ranks of a group stay unknown if the trace of a member was not read. Peers of
/// messages become ranks of the job, or none if unknown. If a group is as large as the job and its known members are in
/// the job's order, its other members are assumed to be in this order too. O(groups * members + events).
void resolve_groups(std::vector<RankTrace>& ranks);

}  // namespace stepsim::ingest

#endif
