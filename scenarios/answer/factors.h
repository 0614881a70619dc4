#ifndef STEPSIM_SCENARIOS_ANSWER_FACTORS_H
#define STEPSIM_SCENARIOS_ANSWER_FACTORS_H

#include <algorithm>
#include <span>

namespace stepsim::scenarios {

/// A range as factors of a prediction: least <= 1 <= most.
struct Factors {
  double least = 1;
  double most = 1;
  void include(double factor) {
    least = std::min(least, factor);
    most = std::max(most, factor);
  }
};

/// The range of independent sources together: on each side the root of the sum of the squared logarithms of their
/// factors, as standard uncertainties of factors combine (JCGM 100:2008, 5.1.2 and 5.1.6). Never narrower than one of
/// them alone, never wider than their product. A factor below 1e-6 counts as that. O(sources).
[[nodiscard]] Factors independent(std::span<const Factors> sources);

/// The range of two sources of which the second may come on top of the first: the product.
[[nodiscard]] inline Factors on_top(Factors a, Factors b) noexcept { return {a.least * b.least, a.most * b.most}; }

}  // namespace stepsim::scenarios

#endif
