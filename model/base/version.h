#ifndef STEPSIM_MODEL_BASE_VERSION_H
#define STEPSIM_MODEL_BASE_VERSION_H

#include <string_view>

namespace stepsim {

/// Returns the version that project(VERSION) in CMakeLists.txt states, such as "0.1.0". Callers must link
/// stepsim::version.
[[nodiscard]] std::string_view version() noexcept;

/// Returns the commit that the program was built from, such as "d3b07384d113", followed by "-dirty" if the work tree
/// had changes; "unknown" if the sources were not in a repository.
[[nodiscard]] std::string_view commit() noexcept;

}  // namespace stepsim

#endif
