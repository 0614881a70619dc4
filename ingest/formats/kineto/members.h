#ifndef STEPSIM_INGEST_FORMATS_KINETO_MEMBERS_H
#define STEPSIM_INGEST_FORMATS_KINETO_MEMBERS_H

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/parts/part.h"
#include "model/base/diagnostics.h"

namespace stepsim::ingest {

/// Top-level members of a Kineto file: key and raw JSON text. They may come before or after the events, and each may be
/// missing.
using TopMembers = std::vector<std::pair<std::string, std::string>>;

/// The memory of a device in bytes, a member of its deviceProperties.
inline constexpr std::string_view kMemoryMember = "totalGlobalMem";
/// The member of a file that `stepsim model` wrote: {"model": "gpt of 24 layers ...", "samples": 8}.
inline constexpr std::string_view kModelMember = "stepsim_model";

/// Sets rank, world size, backend, host, device and process groups of `trace` from the file's members and its name
/// `file`, and adds the base time to all starts.
void apply_members(HostDeviceTrace& trace, const TopMembers& members, std::string_view file, Diagnostics& diagnostics);

/// Returns the host in "host_pid.time.pt.trace.json", the name that PyTorch's trace handler writes; empty for other
/// names. A custom worker_name of the handler can look like this too. Then the text is not a host, and the number after
/// it is not the process id in the trace.
[[nodiscard]] std::string host_in_file_name(std::string_view file);

}  // namespace stepsim::ingest

#endif
