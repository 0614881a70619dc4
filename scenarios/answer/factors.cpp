#include "scenarios/answer/factors.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <functional>

#include "sim/analysis/intervals.h"

namespace stepsim::scenarios {
namespace {

using sim::ratio;

/// Lord's u(n) for 5 % on each side, from two steps on; the first is cut to one range.
constexpr std::array kRanges{1.0, 0.885, 0.529, 0.388, 0.312, 0.263, 0.230, 0.205, 0.186};

constexpr std::size_t kTrendSteps = 4;
constexpr double kTrend = 0.1;

/// By linear interpolation between the steps.
Duration quantile(const std::vector<Duration>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  return sorted[below] + Duration{std::llround(part * static_cast<double>((sorted[above] - sorted[below]).count()))};
}

constexpr double kLeast = 1e-6;

double squared_log(double factor) {
  const double logarithm = std::log(std::max(factor, kLeast));
  return logarithm * logarithm;
}

/// No fit is trusted to say that it is further off.
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

Factors spread_of(std::vector<Duration> steps, Duration iteration) {
  Factors factors;
  if (iteration <= Duration{}) return factors;
  if (steps.size() < 2) return {1 - kOneStepSpread, 1 + kOneStepSpread};
  std::sort(steps.begin(), steps.end());
  factors.include(ratio(quantile(steps, 0.1), iteration));
  factors.include(ratio(quantile(steps, 0.9), iteration));
  const std::size_t entry = steps.size() - 2;
  if (entry < kRanges.size()) {
    const double half = kRanges[entry] * ratio(steps.back() - steps.front(), iteration);
    const double middle = ratio(quantile(steps, 0.5), iteration);
    factors.include(std::max(middle - half, ratio(steps.front(), iteration) / 2));
    factors.include(middle + half);
  }
  return factors;
}

std::optional<double> trend_of(const std::vector<Duration>& steps, Duration iteration) {
  if (steps.size() < kTrendSteps || iteration <= Duration{}) return std::nullopt;
  const bool shortens = std::is_sorted(steps.begin(), steps.end(), std::greater_equal<>());
  const bool lengthens = std::is_sorted(steps.begin(), steps.end(), std::less_equal<>());
  if (!shortens && !lengthens) return std::nullopt;
  if (std::abs(ratio(steps.back() - steps.front(), steps.front())) < kTrend) return std::nullopt;
  return ratio(steps.back(), iteration);
}

Factors step_factors(const std::map<Rank, sim::RankSteps>& ranks) {
  Factors widest;
  for (const auto& [rank, times] : ranks) {
    std::vector<Duration> steps;
    for (const sim::TimedStep& step : times.steps) steps.push_back(step.time.measured);
    const Factors factors = spread_of(std::move(steps), times.iteration.measured);
    widest.include(factors.least);
    widest.include(factors.most);
  }
  return widest;
}

double usual_error_of_capture(const Capture& capture, const sim::Timeline& timeline) {
  if (capture.recording.start.size() != timeline.size()) return kUsualError;
  const Factors steps = step_factors(sim::rank_steps(capture.dag, capture.recording, timeline));
  return std::max({kUsualError, 1 - steps.least, steps.most - 1});
}

Factors usual_error(const ModelCase& of) { return both_ways(of.settings_changed ? kSettingsError : kUsualModelError); }

Factors extrapolation_error(const ModelCase& of) {
  if (of.change <= 0) return {};
  return both_ways(std::max(usual_logarithm(of), logarithm_by_links(of)));
}

bool is_worse_for_links(const ModelCase& of) { return of.change > 0 && logarithm_by_links(of) > usual_logarithm(of); }

}  // namespace stepsim::scenarios
