#ifndef STEPSIM_CAPTURE_CUPTI_LIBRARY_H
#define STEPSIM_CAPTURE_CUPTI_LIBRARY_H

#include <string>

#include "capture/cupti/abi.h"

namespace stepsim::capture::cupti {

/// The CUPTI library, loaded into this process. It is never unloaded.
struct Library {
  Functions functions;
  std::uint32_t version = 0;  ///< interface version from cuptiGetVersion()
};

/// Loads `path`, or, if that is empty, libcupti.so under its names in CUDA 13, 12 and 11. Returns false if it cannot be
/// loaded or lacks a required function; `problem` then contains the reason as a sentence for the user.
[[nodiscard]] bool load(const std::string& path, Library& library, std::string& problem);

/// Returns CUPTI's name of a result.
[[nodiscard]] std::string to_text(const Library& library, Result result);

}  // namespace stepsim::capture::cupti

#endif
