#ifndef STEPSIM_INGEST_PARTS_COLLECTIVE_CALLS_H
#define STEPSIM_INGEST_PARTS_COLLECTIVE_CALLS_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ingest/parts/part.h"

namespace stepsim::ingest {

/// Returns true if the arguments of an event name a collective.
[[nodiscard]] inline bool names_collective(const HostDeviceTrace& trace, std::size_t event) noexcept {
  const EventDetail* const detail = trace.detail_of(event);
  return detail != nullptr && detail->collective.valid();
}

/// Returns true for an operator or annotation whose arguments name a known collective, as those of "record_param_comms"
/// do. PyTorch also records calls that are none, such as "wait".
[[nodiscard]] bool is_collective_call(const HostDeviceTrace& trace, std::size_t event);

/// Device work that a host event launched.
struct LaunchedWork {
  std::uint32_t event = 0;
  bool directly = true;  ///< false if another operator was open in between
};

/// Gives the work that moves the bytes of a collective the arguments of the call that launched it
/// (is_collective_call()). This work is, of what the call launched, the kernels that communicate, else the kernels that
/// it launched directly, else its copies between devices. It shares the call's detail, and all work with one detail is
/// one collective.
void join_collective(std::uint32_t call, const std::vector<LaunchedWork>& launched, HostDeviceTrace& trace);

}  // namespace stepsim::ingest

#endif
