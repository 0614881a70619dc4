#include "sim/compare/noise.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numbers>

namespace stepsim::sim {
namespace {

/// Two sides of 2.5 % remain.
constexpr double kQuantile = 0.975;

double as_double(Duration duration) { return static_cast<double>(duration.count()); }

/// What is known of how far a side's iteration is off.
struct Error {
  double variance = 0;    ///< of the median, by the steps
  double dispersion = 0;  ///< variance^2 / degrees of freedom
  double uncertainty = 0;
};

double variance_of(const std::vector<Duration>& values) {
  double sum = 0;
  for (const Duration value : values) sum += as_double(value);
  const double mean = sum / static_cast<double>(values.size());
  double squares = 0;
  for (const Duration value : values) squares += (as_double(value) - mean) * (as_double(value) - mean);
  return squares / static_cast<double>(values.size() - 1);
}

std::optional<Error> error_of(const Side& side) {
  if (side.uncertainty) return Error{.uncertainty = as_double(*side.uncertainty)};
  if (side.steps.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(side.steps.size());
  const double of_median = std::numbers::pi / 2 * variance_of(side.steps) / count;
  return Error{.variance = of_median, .dispersion = of_median * of_median / (count - 1)};
}

/// Half of the confidence interval that the steps of both give.
double step_noise(const Error& a, const Error& b) {
  const double variance = a.variance + b.variance;
  if (variance <= 0) return 0;
  const double degrees = variance * variance / (a.dispersion + b.dispersion);
  return boost::math::quantile(boost::math::students_t(degrees), kQuantile) * std::sqrt(variance);
}

}  // namespace

std::optional<Duration> noise_of_difference(const Side& a, const Side& b) {
  const std::optional<Error> of_a = error_of(a);
  const std::optional<Error> of_b = error_of(b);
  if (!of_a || !of_b) return std::nullopt;
  const double noise = std::hypot(step_noise(*of_a, *of_b), of_a->uncertainty, of_b->uncertainty);
  const auto most = static_cast<double>(std::numeric_limits<std::int64_t>::max() / 2);
  return Duration{static_cast<std::int64_t>(std::llround(std::min(noise, most)))};
}

}  // namespace stepsim::sim
