#ifndef STEPSIM_SIM_COMPARE_DIFFERENCE_H
#define STEPSIM_SIM_COMPARE_DIFFERENCE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/compare/match_names.h"
#include "sim/compare/side.h"

namespace stepsim::sim {

/// How much the iterations of two sides may differ by chance alone: half of the 95 % confidence interval of the
/// difference of their medians. The standard error of a median is sqrt(pi/2) times that of the mean, as of steps that
/// are normally distributed; degrees of freedom after Welch, "The generalization of Student's problem when several
/// different population variances are involved", Biometrika 34, 1947. Few steps make it wide: of two a side, t is 4.3.
/// Where a side has an uncertainty of its own, that is added, as the root of the sum of squares.
/// Absent where a side has neither that nor two steps. Runs on another day may differ by more: steps of one run share
/// their machine, their clocks and their data.
[[nodiscard]] std::optional<Duration> noise_of_difference(const Side& a, const Side& b);

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
  /// By how much the iterations may differ by chance (noise_of_difference()); absent where that is not known.
  std::optional<Duration> noise;
  /// Where the difference comes from: disjoint, the last one what the others leave, so that they sum to the iterations.
  /// Empty where a side does not say.
  std::vector<PartDifference> parts;
  std::vector<PartDifference> path;    ///< by class of the critical path; empty where a side does not say
  std::vector<Row> classes;            ///< of device work, and of other work its kinds
  std::vector<std::string> obstacles;  ///< obstacles_to_comparison()
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

/// Why the iterations of two sides do not compare, a clause each; empty if they do:
///
/// * a capture lost something essential (essential_loss());
/// * the jobs are of different kinds: with and without parameter servers or device work, or on other devices;
/// * a side marks no steps, so that what was recorded of it is one window, and the other one marks them or did another
///   amount of work: by name, tasks that one has and the other has not are more than 1 % of all.
///
/// A prediction is compared with its own capture, which is the same job whatever the change.
[[nodiscard]] std::vector<std::string> obstacles_to_comparison(const Side& a, const Side& b);
/// "a; b".
[[nodiscard]] std::string to_text(const std::vector<std::string>& obstacles);

/// Whether B may pass: it fails if it is slower than A by more than `limit`, and by so much more that the noise of the
/// steps does not explain it. Where the noise is not known, the difference alone decides.
struct Gate {
  double limit = 0;  ///< a share of A's iteration: 0.03
  bool failed = false;
  bool judged = true;    ///< false: the iterations do not compare (obstacles_to_comparison()), so B may not pass
  std::string sentence;  ///< the verdict and why, for people
};

/// Throws UsageError if a side has no iteration. Precondition: `limit` is not negative.
[[nodiscard]] Gate gate_of(const Difference& difference, double limit);

}  // namespace stepsim::sim

#endif
