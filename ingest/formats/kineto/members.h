#ifndef STEPSIM_INGEST_FORMATS_KINETO_MEMBERS_H
#define STEPSIM_INGEST_FORMATS_KINETO_MEMBERS_H

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/parts/part.h"
#include "model/base/diagnostics.h"

namespace stepsim::ingest {

/// Top-level members of a Kineto file: key and raw JSON text. They may stand before or behind the
/// events, and each may be missing.
using TopMembers = std::vector<std::pair<std::string, std::string>>;

/// Sets rank, world size, backend, host, device and process groups of `trace` from the file's
/// members and from `file`, its name, and adds the base time to all starts.
void apply_members(HostDeviceTrace& trace, const TopMembers& members, std::string_view file, Diagnostics& diagnostics);

/// The host in "host_pid.time.pt.trace.json", which PyTorch's trace handler writes; empty if the name is another. A
/// handler with a name of its own (worker_name) writes one that looks alike: in a trace, the number tells (process).
[[nodiscard]] std::string host_in_file_name(std::string_view file);

}  // namespace stepsim::ingest

#endif
