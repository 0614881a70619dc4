#include "scenarios/answer/factors.h"

#include <algorithm>
#include <cmath>

namespace stepsim::scenarios {
namespace {

constexpr double kLeast = 1e-6;

double squared_log(double factor) {
  const double logarithm = std::log(std::max(factor, kLeast));
  return logarithm * logarithm;
}

/// Upper limit of the relative error of a fitted link rate, because larger errors are not plausible.
constexpr double kMostRateError = 0.5;

Factors both_ways(double logarithm) { return {std::exp(-logarithm), std::exp(logarithm)}; }

double usual_logarithm(const ModelCase& of) { return kExtrapolationError * std::abs(std::log(of.change)); }

double logarithm_by_links(const ModelCase& of) {
  return std::log1p(std::min(of.link_rate_error, kMostRateError) * std::abs(1 / of.change - 1));
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

Factors widened(Factors range, double times) {
  return {std::pow(std::max(range.least, kLeast), times), std::pow(range.most, times)};
}

double share_of_change(double ratio) {
  return ratio > 0 ? std::min(1.0, std::abs(std::log(ratio)) / std::log(kWholeChange)) : 1;
}

Factors usual_error(const ModelCase& of) {
  if (of.settings_changed) return both_ways(kSettingsError);
  return both_ways(of.times_links ? kUsualModelError : kUsualModelError * share_of_change(of.change));
}

Factors extrapolation_error(const ModelCase& of) {
  if (of.change <= 0) return {};
  return both_ways(std::max(usual_logarithm(of), logarithm_by_links(of)));
}

bool is_worse_for_links(const ModelCase& of) { return of.change > 0 && logarithm_by_links(of) > usual_logarithm(of); }

}  // namespace stepsim::scenarios
