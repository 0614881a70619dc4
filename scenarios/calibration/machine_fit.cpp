#include "scenarios/calibration/machine_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <utility>

#include "model/base/error.h"
#include "model/base/fit.h"
#include "model/base/median.h"
#include "model/base/side_by_side.h"
#include "model/base/text.h"
#include "model/cost/device/device_work.h"
#include "scenarios/answer/memory_need.h"
#include "scenarios/change/on_machine.h"
#include "scenarios/question/scenario.h"

namespace stepsim::scenarios {
namespace {

/// Standard deviations of the logarithms of factors, by MachinePart, and of the error of one step that no factor
/// explains. Chosen on eight sources of measured plans (docs/internals/evidence.md, "One measured step"): with each
/// source left out, the same values are best or within 0.1 % of it.
constexpr std::array<double, kMachineParts> kSpread{0.15, 0.1, 0.1, 0.2, 0.3, 0.3};
constexpr double kNoise = 0.08;
/// Few steps may be unusual ones, which says nothing about the others: of n steps, the noise is larger by
/// sqrt(1 + kDoubt / n).
constexpr double kDoubt = 4;

/// The step from a factor at which its derivative is taken.
constexpr double kStep = 1.1;
/// How often the derivatives are taken.
constexpr int kRounds = 2;

using Factors = std::array<double, kMachineParts>;  // logarithms

/// A run that can be predicted.
struct Asked {
  const RunToFit* of = nullptr;
  Scenario scenario;
  Plan plan;
};

/// Predicts the steps of runs with given factors.
class Steps {
 public:
  Steps(std::vector<Asked> runs, std::string device, const MachineFitOptions& options)
      : runs_(std::move(runs)), device_(std::move(device)), options_(options) {
    // With each part changed and with none in each round, fitted, and from the others.
    total_ = runs_.size() * (kRounds * (1 + kMachineParts) + 2);
  }

  [[nodiscard]] std::size_t size() const { return runs_.size(); }
  [[nodiscard]] const Asked& operator[](std::size_t run) const { return runs_[run]; }

  /// Returns the logarithms of the predicted steps, in nanoseconds. factors_of(i) are the logarithms for run i.
  template <class FactorsOf>
  [[nodiscard]] std::vector<double> logarithms(const FactorsOf& factors_of) {
    std::vector<double> steps(size());
    side_by_side(options_.threads, size(), [&](std::size_t i) {
      if (options_.stop != nullptr && options_.stop->load()) throw Interrupted();
      Plan plan = runs_[i].plan;
      MeasuredMachine machine{.device = device_};
      const Factors factors = factors_of(i);
      for (std::size_t part = 0; part < kMachineParts; ++part) machine.factors[part] = std::exp(factors[part]);
      plan.machine = std::make_shared<const MeasuredMachine>(machine);
      const sim::EngineOptions engine{.threads = 1, .stop = options_.stop};
      const Duration step = runs_[i].of->predictor->predict(plan, engine).iteration;
      steps[i] = std::log(static_cast<double>(std::max<std::int64_t>(step.count(), 1)));
      const std::lock_guard lock(counting_);
      if (options_.progress) options_.progress(++done_, total_);
    });
    return steps;
  }

 private:
  std::vector<Asked> runs_;
  std::string device_;
  const MachineFitOptions& options_;
  std::mutex counting_;  ///< protects done_
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

/// The runs around some factors: ln(step) = at + slopes * (factors - around).
struct Linear {
  std::vector<double> at;      ///< ln(step) around which it is
  std::vector<double> slopes;  ///< run by run, one for each part
  std::vector<double> goals;   ///< of each run: what slopes * factors must be for the measured step
};

Linear linear_at(Steps& steps, const Factors& around) {
  Linear linear{.at = steps.logarithms([&](std::size_t) { return around; }),
                .slopes = std::vector<double>(steps.size() * kMachineParts),
                .goals = {}};
  const std::vector<double>& at = linear.at;
  for (std::size_t part = 0; part < kMachineParts; ++part) {
    Factors changed = around;
    changed[part] += std::log(kStep);
    const std::vector<double> there = steps.logarithms([&](std::size_t) { return changed; });
    for (std::size_t i = 0; i < steps.size(); ++i)
      linear.slopes[i * kMachineParts + part] = (there[i] - at[i]) / std::log(kStep);
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    double goal = std::log(static_cast<double>(steps[i].of->run->step.count())) - at[i];
    for (std::size_t part = 0; part < kMachineParts; ++part)
      goal += linear.slopes[i * kMachineParts + part] * around[part];
    linear.goals.push_back(goal);
  }
  return linear;
}

/// Fits the factors to all runs but `left_out`.
Factors fitted(const Linear& linear, std::optional<std::size_t> left_out) {
  std::vector<double> slopes;
  std::vector<double> goals;
  for (std::size_t i = 0; i < linear.goals.size(); ++i) {
    if (i == left_out) continue;
    const auto row = linear.slopes.begin() + static_cast<std::ptrdiff_t>(i * kMachineParts);
    slopes.insert(slopes.end(), row, row + kMachineParts);
    goals.push_back(linear.goals[i]);
  }
  const Prior prior{
      .spread = {kSpread.begin(), kSpread.end()},
      .noise = kNoise * std::sqrt(1 + kDoubt / static_cast<double>(std::max<std::size_t>(goals.size(), 1)))};
  const std::vector<double> found = fit_with_prior(slopes, goals, prior);
  Factors factors{};
  std::copy(found.begin(), found.end(), factors.begin());
  return factors;
}

Duration time_of(double logarithm) { return Duration{std::llround(std::exp(logarithm))}; }

/// Returns the mean of |predicted / measured - 1|.
template <class Predicted>
double mean_error(const std::vector<FittedRun>& runs, const Predicted& predicted) {
  double sum = 0;
  for (const FittedRun& run : runs)
    sum += std::abs(static_cast<double>(predicted(run).count()) / static_cast<double>(run.measured.count()) - 1);
  return sum / static_cast<double>(runs.size());
}

/// Makes a plan of each run. Runs that cannot be asked for are added to `refused`.
std::vector<Asked> asked(std::span<const RunToFit> runs, std::vector<RefusedRun>& refused) {
  std::vector<Asked> all;
  for (const RunToFit& of : runs) {
    Asked one{.of = &of, .scenario = {}, .plan = of.predictor->plan()};
    try {
      for (const std::string& set : of.run->sets) add_set(one.scenario, set);
      apply_all(one.scenario.changes, one.plan);
      all.push_back(std::move(one));
    } catch (const InputError& problem) {
      refused.push_back({of.run->name, of.run->line, problem.what()});
    } catch (const UsageError& problem) {
      refused.push_back({of.run->name, of.run->line, problem.what()});
    }
  }
  return all;
}

/// Leaves out runs that cannot be predicted, and adds them to `refused`.
void try_each(std::vector<Asked>& runs, std::vector<RefusedRun>& refused, const MachineFitOptions& options) {
  std::vector<std::string> problems(runs.size());
  side_by_side(options.threads, runs.size(), [&](std::size_t i) {
    if (options.stop != nullptr && options.stop->load()) throw Interrupted();
    try {
      static_cast<void>(runs[i].of->predictor->predict(runs[i].plan, {.threads = 1, .stop = options.stop}));
    } catch (const InputError& problem) {
      problems[i] = problem.what();
    } catch (const UsageError& problem) {
      problems[i] = problem.what();
    }
  });
  std::vector<Asked> usable;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const MeasuredRun& run = *runs[i].of->run;
    if (problems[i].empty()) {
      usable.push_back(std::move(runs[i]));
    } else {
      refused.push_back({run.name, run.line, std::move(problems[i])});
    }
  }
  runs = std::move(usable);
}

/// Returns the accelerator of all runs. Throws InputError if they have none or several.
std::string device_of_all(const std::string& file, const std::vector<Asked>& runs) {
  std::string device;
  for (const Asked& one : runs) {
    const std::string name = name_of_device(one.plan);
    const auto fail = [&](const std::string& problem) { throw InputError({file, {}, one.of->run->line}, problem); };
    if (name.empty()) fail("the accelerator is not known; expected one that 'stepsim help devices' lists");
    if (!device.empty() && name != device) {
      fail(fmt::format("this step is of {}, and an earlier one of {}; expected a file for each kind of machine", name,
                       device));
    }
    device = name;
  }
  return device;
}

/// Returns what devices have in use besides what their allocators hold: the median of the runs that say it.
Bytes outside_allocator(const std::vector<Asked>& runs) {
  std::vector<double> outside;
  for (const Asked& one : runs) {
    if (!one.of->run->in_use) continue;
    const MemoryAnswer memory = MemoryNeeds(one.plan.divided_step).of(one.plan);
    if (memory.need)
      outside.push_back(static_cast<double>(one.of->run->in_use->count() - memory.need->peak.mid.count()));
  }
  if (outside.empty()) return {};
  return Bytes{std::max<std::int64_t>(0, std::llround(median(std::move(outside))))};
}

}  // namespace

MachineFit fit_machine(const std::string& file, std::span<const RunToFit> runs, const MachineFitOptions& options) {
  MachineFit fit{.file = file, .machine = {}, .runs = {}, .refused = {}, .unused = {}};
  std::vector<Asked> usable = asked(runs, fit.refused);
  try_each(usable, fit.refused, options);
  if (usable.empty()) {
    throw InputError({file, {}, fit.refused.front().line},
                     fmt::format("no step can be predicted; the first: {}", fit.refused.front().problem));
  }
  MeasuredMachine& machine = fit.machine;
  machine.device = device_of_all(file, usable);
  machine.outside_allocator = outside_allocator(usable);
  Steps steps(std::move(usable), machine.device, options);
  Linear linear = linear_at(steps, {});
  const std::vector<double> by_data_sheet = linear.at;
  Factors factors = fitted(linear, std::nullopt);
  for (int round = 1; round < kRounds; ++round) {
    linear = linear_at(steps, factors);
    factors = fitted(linear, std::nullopt);
  }
  const std::vector<double> by_fit = steps.logarithms([&](std::size_t) { return factors; });
  const bool has_others = steps.size() > 1;
  std::vector<double> from_others;
  if (has_others) from_others = steps.logarithms([&](std::size_t i) { return fitted(linear, i); });
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const MeasuredRun& run = *steps[i].of->run;
    fit.runs.push_back({.name = run.name,
                        .line = run.line,
                        .measured = run.step,
                        .by_data_sheet = time_of(by_data_sheet[i]),
                        .fitted = time_of(by_fit[i])});
    if (has_others) fit.runs.back().from_others = time_of(from_others[i]);
  }
  for (std::size_t part = 0; part < kMachineParts; ++part) {
    machine.factors[part] = std::exp(factors[part]);
    for (std::size_t i = 0; i < steps.size(); ++i)
      fit.shares[part] += linear.slopes[i * kMachineParts + part] / static_cast<double>(steps.size());
  }
  machine.runs = steps.size();
  machine.before = mean_error(fit.runs, [](const FittedRun& run) { return run.by_data_sheet; });
  machine.after = mean_error(fit.runs, [](const FittedRun& run) { return run.fitted; });
  if (has_others) machine.left_out = mean_error(fit.runs, [](const FittedRun& run) { return *run.from_others; });
  return fit;
}

}  // namespace stepsim::scenarios
