#ifndef STEPSIM_SCENARIOS_ANSWER_PREDICT_H
#define STEPSIM_SCENARIOS_ANSWER_PREDICT_H

#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/answer/recorded_collectives.h"
#include "scenarios/answer/slowed_kernels.h"
#include "scenarios/change/plan.h"
#include "sim/analysis/throughput.h"
#include "sim/engine/engine.h"
#include "sim/engine/timeline.h"

namespace stepsim::scenarios {

/// How a change scaled the durations of device work.
struct DeviceShare {
  std::string change;  ///< "device.to=H100"
  std::string kept;    ///< what it left unchanged, and why
  ScaledShare share;
};

/// The replay of a plan.
struct Prediction {
  std::shared_ptr<const Capture> graph;  ///< what was replayed
  sim::Timeline timeline;                ///< of graph->dag
  /// The answer: in the long run where captured steps follow each other (Predictor::distrust_repetition()), else of
  /// the captured steps.
  Duration iteration{};
  /// Of the captured steps alone, as docs/fidelity.md defines it, "Measured, replayed, error": what compares with what
  /// was measured.
  Duration of_captured_steps{};
  /// Of steps that are repeated until they are steady (sim/analysis/steady.h); of the captured steps where they cannot
  /// be.
  Duration in_the_long_run{};
  std::vector<DeviceShare> shares;  ///< of the changes of device work, in order
  std::vector<SlowedClass> slowed;  ///< the kernels that communication slows; none where that is not known
  /// By how much of their time those kernels would change in one more replay, where 20 did not settle them; else 0.
  double unsettled = 0;
};

/// What the profiler added to the recorded times (scenarios/answer/learn_from_capture.h), and what is said of it.
struct ProfilerCost {
  Duration per_event{};
  double most = 0;  ///< share of a task
  Assumption note;
};

/// Predicts plans of one capture. Safe to use from several threads. Plans with equal keys share one graph, so a
/// sweep over bandwidths has one.
class Predictor {
 public:
  /// `captured` and `network` must outlive the predictor. `cluster` is the hardware that the capture ran on.
  Predictor(const Capture& captured, Cluster cluster, const NetworkModel& network);

  /// The plan that changes nothing.
  [[nodiscard]] Plan plan() const;
  /// Reads the trace that a change names. Without a reader such a change is refused.
  using Reader = std::function<Capture(const std::string& path)>;
  void set_reader(Reader reader) { reader_ = std::move(reader); }
  /// Every plan() from now on begins with this taken out. Not safe beside other calls.
  void take_out_profiler(ProfilerCost cost) { profiler_ = std::move(cost); }
  [[nodiscard]] const std::optional<ProfilerCost>& profiler() const noexcept { return profiler_; }
  /// Something that every plan() from now on rests on. Not safe beside other calls.
  void add_assumption(Assumption note) { assumptions_.push_back(std::move(note)); }
  /// Every prediction from now on has kernels take as long as the communication beside them makes them
  /// (SlowedKernels): what they took in the capture is what they take beside as much of it as in the replay of plan().
  /// Makes that replay, and has predictions make up to 20 more each. Not safe beside other calls. Throws what predict()
  /// throws.
  void follow_interference(std::vector<Slowdown> slowdowns, const sim::EngineOptions& options = {});
  /// Replaces how senders share links in every plan() from now on, as an assumption. `fitting` are the ways that the
  /// capture does not contradict. Not safe beside other calls.
  void assume_sharing(double sharing, std::vector<double> fitting, Assumption note);
  [[nodiscard]] const std::vector<double>& fitting_sharings() const noexcept { return fitting_sharings_; }
  /// From now on plans may have Plan::recorded_collectives. Precondition: the network model is not `recorded`. Not safe
  /// beside other calls. Throws what sim::collectives_alone() throws.
  void learn_recorded_collectives() { recorded_collectives_.emplace(captured_, cluster_, network_); }
  /// Every plan() from now on has them, as an assumption. How links are shared no longer matters. Precondition:
  /// they were learned. Not safe beside other calls.
  void prefer_recorded_collectives(Assumption note);
  /// How far the links' rate may be off, relative to it, where it was fitted. Not safe beside other calls.
  void set_link_rate_error(double error) noexcept { link_rate_error_ = error; }
  [[nodiscard]] double link_rate_error() const noexcept { return link_rate_error_; }
  /// Every prediction from now on is of the captured steps, because steps that are repeated do not take what those
  /// took. Plans say so, as an assumption. Not safe beside other calls.
  void distrust_repetition(Assumption note);
  [[nodiscard]] bool trusts_repetition() const noexcept { return trusts_repetition_; }
  /// The cluster is not the one that was captured: there the captured iteration is predicted as this, which is what
  /// compares with what was measured. Not safe beside other calls.
  void set_on_own_cluster(Duration iteration) noexcept { on_own_cluster_ = iteration; }
  [[nodiscard]] const std::optional<Duration>& on_own_cluster() const noexcept { return on_own_cluster_; }
  /// Another trace; each is read once. Precondition: there is a reader. Throws what the reader throws.
  [[nodiscard]] std::shared_ptr<const Capture> read(const std::string& path) const;
  /// Throws what the plan's edits throw, UsageError if network model and plan do not fit each other, and what
  /// sim::replay() throws. The answer does not depend on options.threads.
  [[nodiscard]] Prediction predict(const Plan& plan, const sim::EngineOptions& options = {});
  /// Frees the graph of plans with this key. It is made again if one is asked for.
  void forget(const GraphKey& key);

 private:
  [[nodiscard]] std::shared_ptr<const Capture> graph_of(const Plan& plan);
  [[nodiscard]] Capture make_graph(const Plan& plan) const;
  void slow_kernels(const std::vector<Duration>& durations, double side, sim::Machine& machine,
                    const sim::EngineOptions& options, Prediction& prediction) const;

  const Capture& captured_;
  Cluster cluster_;
  const NetworkModel& network_;
  std::mutex mutex_;  ///< of graphs_
  std::map<GraphKey, std::shared_future<std::shared_ptr<const Capture>>> graphs_;
  std::optional<ProfilerCost> profiler_;
  std::vector<double> fitting_sharings_;
  std::optional<Assumption> sharing_note_;
  double link_rate_error_ = 0;
  bool trusts_repetition_ = true;
  std::optional<Duration> on_own_cluster_;
  std::optional<RecordedCollectives> recorded_collectives_;
  std::optional<Assumption> recorded_note_;
  Assumptions assumptions_;
  bool tells_origins_ = false;  ///< graphs say which captured task each of theirs is
  std::optional<CapturedInterference> interference_;
  Reader reader_;
  mutable std::mutex reading_;                                            ///< of others_
  mutable std::map<std::string, std::shared_ptr<const Capture>> others_;  ///< by path
};

/// How far the replays of one answer have come. Safe to use from several threads.
class ReplayMeter {
 public:
  /// Called with the tasks replayed so far, and with how many there will be as far as is known; 0: not yet. One call
  /// at a time.
  using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

  /// `options.progress` is not used. `progress` may be empty.
  explicit ReplayMeter(sim::EngineOptions options = {}, Progress progress = {});
  ReplayMeter(const ReplayMeter&) = delete;
  ReplayMeter& operator=(const ReplayMeter&) = delete;

  /// So many more tasks will be replayed, at most.
  void expect(std::uint64_t tasks);
  /// Predictor::predict(), counted.
  [[nodiscard]] Prediction predict(Predictor& predictor, const Plan& plan);
  [[nodiscard]] int threads() const noexcept { return options_.threads; }

 private:
  void add(std::uint64_t tasks);

  sim::EngineOptions options_;
  Progress progress_;
  std::mutex mutex_;  ///< of what is below, and of calls of progress_
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

/// What a step of the plan's job does. The plan that changes nothing does captured_work(), which counts workers that
/// were not captured; another number of workers is that number. O(collectives).
[[nodiscard]] sim::StepWork work_of(const Plan& plan);

}  // namespace stepsim::scenarios

#endif
