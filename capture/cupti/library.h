#ifndef STEPSIM_CAPTURE_CUPTI_LIBRARY_H
#define STEPSIM_CAPTURE_CUPTI_LIBRARY_H

#include <string>

#include "capture/cupti/abi.h"

namespace stepsim::capture::cupti {

/// CUPTI, loaded into this process. It is never unloaded.
struct Library {
  Functions functions;
  std::uint32_t version = 0;  ///< of its interface, as cuptiGetVersion() says
};

/// Loads `path`, or where that is empty libcupti.so by the names that CUDA 13, 12 and 11 give it. False if it cannot be
/// loaded or lacks a function; `problem` then says why, in a sentence for the user.
[[nodiscard]] bool load(const std::string& path, Library& library, std::string& problem);

/// What CUPTI calls a result.
[[nodiscard]] std::string to_text(const Library& library, Result result);

}  // namespace stepsim::capture::cupti

#endif
