#ifndef STEPSIM_CLI_CAPTURE_MODULE_H
#define STEPSIM_CLI_CAPTURE_MODULE_H

#include <string>

namespace stepsim::cli {

/// The path of libstepsim_capture.so: what STEPSIM_CAPTURE_LIBRARY names, else where it is installed or built beside
/// this program. Throws InputError that says where it was looked for and how to get it.
[[nodiscard]] std::string capture_module();

/// The folder of capture/torch, which holds sitecustomize.py, found in the same way. Throws InputError.
[[nodiscard]] std::string torch_folder();

}  // namespace stepsim::cli

#endif
