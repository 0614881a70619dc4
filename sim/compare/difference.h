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

/// Returns how much the iterations of two sides may differ by chance: half of the 95 % confidence interval of the
/// difference of their medians. The standard error of a median is taken as sqrt(pi/2) times that of the mean, which
/// assumes normally distributed steps. Degrees of freedom follow Welch, "The generalization of Student's problem when
/// several different population variances are involved", Biometrika 34, 1947. Few steps make the interval wide: with
/// two steps per side, the quantile of Student's t is 4.3.
///
/// If a side states its uncertainty, the result is the root of the sum of squares of that and the noise of the steps.
/// Returns nothing if a side has neither an uncertainty nor two steps. Runs on different days may differ by more,
/// because steps of one run share their machine, clocks and data.
///
/// With `more_steps`, returns the noise to expect if each capture had this many more steps that vary as the captured
/// ones do: the standard error of a mean or median of n independent steps is proportional to 1/sqrt(n), and so is the
/// width of the interval (NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.5.2 "Confidence Limits for the Mean").
/// The uncertainty of a prediction stays.
[[nodiscard]] std::optional<Duration> noise_of_difference(const Side& a, const Side& b, std::size_t more_steps = 0);

/// Returns the smallest number of steps that each capture needs in addition, so that noise_of_difference() is at most
/// `noise`; nothing if that is not known, or more than a million. O(steps).
[[nodiscard]] std::optional<std::size_t> steps_to_resolve(const Side& a, const Side& b, Duration noise);

/// The order of the rows: largest difference first, largest difference relative to A first, by name, or longest time
/// first.
enum class RowOrder : std::uint8_t { kDifference, kRelative, kName, kTotal };

/// The name of the part of the iterations that no other part covers.
inline constexpr std::string_view kRemainder = "remainder";

/// A part of an iteration on both sides.
struct PartDifference {
  std::string name;
  Duration a{};
  Duration b{};
};

/// The comparison of two sides. Keeps references to them.
struct Difference {
  const Side& a;
  const Side& b;
  /// How much the iterations may differ by chance (noise_of_difference()); absent if unknown.
  std::optional<Duration> noise;
  /// Disjoint parts of the iterations. The last one is the remainder, so that the parts sum to the iterations. The list
  /// is empty if a side has no parts.
  std::vector<PartDifference> parts;
  std::vector<PartDifference> path;    ///< differences by class of the critical path; empty if a side has no path
  std::vector<Row> classes;            ///< device work by class, other work by kind
  std::vector<std::string> obstacles;  ///< result of obstacles_to_comparison()
  By by = By::kName;
  std::vector<Row> rows;  ///< grouped and sorted as requested; empty if a side lists no tasks

  /// True if both sides have an iteration.
  [[nodiscard]] bool has_iterations() const noexcept { return a.iteration && b.iteration; }
  /// Returns B's iteration minus A's. Precondition: has_iterations().
  [[nodiscard]] Duration change() const noexcept { return *b.iteration - *a.iteration; }
  /// Returns the change relative to A; 0 if A's iteration is 0. Precondition: has_iterations().
  [[nodiscard]] double relative() const noexcept;
  /// Returns the noise relative to A, which is the smallest change that is significant; nothing if the noise is unknown
  /// or A's iteration is 0.
  [[nodiscard]] std::optional<double> smallest_visible_change() const noexcept;
  /// True if the change is larger than the noise. Precondition: has_iterations() and noise.
  [[nodiscard]] bool is_beyond_noise() const noexcept;
};

/// Throws UsageError if the times of the two sides have different extents.
void refuse_different_extents(const Side& a, const Side& b);

/// Compares two sides. O(names log names). Throws UsageError if their times have different extents, or if operators are
/// requested and a side has none. The result keeps references to `a` and `b`.
[[nodiscard]] Difference difference_of(const Side& a, const Side& b, By by, RowOrder order);

/// Returns the reasons why the iterations of two sides cannot be compared, one clause each; empty if they can:
///
/// * a capture lost something essential (essential_loss());
/// * the jobs are of different kinds: with and without parameter servers or device work, or on other devices;
/// * a side marks no steps, so its recording is one window, and the other side marks steps or did a different amount of
///   work: by name, more than 1 % of all tasks are on one side only.
///
/// A prediction and its own capture count as the same job, whatever the change.
[[nodiscard]] std::vector<std::string> obstacles_to_comparison(const Side& a, const Side& b);
/// Joins the reasons: "a; b".
[[nodiscard]] std::string to_text(const std::vector<std::string>& obstacles);

/// The decision whether B passes.
///
///     failed   B is slower than A by more than `limit` plus the noise, or by more than `limit` if the noise is unknown
///     passed   B is within `limit`, and the noise is at most `limit` or cannot hide more than `limit`
///     neither  the noise is unknown or too large to tell; if noise is allowed, B passes
struct Gate {
  Gauge gauge = Gauge::kStepTime;
  double limit = 0;  ///< share of A's iteration, or of A's launches, for example 0.03
  bool failed = false;
  /// False if the iterations cannot be compared (obstacles_to_comparison()), or if the noise is too large to tell. B
  /// then does not pass.
  bool judged = true;
  /// Steps that each capture needs in addition before the noise allows a decision; absent if that is not the obstacle,
  /// or no number of steps is enough.
  std::optional<std::size_t> more_steps;
  std::string sentence;  ///< the verdict and its reason, for people
};

/// Whether B passes if the noise is too large to tell.
enum class AllowNoise : bool { kNo, kYes };

/// Decides whether B passes. Throws UsageError if a side has no iteration. Precondition: `limit` is
/// not negative.
[[nodiscard]] Gate gate_of(const Difference& difference, double limit, AllowNoise allow_noise,
                           Gauge gauge = Gauge::kStepTime);

}  // namespace stepsim::sim

#endif
