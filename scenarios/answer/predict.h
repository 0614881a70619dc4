#ifndef STEPSIM_SCENARIOS_ANSWER_PREDICT_H
#define STEPSIM_SCENARIOS_ANSWER_PREDICT_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/once_per_key.h"
#include "scenarios/answer/predictor_settings.h"
#include "scenarios/answer/recorded_collectives.h"
#include "scenarios/answer/sides.h"
#include "scenarios/answer/slowed_kernels.h"
#include "scenarios/change/plan.h"
#include "sim/analysis/rank_steps.h"
#include "sim/analysis/steady.h"
#include "sim/analysis/throughput.h"
#include "sim/engine/engine.h"
#include "sim/engine/timeline.h"

namespace stepsim::scenarios {

/// How one change, such as another device, affects the durations of device work.
struct DeviceShare {
  std::string change;  ///< "device.to=H100"
  std::string kept;    ///< what the change left unchanged, and why
  ScaledShare share;
};

/// The result of predicting a plan: the replayed graph, its times, and the iteration.
struct Prediction {
  std::shared_ptr<const Capture> graph;  ///< the graph that was replayed
  sim::Timeline timeline;                ///< times of the tasks of graph->dag
  /// The predicted iteration: `in_the_long_run` if steps follow each other without a pause and the capture does not
  /// contradict this time (PredictorSettings::trusts_repetition), otherwise `of_captured_steps`.
  Duration iteration{};
  /// The iteration of the captured steps alone, for comparison with the measured time; docs/internals/answers.md,
  /// "Step time, replay, error", defines it.
  Duration of_captured_steps{};
  /// The iteration of steps that are repeated until they are steady (sim/analysis/steady.h), or of the captured steps
  /// if they cannot be repeated.
  Duration in_the_long_run{};
  std::optional<sim::SteadyIteration> steady{};  ///< absent if they cannot be repeated
  std::map<Rank, sim::RankSteps> rank_steps{};   ///< those of the replay (sim::rank_steps())
  std::vector<DeviceShare> shares;               ///< one entry for each change of device work, in order
  std::vector<SlowedClass> slowed;               ///< kernels slowed by communication; empty if this is not known
  /// If 20 replays were not enough, the relative change of the slowed kernels' times in one more replay; otherwise 0.
  double unsettled = 0;
  /// Why every rank was simulated although some are copies of others (sim::CopiesDiffer); empty if that was not needed.
  std::string why_each_rank{};

  /// Returns what limits `in_the_long_run`; nothing if that is not known.
  [[nodiscard]] std::vector<sim::CyclePart> limited_by() const;
};

/// The iteration of a prediction, for sweeps and ranges.
struct PredictedIteration {
  Duration length{};      ///< Prediction::iteration
  std::size_t tasks = 0;  ///< number of tasks of the graphs that were replayed for it
  std::string note{};     ///< note_on() the prediction
};

/// What a replay of a plan starts from.
struct PlannedWork {
  std::shared_ptr<const Capture> graph;
  std::vector<Duration> durations;  ///< of the tasks of graph->dag; those of collectives may be replaced by the network
};

/// Predicts plans for one capture. Thread-safe. Plans with equal Plan::graph_key() share one task
/// graph; for example, a sweep over bandwidths has only one.
class Predictor {
 public:
  /// `captured` and `network` must outlive the predictor. `cluster` is the hardware that the capture ran on.
  Predictor(const Capture& captured, Cluster cluster, const NetworkModel& network);

  /// Returns the plan of the captured job, to which changes can be applied.
  [[nodiscard]] Plan plan() const;
  [[nodiscard]] const PredictorSettings& settings() const noexcept { return settings_; }
  /// Returns the capture of another trace. Reads each path only once. Precondition: there is a
  /// PredictorSettings::reader. Throws what the reader throws.
  [[nodiscard]] std::shared_ptr<const Capture> read(const std::string& path) const;
  /// Returns the number of tasks of a plan's graph, which it builds if no prediction has. Throws what predict() throws.
  [[nodiscard]] std::size_t tasks_of(const Plan& plan);
  /// Returns the graph of a plan and the durations of its tasks, without a replay. Throws what predict() throws for
  /// them.
  [[nodiscard]] PlannedWork work(const Plan& plan);
  /// True if kernels may take less time than captured, because less communication runs beside them.
  [[nodiscard]] bool frees_kernels() const noexcept {
    return settings_.interference && !settings_.interference->beside.empty();
  }
  /// Predicts a plan. Throws what the plan's edits throw, UsageError if network model and plan do not fit each other,
  /// what sim::replay() throws, and CannotAnswer if the devices of a divided job would do more than the captured one
  /// could do so many times without its optimizer. The result does not depend on options.threads.
  [[nodiscard]] Prediction predict(const Plan& plan, const sim::EngineOptions& options = {});
  /// The same with other values of what is uncertain. It is no answer: devices may do more than the captured one could.
  [[nodiscard]] Prediction predict(const Plan& plan, const Sides& sides, const sim::EngineOptions& options = {});
  /// Returns the iteration of predict(), to the nanosecond. For a pipeline of many microbatches whose replay is known
  /// to repeat itself from one microbatch to the next, two replays with fewer of them are enough
  /// (sim::inserted_period()); otherwise calls predict().
  [[nodiscard]] PredictedIteration iteration(const Plan& plan, const sim::EngineOptions& options = {});
  [[nodiscard]] PredictedIteration iteration(const Plan& plan, const Sides& sides,
                                             const sim::EngineOptions& options = {});
  /// Frees the graphs of plans with this key, or with fewer microbatches. A later prediction builds them again.
  /// O(graphs).
  void forget(const GraphKey& key);

 private:
  friend class PredictorBuilder;
  /// What a graph depends on besides the capture.
  struct SidedGraph {
    GraphKey plan;
    bool begins_together = false;
    bool collectives_in_turn = false;
    RankSet ungrouped;
    friend auto operator<=>(const SidedGraph& a, const SidedGraph& b) = default;
  };

  /// Returns the captured cluster, with what is assumed of how senders share links.
  [[nodiscard]] Cluster cluster() const;
  /// A plan's graph, and what each of its predictions needs to know of it.
  class Graph;
  [[nodiscard]] std::shared_ptr<Graph> graph_of(const Plan& plan, const Sides& sides);
  [[nodiscard]] Capture make_graph(const Plan& plan, const Sides& sides) const;
  /// Returns the durations of the tasks of `graph`, indexed by TaskId, after the plan's changes of durations. For each
  /// rule about device work, adds an entry to `shares`.
  [[nodiscard]] std::vector<Duration> durations_of(const Plan& plan, const Sides& sides, const Capture& graph,
                                                   std::vector<DeviceShare>& shares) const;
  /// Which times of a prediction are needed.
  enum class Wanted : std::uint8_t {
    kAll,
    kIteration,  ///< only Prediction::iteration; others that it does not follow from are not computed
  };
  [[nodiscard]] Prediction predict(const Plan& plan, const Sides& sides, const sim::EngineOptions& options,
                                   Wanted wanted);
  /// The same, but throws sim::CopiesDiffer if the plan's classes of ranks do not hold.
  [[nodiscard]] Prediction predict_once(const Plan& plan, const Sides& sides, const sim::EngineOptions& options,
                                        Wanted wanted);
  /// A plan's graph with the models of its replay.
  struct Replayed;
  /// Replays a plan, with kernels as long as without communication that changes add.
  [[nodiscard]] Replayed replay(const Plan& plan, const Sides& sides, const sim::EngineOptions& options);
  /// Returns the iteration of predict_once() if it follows from replays with fewer microbatches; else nothing. Throws
  /// what predict_once() throws.
  [[nodiscard]] std::optional<PredictedIteration> repeated_iteration(const Plan& plan, const Sides& sides,
                                                                     const sim::EngineOptions& options);
  /// The same from replays with `microbatches` of them, and with `more`.
  [[nodiscard]] std::optional<PredictedIteration> repeated_iteration(const Plan& plan, const Sides& sides,
                                                                     const sim::EngineOptions& options,
                                                                     std::uint32_t microbatches, std::uint32_t more);
  /// Throws CannotAnswer if each device of a divided job would compute more samples per second than the captured device
  /// does without its optimizer, with as many samples at once.
  void check_throughput(const Plan& plan, Duration iteration, const sim::EngineOptions& options);
  /// Returns the step of the captured device with the plan's changes, but without its divisions and its optimizer.
  [[nodiscard]] Duration step_without_optimizer(const Plan& plan, const sim::EngineOptions& options);
  void slow_kernels(double side, const sim::EngineOptions& options, Replayed& replayed, Prediction& prediction) const;

  const Capture& captured_;
  std::shared_ptr<DividedStep> divided_step_;
  const Cluster cluster_;
  const NetworkModel& network_;
  PredictorSettings settings_;
  OncePerKey<SidedGraph, std::shared_ptr<Graph>> graphs_;
  std::mutex mutex_;  ///< protects steps_without_optimizer_
  /// Results of step_without_optimizer(), by the durations of tasks.
  std::map<std::vector<Duration>, Duration> steps_without_optimizer_;
  mutable OncePerKey<std::monostate, std::shared_ptr<const RecordedCollectives>> recorded_collectives_;
  mutable std::mutex reading_;                                            ///< protects others_
  mutable std::map<std::string, std::shared_ptr<const Capture>> others_;  ///< other traces, indexed by path
};

/// Builds a predictor step by step, because some of its settings are found by predictions with those before
/// (scenarios/answer/learn_from_capture.h). Not thread-safe.
class PredictorBuilder {
 public:
  /// The parameters are those of Predictor.
  PredictorBuilder(const Capture& captured, Cluster cluster, const NetworkModel& network)
      : predictor_(std::make_unique<Predictor>(captured, std::move(cluster), network)) {}

  /// Returns the predictor with the settings so far.
  [[nodiscard]] Predictor& predictor() noexcept { return *predictor_; }
  [[nodiscard]] PredictorSettings& settings() noexcept { return predictor_->settings_; }
  [[nodiscard]] std::unique_ptr<Predictor> build() && { return std::move(predictor_); }

 private:
  std::unique_ptr<Predictor> predictor_;
};

/// Makes the replays for one answer and reports their progress. Thread-safe.
class ReplayMeter {
 public:
  /// Called with the number of tasks replayed so far and the expected total; 0 if the total is not yet known. Never
  /// called concurrently.
  using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

  /// `options.progress` is not used. `progress` can be empty.
  explicit ReplayMeter(sim::EngineOptions options = {}, Progress progress = {});
  ReplayMeter(const ReplayMeter&) = delete;
  ReplayMeter& operator=(const ReplayMeter&) = delete;

  /// Announces that up to `tasks` more tasks will be replayed, so that the progress has a total.
  void expect(std::uint64_t tasks);
  /// Calls Predictor::predict() and reports the replayed tasks as progress.
  [[nodiscard]] Prediction predict(Predictor& predictor, const Plan& plan);
  [[nodiscard]] Prediction predict(Predictor& predictor, const Plan& plan, const Sides& sides);
  /// Calls Predictor::iteration() and reports the tasks of the plan's graph as progress.
  [[nodiscard]] Duration iteration(Predictor& predictor, const Plan& plan, const Sides& sides);
  [[nodiscard]] int threads() const noexcept { return options_.threads; }

 private:
  template <class Predict>
  [[nodiscard]] Prediction counted(Predict predict);
  void add(std::uint64_t tasks);

  sim::EngineOptions options_;
  Progress progress_;
  std::mutex mutex_;  ///< protects the members below and calls of progress_
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

/// Returns the work of one step (workers, batches) of the job that the plan describes, including workers that were not
/// captured. For the plan without changes, this is sim::captured_work(). O(collectives).
[[nodiscard]] sim::StepWork work_of(const Plan& plan);

}  // namespace stepsim::scenarios

#endif
