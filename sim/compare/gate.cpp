#include "sim/compare/gate.h"

#include <fmt/format.h>

#include <cmath>

#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/report/table.h"

namespace stepsim::sim {
namespace {

/// "B is 5.2 % slower than A".
std::string verdict(const Difference& difference) {
  const double relative = difference.relative();
  if (difference.change() == Duration{}) return "B is as fast as A";
  return fmt::format("B is {} {} than A", percent(std::abs(relative)), relative < 0 ? "faster" : "slower");
}

}  // namespace

Gate gate_of(const Difference& difference, double limit) {
  for (const Side* const side : {&difference.a, &difference.b}) {
    if (side->iteration) continue;
    throw UsageError(
        fmt::format("--fail-above: {} does not say how long an iteration takes; expected a capture, or "
                    "the --json of replay, whatif or critical-path",
                    shown(side->name)));
  }
  const auto excess =
      static_cast<double>(difference.change().count()) - limit * static_cast<double>(difference.a.iteration->count());
  Gate gate{.limit = limit};
  const std::string is = verdict(difference);
  if (excess <= 0) {
    gate.sentence = fmt::format("passed: {}; the limit is {}", is, percent(limit));
  } else if (!difference.noise) {
    gate.failed = true;
    gate.sentence = fmt::format("failed: {}; the limit is {}, and the noise is not known, so that alone decides", is,
                                percent(limit));
  } else {
    gate.failed = excess > static_cast<double>(difference.noise->count());
    const double noise = static_cast<double>(difference.noise->count()) /
                         static_cast<double>(std::max<std::int64_t>(1, difference.a.iteration->count()));
    gate.sentence = fmt::format("{}: {}; the limit is {}, and what is above it is {} the noise of +-{}",
                                gate.failed ? "failed" : "passed", is, percent(limit),
                                gate.failed ? "beyond" : "within", percent(noise));
  }
  return gate;
}

}  // namespace stepsim::sim
