#ifndef STEPSIM_CAPTURE_CUPTI_LIBRARY_H
#define STEPSIM_CAPTURE_CUPTI_LIBRARY_H

#include <functional>
#include <string>

#include "capture/cupti/abi.h"

namespace stepsim::capture::cupti {

/// The CUPTI library, loaded into this process. It is never unloaded.
struct Library {
  Functions functions;
  std::uint32_t version = 0;  ///< interface version from cuptiGetVersion()
  std::string path;
};

/// Loads CUPTI. Candidates are `path`, or, if that is empty, first the CUPTI libraries that this process has already
/// loaded, because two of them in a process do not work, and then libcupti.so under its names in CUDA 13, 12 and 11.
/// Each candidate is put into `library`, and `use` tries it: it returns an empty text if the library works, and else
/// why it does not. Returns false if no candidate works; `problem` then contains the reasons as a sentence for the
/// user.
[[nodiscard]] bool load(const std::string& path, Library& library, const std::function<std::string()>& use,
                        std::string& problem);

/// Returns "/usr/lib/libcupti.so.12 (interface version 24)".
[[nodiscard]] std::string to_text(const Library& library);
/// Returns CUPTI's name of a result.
[[nodiscard]] std::string to_text(const Library& library, Result result);
/// Returns what the user calls records of this kind, for example "memory copies".
[[nodiscard]] const char* to_text(Activity kind) noexcept;

/// Writes the CUDA version that the driver supports, 1000 x major + 10 x minor.
using DriverVersion = Result(int* version);
/// Returns cuDriverGetVersion() of the loaded driver, or of the library `cupti` if no driver is loaded and it has one.
/// Returns null if there is none.
[[nodiscard]] DriverVersion* driver_version_of(const std::string& cupti);

/// What is known of the GPU and its driver when CUPTI refuses to work.
struct Surroundings {
  bool gpu = false;  ///< the process can open a GPU
  int driver = 0;    ///< as written by DriverVersion; 0 = not known
};
[[nodiscard]] Surroundings surroundings();
/// Returns why CUPTI may have refused to work with this result, and what the user can do.
[[nodiscard]] std::string advice(Result result, const Surroundings& surroundings);

}  // namespace stepsim::capture::cupti

#endif
