#ifndef STEPSIM_MODEL_BASE_FIND_ASSUMPTION_H
#define STEPSIM_MODEL_BASE_FIND_ASSUMPTION_H

#include <string_view>

#include "model/base/assumption.h"

namespace stepsim {

/// The first assumption of this kind, or null. Points into `assumptions`.
[[nodiscard]] const Assumption* find_assumption(const Assumptions& assumptions, std::string_view id);

}  // namespace stepsim

#endif
