#include "sim/analysis/step_spread.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

#include "sim/analysis/intervals.h"
#include "sim/analysis/summary.h"

namespace stepsim::sim {
namespace {

/// Factors by which the range of n steps is multiplied, for n = 2 to 10: Lord's u(n) for 5 % on each side. For two
/// steps, u(2) = 3.2 is too wide to be useful, so the factor is 1 instead.
constexpr std::array kRanges{1.0, 0.885, 0.529, 0.388, 0.312, 0.263, 0.230, 0.205, 0.186};

constexpr std::size_t kTrendSteps = 4;
constexpr double kTrend = 0.1;

/// Returns a quantile, interpolated linearly between the sorted steps.
Duration quantile(const std::vector<Duration>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  return sorted[below] + Duration{std::llround(part * static_cast<double>((sorted[above] - sorted[below]).count()))};
}

}  // namespace

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

Factors step_factors(const std::map<Rank, RankSteps>& ranks) {
  Factors widest;
  for (const auto& [rank, times] : ranks) {
    std::vector<Duration> steps;
    for (const TimedStep& step : times.steps) steps.push_back(step.time.measured);
    const Factors factors = spread_of(std::move(steps), times.iteration.measured);
    widest.include(factors.least);
    widest.include(factors.most);
  }
  return widest;
}

namespace {

double usual_error_of(const std::map<Rank, RankSteps>& ranks) {
  const Factors steps = step_factors(ranks);
  return std::max({kUsualError, 1 - steps.least, steps.most - 1});
}

}  // namespace

double usual_error_of_capture(const Capture& capture, const Timeline& timeline) {
  if (capture.recording.start.size() != timeline.size()) return kUsualError;
  return usual_error_of(rank_steps(capture.dag, capture.recording, timeline));
}

std::optional<Duration> contradicted_repetition(const Capture& capture, const Timeline& timeline,
                                                const std::optional<SteadyIteration>& steady) {
  if (!steady || !steady->follows) return std::nullopt;
  const std::map<Rank, RankSteps> ranks = rank_steps(capture.dag, capture.recording, timeline);
  Duration captured = longest_iteration(ranks).replayed;
  // A host that loses some of its lead takes longer for its steps than the job.
  const bool leads_change =
      std::any_of(ranks.begin(), ranks.end(), [](const auto& entry) { return entry.second.leads_change; });
  if (steady->length > captured && !leads_change) {
    const Duration recurrence = recurrence_of(capture, timeline, *steady).value_or(captured);
    captured = std::clamp(recurrence, captured, steady->length);
  }
  const double difference = std::abs(ratio(steady->length - captured, captured));
  const bool contradicts = difference > kUsualError && difference > usual_error_of(ranks);
  return contradicts ? std::optional(steady->length) : std::nullopt;
}

}  // namespace stepsim::sim
