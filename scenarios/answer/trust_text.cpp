#include "scenarios/answer/trust_text.h"

#include <fmt/format.h>

#include <cmath>

#include "model/base/assumption.h"
#include "scenarios/answer/learn_from_capture.h"
#include "sim/report/headline.h"
#include "sim/report/table.h"

namespace stepsim::scenarios {

std::string trust_text(std::string_view which, Duration measured, double error, const Assumptions& assumptions) {
  if (const Assumption* const given = find_assumption(assumptions, sim::kClusterFile)) return given->sentence;
  if (find_assumption(assumptions, kRecordedCollectives) != nullptr) {
    return fmt::format(
        "the {} iteration of {} is given back by recorded collectives ({}), which tests nothing: its links alone miss "
        "it",
        which, to_text(measured), sim::signed_percent(error));
  }
  constexpr double kSame = 0.00005;  // it would be printed as 0.00 %
  if (std::abs(error) < kSame) {
    return fmt::format(
        "the {} iteration of {} comes back as it was recorded, which tests nothing (stepsim replay does)", which,
        to_text(measured));
  }
  return fmt::format("the {} iteration of {} is predicted with an error of {}", which, to_text(measured),
                     sim::signed_percent(error));
}

}  // namespace stepsim::scenarios
