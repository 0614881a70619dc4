#ifndef STEPSIM_SCENARIOS_CHANGE_SIMILAR_NAMES_H
#define STEPSIM_SCENARIOS_CHANGE_SIMILAR_NAMES_H

#include <string>
#include <string_view>
#include <vector>

#include "model/job/recording.h"

namespace stepsim::scenarios {

/// Up to `most` names of the capture's tasks and operators that somebody who typed `pattern` may have meant: those
/// that hold its rarest word, or the word nearest to it, whatever the case. In order of the Dag's names, then
/// operators. O(length of all names * length of the pattern).
[[nodiscard]] std::vector<std::string> similar_names(std::string_view pattern, const Capture& capture,
                                                     std::size_t most);

}  // namespace stepsim::scenarios

#endif
