#include "scenarios/answer/factors.h"

#include <cmath>

namespace stepsim::scenarios {
namespace {

constexpr double kLeast = 1e-6;

double squared_log(double factor) {
  const double logarithm = std::log(std::max(factor, kLeast));
  return logarithm * logarithm;
}

}  // namespace

Factors independent(std::span<const Factors> sources) {
  double below = 0;
  double above = 0;
  for (const Factors& source : sources) {
    below += squared_log(source.least);
    above += squared_log(source.most);
  }
  return {std::exp(-std::sqrt(below)), std::exp(std::sqrt(above))};
}

}  // namespace stepsim::scenarios
