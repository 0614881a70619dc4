#include "model/base/version.h"

namespace stepsim {

// cmake/StepsimVersion.cmake defines STEPSIM_VERSION; a generated source defines commit().
std::string_view version() noexcept { return STEPSIM_VERSION; }

}  // namespace stepsim
