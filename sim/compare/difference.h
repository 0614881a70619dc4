#ifndef STEPSIM_SIM_COMPARE_DIFFERENCE_H
#define STEPSIM_SIM_COMPARE_DIFFERENCE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/compare/groups.h"
#include "sim/compare/match_names.h"
#include "sim/compare/side.h"

namespace stepsim::sim {

/// Which row comes first: the one that differs most, most relative to A, first by name, or that takes longest.
enum class RowOrder : std::uint8_t { kDifference, kRelative, kName, kTotal };

/// The name of what the parts leave of the iterations.
inline constexpr std::string_view kRemainder = "remainder";

/// A part of both iterations.
struct PartDifference {
  std::string name;
  Duration a{};
  Duration b{};
};

/// Two sides beside each other. Refers to them.
struct Difference {
  const Side& a;
  const Side& b;
  /// By how much the iterations may differ by chance (sim/compare/noise.h); absent where that is not known.
  std::optional<Duration> noise;
  /// Where the difference comes from: disjoint, the last one what the others leave, so that they sum to the iterations.
  /// Empty where a side does not say.
  std::vector<PartDifference> parts;
  std::vector<PartDifference> path;  ///< by class of the critical path; empty where a side does not say
  std::vector<Row> classes;          ///< of device work, and of other work its kinds
  By by = By::kName;
  std::vector<Row> rows;  ///< by what was asked, in the order that was asked; empty if a side lists no tasks

  /// Whether both have an iteration.
  [[nodiscard]] bool has_iterations() const noexcept { return a.iteration && b.iteration; }
  /// Precondition: has_iterations().
  [[nodiscard]] Duration change() const noexcept { return *b.iteration - *a.iteration; }
  /// Relative to A; 0 if A's is 0. Precondition: has_iterations().
  [[nodiscard]] double relative() const noexcept;
  /// Whether the change is larger than the noise. Precondition: has_iterations() and noise.
  [[nodiscard]] bool is_beyond_noise() const noexcept;
};

/// Throws UsageError if the times of the two are not of the same extent.
void refuse_different_extents(const Side& a, const Side& b);

/// O(names log names). Throws UsageError if the times of the two are not of the same extent, or if a side does not know
/// operators that are asked for. The result refers to `a` and `b`.
[[nodiscard]] Difference difference_of(const Side& a, const Side& b, By by, RowOrder order);

}  // namespace stepsim::sim

#endif
