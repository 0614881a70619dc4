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
#include "scenarios/answer/interval.h"
#include "scenarios/answer/predict.h"
#include "scenarios/question/points.h"
#include "sim/analysis/throughput.h"
#include "sim/output/provenance.h"

namespace stepsim::scenarios {

/// Who has to change something for a refused point to be predicted.
enum class Refusal : std::uint8_t {
  kQuestion,  ///< the point has to be put otherwise (exit 2)
  kCapture,   ///< the capture lacks what the point needs; another one may answer it (exit 5)
};

/// The result of a point: its iteration with the range of it, or one sentence that says why there is none.
struct Outcome {
  std::optional<Duration> iteration;
  std::string problem;
  Duration low{};  ///< low <= iteration <= high (scenarios/answer/interval.h); 0 without an iteration
  Duration high{};
  std::uint32_t workers = 1;             ///< of the job; 1 without an iteration
  double batches = 1;                    ///< that each takes in a step (sim/analysis/throughput.h)
  std::string note{};                    ///< note_on() its prediction; may be empty
  Refusal refusal = Refusal::kQuestion;  ///< of a point without an iteration
};

struct SweepOptions {
  int threads = 1;                          ///< never changes an outcome
  const std::atomic<bool>* stop = nullptr;  ///< set by Ctrl-C: run() throws Interrupted
  /// Called for each finished point, in any order, from any thread, one call at a time. An exception from it ends the
  /// sweep.
  std::function<void(std::size_t point, const Outcome& outcome)> done;
  /// Called with what was predicted of a point before it is dropped, several calls at a time. May be empty.
  std::function<void(std::size_t point, const Prediction& predicted, const AnswerInterval& range)> look{};
};

/// Predicts the points of a scenario's sweep, several at a time. While a point is predicted its timeline takes some
/// 23 bytes a task (27 if durations change), twice that while its range is found, and for a moment 30 more for jobs
/// with device work, whose steps are repeated (sim/analysis/steady.h); of a finished point only the iteration and its
/// range are kept. Points with the same graph share it. A graph is freed after its last point, so besides that of the
/// captured job at most two graphs per thread exist at a time, four where workers may drift apart.
///
/// A range takes further replays of its point: none for sources that follow from the capture, one to five for sharing
/// and drift, two for another device, two for kernels beside communication (docs/sweeps.md, "Ranges").
class Sweep {
 public:
  /// Both arguments must outlive the sweep. Throws what the changes of the scenario itself throw, and ValueError for
  /// a point's value that is invalid for every capture. Simulates nothing. O(points).
  Sweep(Predictor& predictor, const Scenario& scenario);

  [[nodiscard]] const Points& points() const noexcept { return points_; }
  /// What the answers rest on, each once: the assumptions of the scenario, then those of its points.
  [[nodiscard]] const Assumptions& assumptions() const noexcept { return assumptions_; }

  /// Predicts these points. A point that a what-if refuses has an outcome with a problem. Throws Interrupted.
  void run(std::span<const std::size_t> which, const SweepOptions& options);

 private:
  [[nodiscard]] Plan plan_of(std::size_t point) const;
  [[nodiscard]] std::vector<std::size_t> work_order(std::span<const std::size_t> which, std::size_t threads) const;
  [[nodiscard]] Outcome predict(std::size_t point, const IntervalFinder& ranges, const SweepOptions& options) const;
  void forget(const GraphKey& key);

  Predictor& predictor_;
  PointChanges changes_;
  Points points_;
  Plan common_;  ///< after the scenario's own changes, but for those of with_points_
  /// Changes of hardware that are applied with those of each point; the scenario's documents must outlive them.
  std::vector<const Change*> with_points_;
  std::vector<GraphKey> graphs_;         ///< those that points have, each once
  std::vector<std::uint32_t> graph_of_;  ///< by point: index into graphs_
  Assumptions assumptions_;
};

/// All that a sweep's reports say, except the outcomes of its points. It depends only on the question
/// and the inputs, not on how the work was done: all parts of one sweep have the same head.
struct SweepHead {
  sim::Provenance provenance;
  std::string name;     ///< of the scenario; may be empty
  std::string network;  ///< the model's name
  std::string warning;  ///< that the capture is not what it looks like; may be empty
  std::string caution;  ///< that not all of the input could be used; may be empty
  std::vector<std::string> changes;
  Assumptions assumptions;
  Baseline baseline;
  sim::StepWork work;  ///< of a captured step
  Points points;
};

struct SweepAnswer {
  SweepHead head;
  std::vector<Outcome> outcomes;  ///< by point
};

}  // namespace stepsim::scenarios

#endif
