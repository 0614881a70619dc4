#ifndef STEPSIM_CAPTURE_ROCPROFILER_LIBRARY_H
#define STEPSIM_CAPTURE_ROCPROFILER_LIBRARY_H

#include <string>

#include "capture/rocprofiler/abi.h"

namespace stepsim::capture::rocprofiler {

/// The rocprofiler-sdk library of this process.
struct Library {
  Functions functions;
  std::string version;  ///< "1.0.0"
  std::string path;
};

/// Finds the rocprofiler-sdk that is calling rocprofiler_configure() or the function that this returned: only that one
/// can be configured, so no other is loaded. Returns why it cannot be used, as a sentence for the user; empty if it
/// can. May throw std::bad_alloc.
[[nodiscard]] std::string load(Library& library);

/// Returns "/opt/rocm/lib/librocprofiler-sdk.so.1 (version 1.0.0)".
[[nodiscard]] std::string to_text(const Library& library);
/// Returns rocprofiler-sdk's description of a status.
[[nodiscard]] std::string to_text(const Library& library, Status status);

}  // namespace stepsim::capture::rocprofiler

#endif
