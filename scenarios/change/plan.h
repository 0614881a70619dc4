#ifndef STEPSIM_SCENARIOS_CHANGE_PLAN_H
#define STEPSIM_SCENARIOS_CHANGE_PLAN_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "model/base/assumption.h"
#include "model/base/units.h"
#include "model/cost/device/device_work.h"
#include "model/cost/device/rescale.h"
#include "model/cost/network/network.h"
#include "model/cost/network/transfers.h"
#include "model/job/cluster.h"
#include "model/job/job.h"
#include "model/job/recording.h"

namespace stepsim::scenarios {

/// What a scenario makes of a captured job. Changes fill it in one after the other; predict()
/// (scenarios/answer/predict.h) then carries it out: first the job's own graph is made for `job`, then
/// edits change it in order, then rules change durations in order, then all is replayed on
/// `cluster` under `network`.
struct Plan {
  const Capture* captured = nullptr;  ///< as loaded
  /// Another trace that a change names; empty where none can be read.
  std::function<std::shared_ptr<const Capture>(const std::string& path)> read;
  Job job;          ///< how the job runs: job.yaml's, workers and servers set where they are known
  Cluster cluster;  ///< what it runs on: as given, or calibrated
  const NetworkModel* network = nullptr;
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::kAuto;  ///< of collectives that do not say theirs
  bool colocated_servers = false;
  /// How links are shared was measured or given: the answer need not allow for another way.
  bool sharing_known = false;
  /// Multiplies the recorded times of transfers that no network model times (keeps_recorded_time()),
  /// before any rule.
  double recorded_transfers = 1;

  /// Makes another graph of one.
  using Edit = std::function<Capture(const Capture& capture)>;
  std::vector<Edit> edits;
  /// Changes durations, by TaskId of `capture`; none may become negative.
  using Rule = std::function<void(const Capture& capture, std::vector<Duration>& durations)>;
  /// One that is about device work. Says which share of it was scaled how.
  struct DeviceRule {
    std::string change;  ///< as it could be typed
    std::string kept;    ///< what of device work it leaves as it was, and why
    std::function<ScaledShare(const Capture& capture, std::vector<Duration>& durations, const ScaledBias& bias)> scale;
  };
  std::vector<std::variant<Rule, DeviceRule>> rules;
  ScaledBias device_bias = kUnbiased;  ///< for the range of an answer (scenarios/answer/interval.h)
  /// What changes made of device work so far, in order: what a later one changes is the outcome.
  using Reshape = std::function<void(const Capture& capture, DevicePieces& pieces)>;
  std::vector<Reshape> reshapes;

  /// What the answer rests on, beside the capture's own assumptions.
  Assumptions assumptions;
  /// Says all that the graph depends on: plans of one capture with equal texts have equal
  /// graphs, so that a sweep makes each graph once. A change that adds an edit, or touches the
  /// job, appends itself.
  std::string structure;

  /// Workers of a parameter-server job begin as they were recorded, not spread over an iteration.
  void begin_together();
  [[nodiscard]] bool begins_together() const noexcept { return begins_together_; }

 private:
  bool begins_together_ = false;
};

/// How many workers the capture holds: ranks by local_size in a job without servers.
[[nodiscard]] std::uint32_t captured_workers(const Capture& capture);
/// The assumption under which there are more.
[[nodiscard]] Assumption copies_assumption(std::uint32_t captured);

/// Multiplies `rate` or a duration, as "2x" does. Precondition: factor > 0 (>= 0 for durations).
[[nodiscard]] Bandwidth scaled(Bandwidth rate, double factor) noexcept;
/// To the nearest nanosecond; stops at 146 years.
[[nodiscard]] Duration scaled(Duration duration, double factor) noexcept;

}  // namespace stepsim::scenarios

#endif
