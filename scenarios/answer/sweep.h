#ifndef STEPSIM_SCENARIOS_ANSWER_SWEEP_H
#define STEPSIM_SCENARIOS_ANSWER_SWEEP_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/answer/predict.h"
#include "scenarios/question/points.h"

namespace stepsim::scenarios {

/// What a point of a sweep came to: its iteration, or one sentence that says why there is none.
struct Outcome {
  std::optional<Duration> iteration;
  std::string problem;
};

struct SweepOptions {
  int threads = 1;                          ///< never changes an outcome
  const std::atomic<bool>* stop = nullptr;  ///< set by Ctrl-C: run throws Interrupted
  /// Told of each point as it is done, in any order, from any thread, one call at a time. What
  /// it throws ends the sweep.
  std::function<void(std::size_t point, const Outcome& outcome)> done;
};

/// Predicts the points of a scenario's sweep, side by side. A point holds its timeline, some 23
/// bytes a task (and 4 where durations change), for as long as it is worked on and keeps the iteration.
/// Points with one graph share it: it is made once, and given up after the last of them, so that
/// no more than two graphs a thread are there at a time.
class Sweep {
 public:
  /// Refers to both. Throws what the scenario's own changes throw (points add to those), and
  /// ValueError for a value of a point that means nothing. O(points), nothing is simulated.
  Sweep(Predictor& predictor, const Scenario& scenario);

  [[nodiscard]] const Points& points() const noexcept { return points_; }
  /// What the answers rest on, each once: the scenario's, then those of its points.
  [[nodiscard]] const Assumptions& assumptions() const noexcept { return assumptions_; }

  /// Predicts these points. A point that a what-if refuses has an outcome too. Throws Interrupted.
  void run(std::span<const std::size_t> which, const SweepOptions& options);

 private:
  [[nodiscard]] Plan plan_of(std::size_t point) const;
  [[nodiscard]] std::vector<std::size_t> work_order(std::span<const std::size_t> which, std::size_t threads) const;
  [[nodiscard]] Outcome predict(std::size_t point, const std::atomic<bool>* stop) const;

  Predictor& predictor_;
  PointChanges changes_;
  Points points_;
  Plan common_;                          ///< after the scenario's own changes
  std::vector<GraphKey> graphs_;         ///< those that points have, each once
  std::vector<std::uint32_t> graph_of_;  ///< by point: index into graphs_
  Assumptions assumptions_;
};

}  // namespace stepsim::scenarios

#endif
