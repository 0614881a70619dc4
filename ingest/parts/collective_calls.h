#ifndef STEPSIM_INGEST_PARTS_COLLECTIVE_CALLS_H
#define STEPSIM_INGEST_PARTS_COLLECTIVE_CALLS_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ingest/parts/part.h"

namespace stepsim::ingest {

[[nodiscard]] constexpr bool is_host_event(EventKind kind) noexcept {
  return kind == EventKind::kOp || kind == EventKind::kAnnotation || kind == EventKind::kRuntimeCall;
}

/// Returns true if the arguments of an event name a collective.
[[nodiscard]] inline bool names_collective(const HostDeviceTrace& trace, std::size_t event) noexcept {
  const EventDetail* const detail = trace.detail_of(event);
  return detail != nullptr && detail->collective.valid();
}

/// Device work that a host event launched.
struct LaunchedWork {
  std::uint32_t event = 0;
  bool directly = true;  ///< false if another operator was open in between
};

/// Gives the work that moves the bytes of a collective the arguments of the call that launched it. `call` is a host
/// event whose detail names the collective ("record_param_comms"), and `launched` is what it launched: the kernels that
/// communicate, else all kernels that it launched directly, else its copies between devices. The work shares the call's
/// detail, and all work with one detail is one collective.
void join_collective(std::uint32_t call, const std::vector<LaunchedWork>& launched, HostDeviceTrace& trace);

}  // namespace stepsim::ingest

#endif
