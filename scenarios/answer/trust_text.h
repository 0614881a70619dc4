#ifndef STEPSIM_SCENARIOS_ANSWER_TRUST_TEXT_H
#define STEPSIM_SCENARIOS_ANSWER_TRUST_TEXT_H

#include <string>
#include <string_view>

#include "model/base/assumption.h"
#include "model/base/units.h"

namespace stepsim::scenarios {

/// How well what was measured is predicted, as a part of a first line. A replay of recorded times gives them back,
/// right graph or wrong: then there is no error to speak of, and the sentence says who tests the graph; `assumptions`
/// of the answer tell whether collectives keep recorded times, and what a given cluster does (sim::kClusterFile): then
/// the difference from what was measured is no error, and the sentence is that one.
[[nodiscard]] std::string trust_text(std::string_view which, Duration measured, double error,
                                     const Assumptions& assumptions);

}  // namespace stepsim::scenarios

#endif
