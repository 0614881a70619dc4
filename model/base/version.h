#ifndef STEPSIM_MODEL_BASE_VERSION_H
#define STEPSIM_MODEL_BASE_VERSION_H

#include <string_view>

namespace stepsim {

/// "0.1.0": project(VERSION) in CMakeLists.txt. Link stepsim::version.
[[nodiscard]] std::string_view version() noexcept;

/// The commit the program was built from, "d3b07384d113", with "-dirty" if the work tree
/// differed from it; "unknown" if the sources were in no repository.
[[nodiscard]] std::string_view commit() noexcept;

}  // namespace stepsim

#endif
