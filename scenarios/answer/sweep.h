#ifndef STEPSIM_SCENARIOS_ANSWER_SWEEP_H
#define STEPSIM_SCENARIOS_ANSWER_SWEEP_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/answer/baseline.h"
#include "scenarios/answer/caution.h"
#include "scenarios/answer/interval.h"
#include "scenarios/answer/memory_need.h"
#include "scenarios/answer/predict.h"
#include "scenarios/question/points.h"
#include "sim/analysis/throughput.h"
#include "sim/output/provenance.h"

namespace stepsim::scenarios {

/// What must change before a refused point of a sweep can be predicted.
enum class Refusal : std::uint8_t {
  kQuestion,  ///< the question: the point must be changed (exit 2)
  kCapture,   ///< the capture: it lacks data for the point; another one may have it (exit 5)
};

/// The result of a point of a sweep: its iteration and range, or a sentence that says why it cannot be predicted.
struct Outcome {
  std::optional<Range<Duration>> iteration;  ///< without its sources
  std::string problem;
  std::uint32_t workers = 1;           ///< number of workers of the job; 1 without an iteration
  double batches = 1;                  ///< batches per worker and step (sim/analysis/throughput.h)
  std::uint32_t devices = 1;           ///< devices per worker; 1 without an iteration
  std::string note{};                  ///< result of note_on(); may be empty
  std::optional<MemoryNeed> memory{};  ///< memory that the job needs, if known
  /// The iteration without what measured steps of the machine correct, if they do; only of outcomes with a range.
  std::optional<Duration> by_data_sheet{};
  /// What must change before the point can be predicted; has a meaning only without an iteration.
  Refusal refusal = Refusal::kQuestion;

  /// True if the job is known not to fit in memory.
  [[nodiscard]] bool does_not_fit() const noexcept { return memory && memory->fits() == Fit::kNo; }
};

/// Returns a member of the range of an outcome's iteration; nothing if it has none.
[[nodiscard]] inline std::optional<Duration> step_of(const Outcome& outcome, Duration Range<Duration>::*member) {
  return outcome.iteration ? std::optional{(*outcome.iteration).*member} : std::nullopt;
}

struct SweepOptions {
  int threads = 1;                          ///< number of threads; does not affect outcomes
  bool ranges = true;                       ///< if false, iterations have no width
  const IntervalFinder* finder = nullptr;   ///< finds the ranges; if it is null, run() makes one
  const std::atomic<bool>* stop = nullptr;  ///< set by Ctrl-C; then run() throws Interrupted
  /// Called for each finished point, in any order, from any thread, but never concurrently. An exception from it ends
  /// the sweep.
  std::function<void(std::size_t point, const Outcome& outcome)> done;
  /// Called with the prediction of a point before it is freed, possibly concurrently. The function may be empty.
  /// Without `ranges` the interval is that of the outcome, without sources.
  std::function<void(std::size_t point, const Prediction& predicted, const Range<Duration>& range)> look{};
};

class Sweep;

/// What looks at the plans of a sweep while it is prepared, so that each plan is made only once.
struct PlanLook {
  using Look = std::function<void(const Sweep& sweep, std::size_t point, const Plan& plan)>;

  std::vector<std::vector<std::size_t>> groups;  ///< all points; one thread looks at those of a group, in this order
  std::function<Look()> begin;                   ///< returns what is called for each plan of a group
  /// Called for a point that cannot be predicted, or whose plan Look refuses.
  std::function<void(std::size_t point, Outcome refused)> refuse;
};

/// Predicts the points of a scenario's sweep in parallel. While a point is predicted, its timeline takes about 23 bytes
/// per task (27 if durations change), and twice as much while its range is computed. Graphs of jobs with device work,
/// whose steps are repeated (sim/analysis/steady.h), take 12 more. Only the iteration and range of finished points are
/// kept. Points with the same graph share it, and a graph is freed after its last point. In addition to the captured
/// job's graph, there are therefore at most two graphs per thread at a time, or four if workers may drift apart.
///
/// The range of a point may need further replays, depending on its sources of uncertainty: one or more for sharing of
/// links and for drift of workers, two for another device, two for the slowdown of kernels during communication. Other
/// sources follow from the capture without a replay (docs/internals/answers.md, "Ranges").
class Sweep {
 public:
  /// Prepares the sweep without predicting anything, on up to `threads` threads. The first two arguments must outlive
  /// the sweep. Throws what the changes of the scenario throw that apply to all points, ValueError if a value of a
  /// point is invalid for every capture, and Interrupted once `stop` is set. O(points).
  Sweep(Predictor& predictor, const Scenario& scenario, int threads = 1, const std::atomic<bool>* stop = nullptr,
        const PlanLook* look = nullptr);

  [[nodiscard]] const Points& points() const noexcept { return points_; }
  /// Returns the assumptions of the scenario and of its points, without duplicates.
  [[nodiscard]] const Assumptions& assumptions() const noexcept { return assumptions_; }
  /// Returns what a reader must know before the answers of any point.
  [[nodiscard]] const Caution& caution() const noexcept { return caution_; }

  /// Predicts the points with the numbers in `which`. A point that a what-if refuses has an outcome with a problem.
  /// Throws Interrupted.
  void run(std::span<const std::size_t> which, const SweepOptions& options);

  /// Returns the plan of a point. Throws what its changes throw.
  [[nodiscard]] Plan plan_of(std::size_t point) const;
  /// Returns the assumptions of a plan, with those about its machine and its memory.
  [[nodiscard]] Assumptions assumptions_of(const Plan& plan) const;
  /// Calls `work` for a point. Returns a refused outcome if it throws an error of the question or of the capture, else
  /// nothing. Passes on ValueError and Interrupted.
  [[nodiscard]] static std::optional<Outcome> refusal_of(const std::function<void()>& work);
  /// Returns the memory that the job of a plan of this sweep's capture needs, or why it is not known. O(allocations).
  [[nodiscard]] MemoryAnswer memory_of(const Plan& plan) const { return memory_.of(plan); }

 private:
  [[nodiscard]] std::vector<std::size_t> work_order(std::span<const std::size_t> which, std::size_t threads) const;
  [[nodiscard]] Outcome predict(std::size_t point, const IntervalFinder* ranges, const sim::EngineOptions& engine,
                                const SweepOptions& options) const;

  Predictor& predictor_;
  PointChanges changes_;
  Points points_;
  Plan common_;  ///< plan after the scenario's own changes, except the changes in with_points_
  /// The scenario's changes that are applied together with those of each point (PointChanges::include()). The pointers
  /// refer to the scenario.
  std::vector<const Change*> with_points_;
  std::vector<GraphKey> graphs_;         ///< the distinct graphs of the points
  std::vector<std::uint32_t> graph_of_;  ///< for each point, an index into graphs_
  Assumptions assumptions_;
  Caution caution_;
  MemoryNeeds memory_;
};

/// Everything in a sweep's reports except the outcomes of its points. It depends only on the question and the inputs.
/// If several processes share a sweep, all of them have the same head.
struct SweepHead {
  sim::Provenance provenance;
  std::string name;         ///< name of the scenario; may be empty
  std::string network;      ///< name of the network model
  sim::CaptureTrust trust;  ///< how far the capture can be trusted (Caution::trust())
  std::vector<std::string> changes;
  Assumptions assumptions;
  Baseline baseline;
  sim::StepWork work;  ///< work of a captured step
  Points points;
};

struct SweepAnswer {
  SweepHead head;
  std::vector<Outcome> outcomes;  ///< indexed by point
};

}  // namespace stepsim::scenarios

#endif
