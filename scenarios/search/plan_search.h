#ifndef STEPSIM_SCENARIOS_SEARCH_PLAN_SEARCH_H
#define STEPSIM_SCENARIOS_SEARCH_PLAN_SEARCH_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/answer/sweep.h"
#include "scenarios/search/step_parts.h"

namespace stepsim::scenarios {

/// Number of plans that a search ranks.
constexpr std::size_t kBestPlans = 10;

/// What the search knows of a plan.
enum class PlanState : std::uint8_t {
  kSimulated,
  kCannotWin,  ///< not simulated: it can neither be one of the best plans nor on the front
  kDoesNotFit,
  kRefused,  ///< the capture or the models have no answer for it
};

/// One of the best plans.
struct RankedPlan {
  std::size_t point = 0;
  Outcome outcome;  ///< with its range
  StepParts parts;  ///< what its step consists of
};

struct PlanFindings {
  std::vector<PlanState> states;       ///< by point
  std::vector<Outcome> outcomes;       ///< by point, without ranges; refused ones have a problem, others may be empty
  std::vector<Duration> bounds;        ///< by point: what the step cannot be shorter than; 0 if nothing is known
  std::vector<std::uint32_t> devices;  ///< by point
  /// At most kBestPlans, by step time, then by point; but plans that surely fit in memory come first among those whose
  /// ranges overlap with that of the fastest. One of them is listed if there is any plan that surely fits.
  std::vector<RankedPlan> best;
  std::vector<RankedPlan> by_devices;  ///< the best plan of each number of devices, ascending
  /// The Pareto front, if it was searched: plans that no other one beats in the number of devices, the peak of memory
  /// (in steps of a quarter) and the step time. By devices, then by memory, descending. Without plans of unknown
  /// memory.
  std::vector<RankedPlan> front;
  [[nodiscard]] std::size_t count(PlanState state) const;
};

struct PlanSearchOptions {
  int threads = 1;                          ///< number of threads; does not affect the findings
  bool prunes = true;                       ///< if false, all plans that may fit are simulated
  bool front = false;                       ///< if true, the Pareto front is searched, too
  const std::atomic<bool>* stop = nullptr;  ///< set by Ctrl-C; then functions throw Interrupted
  /// Called for each simulated plan, in any order, from any thread, but never concurrently. May be empty.
  std::function<void(std::size_t point, const Outcome& outcome)> done{};
  /// Called when it is known how many plans may still be simulated. May be empty.
  std::function<void(std::size_t left)> left{};
};

/// Finds the plans with the shortest step among the points of a scenario (with_plans()) that may fit in memory. Of
/// plans that differ only in the size of their buckets, only the best is listed.
///
/// For each number of devices, plans are simulated in the order of StepBounds, a fixed number at a time, until the
/// steps of kBestPlans of them are no longer than the next bound. For the front, those of the others follow that no
/// simulated plan beats, with their bound as their step. So the best plans and the front are those of simulating all,
/// and which plans are simulated does not depend on the number of threads. Plans that are known not to fit are not
/// simulated. Plans that surely fit follow until the best of them is known. Ranges are computed for the best plans and
/// the front only.
class PlanSearch {
 public:
  /// Finds out which plans are possible and fit, and their bounds. Both first arguments must outlive the search, and
  /// the scenario is one of with_plans(). Throws what Sweep() throws. O(points * tasks) on `threads` threads.
  PlanSearch(Predictor& predictor, const Scenario& scenario, const PlanSearchOptions& options);

  [[nodiscard]] const Sweep& sweep() const noexcept { return sweep_; }

  /// Searches. `known` has outcomes of an earlier search that was interrupted; they are not simulated again. Throws
  /// Interrupted, and CannotAnswer if no plan fits or has an answer.
  [[nodiscard]] PlanFindings run(const std::map<std::size_t, Outcome>& known, const PlanSearchOptions& options);

 private:
  /// Returns the sweep of all plans. Finds what is known of them before a simulation (prepared_).
  [[nodiscard]] Sweep prepare(Predictor& predictor, const Scenario& scenario, const PlanSearchOptions& options);
  void simulate(std::vector<std::size_t> which, const std::map<std::size_t, Outcome>& known,
                const PlanSearchOptions& options, PlanFindings& findings);
  void search(const std::vector<std::size_t>& order, const std::map<std::size_t, Outcome>& known,
              const PlanSearchOptions& options, PlanFindings& findings);
  void search_fitting(const std::vector<std::size_t>& order, const std::map<std::size_t, Outcome>& known,
                      const PlanSearchOptions& options, PlanFindings& findings);
  void complete_front(const std::map<std::size_t, Outcome>& known, const PlanSearchOptions& options,
                      PlanFindings& findings);
  void rank(const PlanSearchOptions& options, PlanFindings& findings);

  /// Returns those of the plans that were simulated, the shortest step first, and of plans that differ only in the size
  /// of their buckets only the first.
  [[nodiscard]] std::vector<std::size_t> ranked(const PlanFindings& findings, std::vector<std::size_t> points) const;

  PlanFindings prepared_;  ///< all plans that may be simulated are kCannotWin
  Sweep sweep_;
  std::vector<std::string> without_bucket_;  ///< by point: its settings but for the size of buckets
};

}  // namespace stepsim::scenarios

#endif
