#include "sim/stats/distribution.h"

#include <algorithm>
#include <cmath>

#include "sim/analysis/intervals.h"

namespace stepsim::sim {
namespace {

/// Returns the median. Reorders `lengths`. Precondition: `lengths` is not empty.
Duration middle_of(std::span<Duration> lengths) {
  const auto upper = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), upper, lengths.end());
  if (lengths.size() % 2 == 1) return *upper;
  const Duration lower = *std::max_element(lengths.begin(), upper);
  return lower + (*upper - lower) / 2;
}

/// Computes the distribution. Reorders `lengths`.
Distribution distribution_of(std::span<Duration> lengths) {
  Distribution made{.count = lengths.size()};
  if (lengths.empty()) return made;
  made.shortest = made.longest = lengths.front();
  double sum = 0;
  for (const Duration length : lengths) {
    made.total = saturated_sum(made.total, length);
    made.shortest = std::min(made.shortest, length);
    made.longest = std::max(made.longest, length);
    sum += static_cast<double>(length.count());
  }
  const auto count = static_cast<double>(lengths.size());
  made.mean_ns = sum / count;
  double squares = 0;
  for (const Duration length : lengths) {
    const double difference = static_cast<double>(length.count()) - made.mean_ns;
    squares += difference * difference;
  }
  made.deviation_ns = std::sqrt(squares / count);
  made.median = middle_of(lengths);
  return made;
}

}  // namespace

std::vector<Distribution> distributions(std::span<const std::uint32_t> group, std::span<const Duration> length,
                                        std::size_t groups) {
  std::vector<std::size_t> end(groups + 1);
  for (const std::uint32_t of : group) ++end[of + 1];
  for (std::size_t i = 1; i < end.size(); ++i) end[i] += end[i - 1];
  std::vector<std::size_t> next(end.begin(), end.end() - 1);
  std::vector<Duration> sorted(length.size());
  for (std::size_t i = 0; i < length.size(); ++i) sorted[next[group[i]]++] = length[i];
  std::vector<Distribution> made;
  made.reserve(groups);
  for (std::size_t i = 0; i < groups; ++i)
    made.push_back(distribution_of(std::span(sorted).subspan(end[i], end[i + 1] - end[i])));
  return made;
}

}  // namespace stepsim::sim
