#include "sim/compare/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <utility>

#include "model/base/error.h"
#include "model/base/median.h"
#include "model/base/text.h"
#include "sim/analysis/intervals.h"
#include "sim/report/table.h"

namespace stepsim::sim {
namespace {

/// Upper quantile of a two-sided 95 % interval.
constexpr double kQuantile = 0.975;
/// Student's t distribution, computed in double. In long double, Boost computes values before main() that overflow
/// where long double has the range of double, as under valgrind.
using StudentsT =
    boost::math::students_t_distribution<double,
                                         boost::math::policies::policy<boost::math::policies::promote_double<false>>>;

double as_double(Duration duration) { return static_cast<double>(duration.count()); }

/// The possible error of a side's iteration.
struct Error {
  double variance = 0;    ///< variance of the median, estimated from the steps
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

std::optional<Error> error_of(const Side& side, std::size_t more_steps) {
  if (side.uncertainty) return Error{.uncertainty = as_double(*side.uncertainty)};
  if (side.steps.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(side.steps.size() + more_steps);
  const double of_median = std::numbers::pi / 2 * variance_of(side.steps) / count;
  return Error{.variance = of_median, .dispersion = of_median * of_median / (count - 1)};
}

/// Returns half the width of the 95 % confidence interval of the difference of two iterations, in nanoseconds,
/// estimated from how the steps of each side vary.
double step_noise(const Error& a, const Error& b) {
  const double variance = a.variance + b.variance;
  if (variance <= 0) return 0;
  const double degrees = variance * variance / (a.dispersion + b.dispersion);
  return boost::math::quantile(StudentsT(degrees), kQuantile) * std::sqrt(variance);
}

std::string_view to_text(Extent extent) {
  switch (extent) {
    case Extent::kIteration: return "a step";
    case Extent::kWholeCapture: return "a whole capture";
    case Extent::kPath: return "a critical path";
    case Extent::kPoints: break;
  }
  return "the points of a sweep";
}

/// Returns the parts of both sides by name, in the order of A, then the parts that only B has.
std::vector<PartDifference> side_by_side_parts(const std::vector<Part>& a, const std::vector<Part>& b) {
  if (a.empty() || b.empty()) return {};
  std::vector<PartDifference> parts;
  parts.reserve(a.size() + b.size());
  for (const Part& part : a) parts.push_back({part.name, part.time, Duration{}});
  for (const Part& part : b) {
    const auto same = std::find_if(parts.begin(), parts.end(), [&part](const auto& p) { return p.name == part.name; });
    if (same != parts.end()) {
      same->b = part.time;
    } else {
      parts.push_back({part.name, Duration{}, part.time});
    }
  }
  return parts;
}

/// Adds a remainder: the part of each iteration that no part covers.
std::vector<PartDifference> with_remainder(std::vector<PartDifference> parts, const Difference& difference) {
  if (parts.empty() || !difference.has_iterations()) return {};
  PartDifference rest{std::string(kRemainder), *difference.a.iteration, *difference.b.iteration};
  for (const PartDifference& part : parts) {
    rest.a -= part.a;
    rest.b -= part.b;
  }
  parts.push_back(std::move(rest));
  return parts;
}

std::vector<Row> rows_by(By by, const Side& a, const Side& b) {
  return match_names(groups_by(by, a), groups_by(by, b));
}

Duration length_of(Duration difference) { return difference < Duration{} ? -difference : difference; }

/// Returns |B / A - 1| for the times of a row. Returns -1 for work that only one side does, so that it is sorted last:
/// its ratio is infinite or -1 and not comparable.
double relative_rank(const Row& row) {
  return row.match == Match::kOnlyA || row.match == Match::kOnlyB || row.time_a == Duration{}
             ? -1
             : ratio(length_of(row.difference()), row.time_a);
}

void sort(std::vector<Row>& rows, RowOrder order) {
  const auto key = [order](const Row& row) -> double {
    switch (order) {
      case RowOrder::kDifference: return static_cast<double>(length_of(row.difference()).count());
      case RowOrder::kRelative: return relative_rank(row);
      case RowOrder::kTotal: return static_cast<double>(std::max(row.time_a, row.time_b).count());
      case RowOrder::kName: break;
    }
    return 0;
  };
  std::stable_sort(rows.begin(), rows.end(), [&key](const Row& x, const Row& y) {
    return std::forward_as_tuple(key(y), x.name, x.kind) < std::forward_as_tuple(key(x), y.name, y.kind);
  });
}

/// States the result: "B is 5.2 % slower than A".
std::string verdict(const Difference& difference) {
  const double relative = difference.relative();
  if (difference.change() == Duration{}) return "B is as fast as A";
  return fmt::format("B is {} {} than A", percent(std::abs(relative)), relative < 0 ? "faster" : "slower");
}

}  // namespace

std::optional<Duration> noise_of_difference(const Side& a, const Side& b, std::size_t more_steps) {
  const std::optional<Error> of_a = error_of(a, more_steps);
  const std::optional<Error> of_b = error_of(b, more_steps);
  if (!of_a || !of_b) return std::nullopt;
  const double noise = std::hypot(step_noise(*of_a, *of_b), of_a->uncertainty, of_b->uncertainty);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
  return Duration{static_cast<std::int64_t>(std::llround(std::min(noise, static_cast<double>(kMost))))};
}

std::optional<std::size_t> steps_to_resolve(const Side& a, const Side& b, Duration noise) {
  constexpr std::size_t kMost = 1'000'000;
  const auto is_enough = [&](std::size_t more_steps) {
    const std::optional<Duration> expected = noise_of_difference(a, b, more_steps);
    return expected && *expected <= noise;
  };
  if (!is_enough(kMost)) return std::nullopt;
  std::size_t enough = kMost;
  for (std::size_t too_few = 0; enough > too_few;) {
    const std::size_t middle = too_few + (enough - too_few) / 2;
    if (is_enough(middle)) {
      enough = middle;
    } else {
      too_few = middle + 1;
    }
  }
  return enough;
}

void refuse_different_extents(const Side& a, const Side& b) {
  if (a.extent == b.extent) return;
  throw UsageError(fmt::format("{} has times of {}, {} those of {}; expected two of one kind", shown(a.name),
                               to_text(a.extent), shown(b.name), to_text(b.extent)));
}

double Difference::relative() const noexcept { return ratio(change(), *a.iteration); }

std::optional<double> Difference::smallest_visible_change() const noexcept {
  if (!noise || *a.iteration == Duration{}) return std::nullopt;
  return ratio(*noise, *a.iteration);
}

bool Difference::is_beyond_noise() const noexcept { return length_of(change()) > *noise; }

Difference difference_of(const Side& a, const Side& b, By by, RowOrder order) {
  refuse_different_extents(a, b);
  Difference difference{.a = a, .b = b, .obstacles = obstacles_to_comparison(a, b), .by = by};
  if (difference.has_iterations()) difference.noise = noise_of_difference(a, b);
  difference.parts = with_remainder(side_by_side_parts(a.parts, b.parts), difference);
  difference.path = side_by_side_parts(a.path, b.path);
  if (a.work.empty() || b.work.empty()) return difference;
  difference.classes = rows_by(By::kClass, a, b);
  sort(difference.classes, RowOrder::kDifference);
  difference.rows = rows_by(by, a, b);
  sort(difference.rows, order);
  return difference;
}

namespace {

std::string devices_text(const JobKind& job) {
  return joined(job.devices, [](const std::string& device) { return shown(device); });
}

std::string difference_of_kinds(const JobKind& a, const JobKind& b) {
  if (a.has_servers != b.has_servers) {
    return fmt::format("{} has parameter servers and {} has none", a.has_servers ? "A" : "B",
                       a.has_servers ? "B" : "A");
  }
  if (a.has_device_work != b.has_device_work) {
    return fmt::format("{} has work of accelerators and {} has none", a.has_device_work ? "A" : "B",
                       a.has_device_work ? "B" : "A");
  }
  if (a.devices == b.devices || a.devices.empty() || b.devices.empty()) return {};
  return fmt::format("A ran on {} and B on {}", devices_text(a), devices_text(b));
}

/// Returns the share of tasks that have no counterpart of the same name on the other side: of device tasks, or of all
/// tasks if there are none. Returns 0 if both sides do the same amount of the same work.
double difference_of_work(const Side& a, const Side& b) {
  const auto is_device_work = [](const WorkGroup& group) { return !group.kernel_class.empty(); };
  const auto on_devices = [&](const Side& side) {
    return std::any_of(side.work.begin(), side.work.end(), is_device_work);
  };
  const bool devices = on_devices(a) || on_devices(b);
  double apart = 0;
  double all = 0;
  for (const Row& row : match_names(a.work, b.work)) {
    if (devices && row.kernel_class.empty()) continue;
    apart += std::abs(row.count_a - row.count_b);
    all += std::max(row.count_a, row.count_b);
  }
  return all > 0 ? apart / all : 0;
}

/// Returns why the recorded windows cannot be compared if a side marks no steps; empty if they can. The length of a
/// window depends only on when the recording was stopped.
std::string difference_of_windows(const Side& a, const Side& b) {
  const bool marked_a = a.job->marks_steps;
  const bool marked_b = b.job->marks_steps;
  if (marked_a && marked_b) return {};
  if (marked_a != marked_b)
    return fmt::format("{} marks steps and {} does not", marked_a ? "A" : "B", marked_a ? "B" : "A");
  if (a.work.empty() || b.work.empty()) return "neither marks steps, and a saved answer does not list its work";
  constexpr double kSameWork = 0.01;
  const double apart = difference_of_work(a, b);
  if (apart <= kSameWork) return {};
  return fmt::format("neither marks steps, and {} of the tasks in the two windows are in one of them only",
                     percent(apart));
}

}  // namespace

std::vector<std::string> obstacles_to_comparison(const Side& a, const Side& b) {
  std::vector<std::string> obstacles;
  const auto add = [&obstacles](std::string obstacle) {
    if (!obstacle.empty()) obstacles.push_back(std::move(obstacle));
  };
  if (!a.loss.empty()) add(fmt::format("A {}", a.loss));
  if (!b.loss.empty()) add(fmt::format("B {}", b.loss));
  if (a.iteration == Duration{}) add("a step of A takes no time");
  if (b.iteration == Duration{}) add("a step of B takes no time");
  if (!a.job || !b.job) return obstacles;
  add(difference_of_kinds(*a.job, *b.job));
  add(difference_of_windows(a, b));
  return obstacles;
}

std::string to_text(const std::vector<std::string>& obstacles) {
  return joined(
      obstacles, [](const std::string& obstacle) { return obstacle; }, "; ");
}

namespace {

/// A quantity that a gate compares: the difference of two sides that have it in place of the iteration.
struct Gauged {
  const Difference& difference;
  double base = 0;    ///< what the limit is a share of
  std::string found;  ///< "B is 4.0 % slower than A"
};

/// Adds what would allow a decision: enough steps that the noise is at most `noise` ns.
void add_remedy(Gate& gate, const Gauged& gauged, double noise) {
  gate.more_steps =
      steps_to_resolve(gauged.difference.a, gauged.difference.b, Duration{static_cast<std::int64_t>(noise)});
  const std::string resolved = percent(noise / gauged.base);
  if (gate.more_steps) {
    gate.sentence += fmt::format("; record {} per capture to resolve {}, or pass with --allow-noise",
                                 counted(*gate.more_steps, "more step"), resolved);
  } else if (gauged.difference.noise) {
    gate.sentence += fmt::format("; more steps do not resolve {}: use a larger limit, or --allow-noise", resolved);
  } else {
    gate.sentence += "; record more steps, or pass with --allow-noise";
  }
}

Gate judged(const Gauged& gauged, double limit, AllowNoise allow_noise) {
  const Difference& difference = gauged.difference;
  const double base = gauged.base;
  const double excess = as_double(difference.change()) - limit * base;
  const double noise = difference.noise ? as_double(*difference.noise) : 0;
  const bool is_above = excess > 0;
  const std::string found = fmt::format("{}; the limit is {}", gauged.found, percent(limit));
  Gate gate{.limit = limit, .failed = excess > noise};
  if (gate.failed) {
    gate.sentence =
        "failed: " + found +
        (difference.noise ? fmt::format(", and what is above it is beyond the noise of +-{}", percent(noise / base))
                          : ", and the noise is not known, so that alone decides");
    return gate;
  }
  const bool is_blind = !difference.noise || noise > limit * base;
  std::string doubt;
  if (!difference.noise) {
    doubt = ", and the noise is not known: it needs two steps per capture";
  } else if (is_above) {
    doubt = fmt::format(", and what is above it is within the noise of +-{}", percent(noise / base));
  } else if (excess + noise > 0) {
    doubt = fmt::format(", but the noise of +-{} could hide more than that", percent(noise / base));
  }
  gate.judged = doubt.empty() || !(is_blind || is_above) || allow_noise == AllowNoise::kYes;
  gate.sentence = fmt::format("{}: {}{}", gate.judged ? "passed" : "cannot judge", found, doubt);
  if (!gate.judged) add_remedy(gate, gauged, is_blind ? limit * base : excess);
  return gate;
}

/// Returns a side whose iteration is the gauge; absent if the side does not have it.
Side gauged_side(const Side& side, Gauge gauge) {
  const auto found = side.gauges.find(gauge);
  if (found == side.gauges.end()) return {};
  Side gauged{.name = side.name, .iteration = median(found->second), .steps = found->second};
  if (gauge != Gauge::kLaunches) gauged.uncertainty = side.uncertainty;
  return gauged;
}

/// States how the gauge differs: "B's GPU is idle for 1.2 ms longer than A's (+3.0 % of A's step time)".
std::string gauge_text(Gauge gauge, const Difference& difference, double base) {
  const Duration change = difference.change();
  const Duration size = change < Duration{} ? -change : change;
  if (gauge == Gauge::kLaunches) {
    return fmt::format("B makes {} launches in a step and A {} ({})",
                       grouped(static_cast<std::uint64_t>(difference.b.iteration->count())),
                       grouped(static_cast<std::uint64_t>(difference.a.iteration->count())),
                       signed_percent(as_double(change) / base));
  }
  const std::string_view what = gauge == Gauge::kExposed ? "communication is exposed" : "GPU is idle";
  if (size == Duration{}) return fmt::format("B's {} for as long as A's", what);
  return fmt::format("B's {} for {} {} than A's ({} of A's step time)", what, stepsim::to_text(size),
                     change > Duration{} ? "longer" : "less", signed_percent(as_double(change) / base));
}

}  // namespace

Gate gate_of(const Difference& difference, double limit, AllowNoise allow_noise, Gauge gauge) {
  for (const Side* const side : {&difference.a, &difference.b}) {
    if (side->iteration) continue;
    throw UsageError(
        fmt::format("--fail-above: {} does not say how long a step takes; expected a capture, or "
                    "the --json of replay, whatif or critical-path",
                    shown(side->name)));
  }
  if (gauge == Gauge::kStepTime) {
    if (!difference.obstacles.empty())
      return {.limit = limit, .judged = false, .sentence = "cannot judge: " + to_text(difference.obstacles)};
    return judged({difference, as_double(*difference.a.iteration), verdict(difference)}, limit, allow_noise);
  }
  const Side a = gauged_side(difference.a, gauge);
  const Side b = gauged_side(difference.b, gauge);
  Difference of_gauge{.a = a, .b = b, .obstacles = difference.obstacles};
  for (const auto& [side, name] : {std::pair{&a, "A"}, std::pair{&b, "B"}}) {
    if (!side->iteration)
      of_gauge.obstacles.push_back(fmt::format("{} shows no steps with work of accelerators", name));
  }
  if (gauge == Gauge::kLaunches && a.iteration == Duration{})
    of_gauge.obstacles.emplace_back("A launches nothing in its steps");
  Gate gate{.limit = limit, .judged = false, .sentence = "cannot judge: " + to_text(of_gauge.obstacles)};
  if (of_gauge.obstacles.empty()) {
    of_gauge.noise = noise_of_difference(a, b);
    const double base = as_double(gauge == Gauge::kLaunches ? *a.iteration : *difference.a.iteration);
    gate = judged({of_gauge, base, gauge_text(gauge, of_gauge, base)}, limit, allow_noise);
  }
  gate.gauge = gauge;
  gate.sentence = fmt::format("{}: {}", to_text(gauge), gate.sentence);
  return gate;
}

}  // namespace stepsim::sim
