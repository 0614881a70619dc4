#include <array>
#include <cmath>
#include <numbers>

#include "scenarios/change/selection.h"
#include "scenarios/change/what_if.h"

// What-if `straggler`: slows compute at random. A factor is drawn for each task, or for each step of each rank. It
// depends only on the seed, the rank and the step (or the task). The random numbers come from SplitMix64 (Steele, Lea
// and Flood 2014), so predictions are the same on every machine.

namespace stepsim::scenarios {
namespace {

constexpr std::array kStragglerParameters{
    Parameter{"factor", value::scale_from(0, "1.5"), "mean factor on slow tasks", "1"},
    Parameter{"distribution", value::one_of("constant", "normal", "lognormal", "exponential"), "of the factors",
              "constant"},
    Parameter{"spread", value::number(0, 10), "standard deviation of the factor (of its logarithm for lognormal)", "0"},
    Parameter{"share", value::number(0, 1), "share of slow steps or tasks", "0"},
    Parameter{"each", value::one_of("step", "task"), "draw once per rank and step, or once per task", "step"},
    Parameter{"seed", value::count_from(0, 1'000'000'000), "seed of the random numbers", "1"},
};

/// A sequence of random numbers that depends only on three numbers: a seed, a place (the rank) and a part (the step or
/// the task).
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t place, std::uint64_t part) : state_(seed) {
    state_ = next() ^ place;
    state_ = next() ^ part;
  }
  /// Returns a uniform number in (0, 1).
  double uniform() { return (static_cast<double>(next() >> 11U) + 0.5) * 0x1p-53; }
  /// Returns a standard normal number (Box and Muller 1958).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  std::uint64_t state_;
};

enum class Distribution : std::uint8_t { kConstant, kNormal, kLogNormal, kExponential };

/// Returns the mean of max(0, x), where x has a normal distribution with this mean and standard deviation.
double mean_above_zero(double mean, double deviation) {
  if (deviation <= 0) return std::max(0.0, mean);
  const double z = mean / deviation;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return mean * std::erfc(-z / std::numbers::sqrt2) / 2 + deviation * density;
}

struct Slowness {
  double factor = 1;
  double spread = 0;
  double share = 1;
  double normal_part = 1;  ///< correction that preserves the mean of a normal factor cut off at 0
  Distribution distribution = Distribution::kConstant;
  bool each_task = false;
  std::uint32_t seed = 1;

  /// True if ranks have different factors.
  [[nodiscard]] bool is_random() const noexcept {
    return distribution != Distribution::kConstant || (share > 0 && share < 1);
  }
  [[nodiscard]] double draw(std::uint64_t place, std::uint64_t part) const {
    Draws draws(seed, place, part);
    if (draws.uniform() >= share) return 1;
    switch (distribution) {
      case Distribution::kConstant: break;
      case Distribution::kNormal: return std::max(0.0, factor + spread * draws.normal()) * normal_part;
      case Distribution::kLogNormal: return factor * std::exp(spread * draws.normal() - spread * spread / 2);
      case Distribution::kExponential: return 1 - (factor - 1) * std::log(draws.uniform());
    }
    return factor;
  }
};

Slowness slowness_of(const Change& change) {
  Slowness slow;
  change.read("factor", slow.factor);
  if (const YamlField* const value = change.read("distribution", slow.distribution)) {
    if (slow.distribution == Distribution::kExponential && slow.factor < 1)
      value->fail("'distribution' is exponential, whose factors are at least 1; expected 'factor' from 1");
  }
  change.read("spread", slow.spread);
  if (const double mean = mean_above_zero(slow.factor, slow.spread); mean > 0) slow.normal_part = slow.factor / mean;
  change.read("share", slow.share);
  slow.each_task = change.has_word("each", "task");
  change.read("seed", slow.seed);
  return slow;
}

/// Returns the number that the trace gives to the step of a task; -1 for a task outside the recorded steps.
std::int64_t step_number(const Recording& recording, TaskId task) {
  const std::int32_t step = recording.step.empty() ? -1 : recording.step[task.index()];
  return step < 0 ? -1 : recording.steps[static_cast<std::size_t>(step)].number;
}

void apply_straggler(const Change& change, Plan& plan) {
  const Slowness slow = slowness_of(change);
  if (slow.is_random()) plan.ungrouped_ranks.add(RankSet::all());
  plan.add_rule(
      Plan::Turn::kFactors,
      [selector = change.selector(), slow](const Capture& capture, std::vector<Duration>& durations) {
        for (const TaskId task : compute_tasks(selector, capture)) {
          const auto place = static_cast<std::uint64_t>(capture.dag.lane(task).rank);
          const std::uint64_t part =
              slow.each_task ? task.index() : static_cast<std::uint64_t>(step_number(capture.recording, task));
          durations[task.index()] = scaled(durations[task.index()], slow.draw(place, part));
        }
      },
      &change);
}

}  // namespace

extern const WhatIf straggler_what_if{
    .name = "straggler",
    .summary = "Slow down compute now and then, on one rank or at random",
    .ignores = "slow network and CPU threads of a slow machine",
    .parameters = kStragglerParameters,
    .asks = {sim::Question::kRanks},
    .selected = selected_by<compute_tasks>,
    .apply = apply_straggler,
};

}  // namespace stepsim::scenarios
