#ifndef STEPSIM_INGEST_PARTS_PROCESS_GROUPS_H
#define STEPSIM_INGEST_PARTS_PROCESS_GROUPS_H

#include <string>
#include <string_view>

#include "ingest/parts/host_device_trace.h"
#include "model/job/collective.h"

namespace stepsim::ingest {

/// Returns the group that a text describes: "[0, 8]", "[0, 8] name", or a name. If a list is cut off ("...") or has
/// other things than ranks, or a rank twice, the whole text is the name. O(length log length).
[[nodiscard]] Group group_named(std::string_view text);

/// Returns a group of a trace: its size is 0 if unknown.
[[nodiscard]] Group group_in(const HostDeviceTrace& trace, ProcessGroupId id);

/// Returns "[0, 8] name": a text that is equal for a group in the traces of all its members.
[[nodiscard]] std::string key_of(const HostDeviceTrace& trace, ProcessGroupId id);

}  // namespace stepsim::ingest

#endif
