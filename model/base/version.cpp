#include "model/base/version.h"

namespace stepsim {

// STEPSIM_VERSION is defined by cmake/StepsimVersion.cmake; commit() is in a generated source.
std::string_view version() noexcept { return STEPSIM_VERSION; }

}  // namespace stepsim
