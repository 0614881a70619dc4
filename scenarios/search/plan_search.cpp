#include "scenarios/search/plan_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "model/base/error.h"
#include "scenarios/search/step_bound.h"

namespace stepsim::scenarios {
namespace {

/// Number of plans between two comparisons with the best ones. It must not depend on the number of threads.
constexpr std::size_t kRound = 32;

/// The parameters that do not change how long a kernel takes (StepBounds).
constexpr auto kOfNoKernel =
    std::to_array<std::string_view>({"parallel.data", "parallel.pipeline", "parallel.interleave", "parallel.schedule",
                                     "parallel.zero", "comm.bucket_bytes"});

/// Returns the settings of a point, without those that have one of these keys.
std::string text_without(const std::vector<Setting>& settings, std::span<const std::string_view> keys) {
  std::vector<Setting> kept;
  std::copy_if(settings.begin(), settings.end(), std::back_inserter(kept), [keys](const Setting& setting) {
    return std::find(keys.begin(), keys.end(), setting.key) == keys.end();
  });
  return to_text(kept);
}

std::string no_plan_text(const PlanFindings& findings) {
  if (findings.states.empty()) return "there are no plans for these numbers of devices and samples; expected others";
  const auto find = [&findings](PlanState state) {
    return static_cast<std::size_t>(std::find(findings.states.begin(), findings.states.end(), state) -
                                    findings.states.begin());
  };
  const std::size_t unfit = find(PlanState::kDoesNotFit);
  if (unfit < findings.states.size()) {
    std::size_t least = unfit;
    for (std::size_t point = unfit; point < findings.states.size(); ++point) {
      if (findings.states[point] == PlanState::kDoesNotFit &&
          findings.outcomes[point].memory->peak.mid < findings.outcomes[least].memory->peak.mid)
        least = point;
    }
    return fmt::format(
        "none of {} plans fits in memory; the one that needs least {}; expected more devices, or "
        "fewer samples (--global-batch)",
        findings.states.size(), doubt_text(*findings.outcomes[least].memory));
  }
  return findings.outcomes[find(PlanState::kRefused)].problem;
}

/// Returns the number of devices of a plan.
std::uint32_t devices_of(const std::vector<PointValue>& plan) {
  std::uint32_t devices = 1;
  for (const PointValue& value : plan) {
    if (value.key == "parallel.data" || value.key == "parallel.tensor" || value.key == "parallel.pipeline")
      devices *= std::get<std::uint32_t>(*value.typed);
  }
  return devices;
}

/// Returns the findings before a search.
PlanFindings unsearched(const Scenario& scenario) {
  const std::size_t plans = scenario.points.size();
  PlanFindings findings;
  findings.states.resize(plans, PlanState::kCannotWin);
  findings.outcomes.resize(plans);
  findings.bounds.resize(plans);
  for (const std::vector<PointValue>& plan : scenario.points) findings.devices.push_back(devices_of(plan));
  return findings;
}

/// Ratio of two peaks of memory that makes a difference on the Pareto front: predictions are not more exact.
constexpr double kMemoryStep = 1.25;

int memory_steps(Bytes peak) {
  return peak > Bytes{} ? static_cast<int>(std::log(static_cast<double>(peak.count())) / std::log(kMemoryStep)) : 0;
}

/// True if the plan's memory is not in doubt.
bool surely_fits(const Outcome& outcome) {
  return !outcome.memory || outcome.memory->fits().value_or(Fit::kYes) == Fit::kYes;
}

/// Puts plans that surely fit before the others, among those whose ranges overlap with that of the fastest.
void put_fitting_first(std::vector<RankedPlan>& plans) {
  if (plans.empty()) return;
  const Duration latest = plans.front().outcome.iteration->high;
  std::stable_partition(plans.begin(), plans.end(), [latest](const RankedPlan& plan) {
    return surely_fits(plan.outcome) && plan.outcome.iteration->low <= latest;
  });
}

/// What two plans are compared by on the Pareto front. Less is better.
struct Costs {
  std::uint32_t devices = 1;
  int memory = 0;  ///< the peak in steps of kMemoryStep
  Duration step{};

  /// True if these costs are less than others in one respect, and not more in any.
  [[nodiscard]] bool beat(const Costs& other) const noexcept {
    return devices <= other.devices && memory <= other.memory && step <= other.step && *this != other;
  }
  friend bool operator==(const Costs& a, const Costs& b) = default;
};

/// Returns the plans of a state whose memory is known. Of those that were not simulated, the step is the bound.
std::map<std::size_t, Costs> costs_of(const PlanFindings& findings, PlanState state) {
  std::map<std::size_t, Costs> costs;
  for (std::size_t point = 0; point < findings.states.size(); ++point) {
    const Outcome& outcome = findings.outcomes[point];
    if (findings.states[point] != state || !outcome.memory) continue;
    costs[point] = {findings.devices[point], memory_steps(outcome.memory->peak.mid),
                    outcome.iteration ? outcome.iteration->mid : findings.bounds[point]};
  }
  return costs;
}

/// Returns the simulated plans that no other one beats; of plans with equal costs, the first.
std::vector<std::size_t> front_of(const PlanFindings& findings) {
  const std::map<std::size_t, Costs> costs = costs_of(findings, PlanState::kSimulated);
  std::vector<std::size_t> front;
  for (const auto& [point, own] : costs) {
    const bool is_beaten = std::any_of(costs.begin(), costs.end(), [&own = own, &point = point](const auto& other) {
      return other.second.beat(own) || (other.second == own && other.first < point);
    });
    if (!is_beaten) front.push_back(point);
  }
  std::sort(front.begin(), front.end(), [&costs](std::size_t a, std::size_t b) {
    const Costs& x = costs.at(a);
    const Costs& y = costs.at(b);
    return std::tuple(x.devices, y.memory, x.step) < std::tuple(y.devices, x.memory, y.step);
  });
  return front;
}

}  // namespace

std::size_t PlanFindings::count(PlanState state) const {
  return static_cast<std::size_t>(std::count(states.begin(), states.end(), state));
}

PlanSearch::PlanSearch(Predictor& predictor, const Scenario& scenario, const PlanSearchOptions& options)
    : prepared_(unsearched(scenario)), sweep_(prepare(predictor, scenario, options)) {
  static constexpr std::array<std::string_view, 1> kBucket{"comm.bucket_bytes"};
  for (std::size_t point = 0; point < prepared_.states.size(); ++point)
    without_bucket_.push_back(text_without(sweep_.points().at(point), kBucket));
}

Sweep PlanSearch::prepare(Predictor& predictor, const Scenario& scenario, const PlanSearchOptions& options) {
  const Points points = points_of(scenario);
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t point = 0; point < prepared_.states.size(); ++point)
    groups[text_without(points.at(point), kOfNoKernel)].push_back(point);
  PlanLook look;
  for (auto& [key, of_key] : groups) look.groups.push_back(std::move(of_key));
  look.begin = [&] {
    return
        [&, bounds = std::shared_ptr<StepBounds>()](const Sweep& sweep, std::size_t point, const Plan& plan) mutable {
          Outcome& outcome = prepared_.outcomes[point];
          outcome.memory = sweep.memory_of(plan).need;
          if (outcome.does_not_fit()) prepared_.states[point] = PlanState::kDoesNotFit;
          if (!options.prunes || outcome.does_not_fit()) return;
          static_cast<void>(Sweep::refusal_of([&] {  // without a bound, the plan is simulated
            if (bounds == nullptr) bounds = std::make_shared<StepBounds>(predictor, plan);
            prepared_.bounds[point] = bounds->of(plan);
          }));
        };
  };
  look.refuse = [&](std::size_t point, Outcome refused) {
    prepared_.outcomes[point] = std::move(refused);
    prepared_.states[point] = PlanState::kRefused;
  };
  return {predictor, scenario, options.threads, options.stop, &look};
}

/// Simulates plans, unless their outcomes are known.
void PlanSearch::simulate(std::vector<std::size_t> which, const std::map<std::size_t, Outcome>& known,
                          const PlanSearchOptions& options, PlanFindings& findings) {
  const auto take = [&findings](std::size_t point, const Outcome& outcome) {
    findings.outcomes[point] = outcome;
    findings.states[point] = outcome.iteration ? PlanState::kSimulated : PlanState::kRefused;
  };
  std::erase_if(which, [&](std::size_t point) {
    const auto found = known.find(point);
    if (found == known.end()) return false;
    take(point, found->second);
    return true;
  });
  if (which.empty()) return;
  sweep_.run(which, {.threads = options.threads,
                     .ranges = false,
                     .stop = options.stop,
                     .done = [&](std::size_t point, const Outcome& outcome) {
                       take(point, outcome);
                       if (options.done) options.done(point, outcome);
                     }});
}

std::vector<std::size_t> PlanSearch::ranked(const PlanFindings& findings, std::vector<std::size_t> points) const {
  std::erase_if(points, [&findings](std::size_t point) { return findings.states[point] != PlanState::kSimulated; });
  std::sort(points.begin(), points.end(), [&findings](std::size_t a, std::size_t b) {
    return std::pair(findings.outcomes[a].iteration->mid, a) < std::pair(findings.outcomes[b].iteration->mid, b);
  });
  std::set<std::string_view> listed;
  std::vector<std::size_t> best;
  for (const std::size_t point : points) {
    if (listed.insert(without_bucket_[point]).second) best.push_back(point);
  }
  return best;
}

void PlanSearch::search(const std::vector<std::size_t>& order, const std::map<std::size_t, Outcome>& known,
                        const PlanSearchOptions& options, PlanFindings& findings) {
  for (std::size_t next = 0; next < order.size();) {
    const std::vector<std::size_t> best =
        ranked(findings, {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(next)});
    std::size_t last = order.size();
    if (best.size() >= kBestPlans) {
      const Duration enough = findings.outcomes[best[kBestPlans - 1]].iteration->mid;
      while (last > next && findings.bounds[order[last - 1]] > enough) --last;
    }
    if (options.left) options.left(last - next);
    const std::size_t end = std::min(next + kRound, last);
    if (end == next) return;
    simulate({order.begin() + static_cast<std::ptrdiff_t>(next), order.begin() + static_cast<std::ptrdiff_t>(end)},
             known, options, findings);
    next = end;
  }
}

/// Simulates the plans that surely fit and may be the fastest of those.
void PlanSearch::search_fitting(const std::vector<std::size_t>& order, const std::map<std::size_t, Outcome>& known,
                                const PlanSearchOptions& options, PlanFindings& findings) {
  while (true) {
    std::vector<std::size_t> left;
    std::optional<Duration> best;
    for (const std::size_t point : order) {
      const Outcome& outcome = findings.outcomes[point];
      if (!surely_fits(outcome)) continue;
      if (findings.states[point] == PlanState::kSimulated)
        best = std::min(best.value_or(outcome.iteration->mid), outcome.iteration->mid);
      if (findings.states[point] == PlanState::kCannotWin) left.push_back(point);
    }
    if (best) std::erase_if(left, [&](std::size_t point) { return findings.bounds[point] >= *best; });
    if (options.left) options.left(left.size());
    if (left.empty()) return;
    left.resize(std::min(left.size(), kRound));
    simulate(std::move(left), known, options, findings);
  }
}

/// Simulates the plans that may be on the front.
void PlanSearch::complete_front(const std::map<std::size_t, Outcome>& known, const PlanSearchOptions& options,
                                PlanFindings& findings) {
  while (true) {
    std::vector<Costs> simulated;
    for (const auto& [point, costs] : costs_of(findings, PlanState::kSimulated)) simulated.push_back(costs);
    std::vector<std::size_t> left;
    for (const auto& [point, costs] : costs_of(findings, PlanState::kCannotWin)) {
      const auto beats = [&other = costs](const Costs& one) { return one.beat(other); };
      if (std::none_of(simulated.begin(), simulated.end(), beats)) left.push_back(point);
    }
    if (options.left) options.left(left.size());
    if (left.empty()) return;
    std::stable_sort(left.begin(), left.end(),
                     [&findings](std::size_t a, std::size_t b) { return findings.bounds[a] < findings.bounds[b]; });
    left.resize(std::min(left.size(), kRound));
    simulate(std::move(left), known, options, findings);
  }
}

/// Predicts the best plans and the front again, with their ranges.
void PlanSearch::rank(const PlanSearchOptions& options, PlanFindings& findings) {
  std::vector<std::size_t> all(findings.states.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::size_t> best = ranked(findings, std::move(all));
  if (best.empty()) throw CannotAnswer({}, no_plan_text(findings));
  std::map<std::uint32_t, std::vector<std::size_t>> by_devices;  // the fastest, and the fastest that surely fits
  for (const std::size_t point : best) {
    std::vector<std::size_t>& of_number = by_devices[findings.devices[point]];
    const auto fits = [&findings](std::size_t one) { return surely_fits(findings.outcomes[one]); };
    if (of_number.empty() || (fits(point) && std::none_of(of_number.begin(), of_number.end(), fits)))
      of_number.push_back(point);
  }
  const auto fitting =
      std::find_if(best.begin(), best.end(), [&](std::size_t point) { return surely_fits(findings.outcomes[point]); });
  if (fitting != best.end() && fitting - best.begin() >= static_cast<std::ptrdiff_t>(kBestPlans))
    best[kBestPlans - 1] = *fitting;
  best.resize(std::min(best.size(), kBestPlans));
  const std::vector<std::size_t> front = options.front ? front_of(findings) : std::vector<std::size_t>{};
  std::map<std::size_t, RankedPlan> found;
  for (const std::size_t point : best) found[point].point = point;
  for (const auto& [devices, of_number] : by_devices) {
    for (const std::size_t point : of_number) found[point].point = point;
  }
  for (const std::size_t point : front) found[point].point = point;
  std::vector<std::size_t> points;
  points.reserve(found.size());
  for (const auto& [point, plan] : found) points.push_back(point);
  if (options.left) options.left(points.size());
  sweep_.run(points,
             {.threads = options.threads,
              .stop = options.stop,
              .done = [&](std::size_t point, const Outcome& outcome) { found.at(point).outcome = outcome; },
              .look = [&](std::size_t point, const Prediction& prediction,
                          const Range<Duration>& /*range*/) { found.at(point).parts = step_parts(prediction); }});
  for (const std::size_t point : best) findings.best.push_back(found.at(point));
  put_fitting_first(findings.best);
  for (const auto& [devices, of_number] : by_devices) {
    std::vector<RankedPlan> plans;
    for (const std::size_t point : of_number) plans.push_back(found.at(point));
    put_fitting_first(plans);
    findings.by_devices.push_back(plans.front());
  }
  for (const std::size_t point : front) findings.front.push_back(found.at(point));
}

PlanFindings PlanSearch::run(const std::map<std::size_t, Outcome>& known, const PlanSearchOptions& options) {
  PlanFindings findings = prepared_;
  std::map<std::uint32_t, std::vector<std::size_t>> orders;
  for (std::size_t point = 0; point < findings.states.size(); ++point) {
    if (findings.states[point] == PlanState::kCannotWin) orders[findings.devices[point]].push_back(point);
  }
  for (auto& [devices, order] : orders) {
    std::stable_sort(order.begin(), order.end(),
                     [&findings](std::size_t a, std::size_t b) { return findings.bounds[a] < findings.bounds[b]; });
    search(order, known, options, findings);
    search_fitting(order, known, options, findings);
  }
  if (options.front) complete_front(known, options, findings);
  rank(options, findings);
  return findings;
}

}  // namespace stepsim::scenarios
