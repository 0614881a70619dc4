#ifndef STEPSIM_SCENARIOS_CHANGE_PLAN_H
#define STEPSIM_SCENARIOS_CHANGE_PLAN_H

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/base/assumption.h"
#include "model/base/units.h"
#include "model/base/yaml.h"
#include "model/cost/device/roofline.h"
#include "model/cost/network/network.h"
#include "model/cost/network/transfers.h"
#include "model/job/cluster.h"
#include "model/job/job.h"
#include "model/job/recording.h"

namespace stepsim::scenarios {

class Change;
class DeviceRule;

/// Everything that the graph of a plan depends on besides the capture, the hardware's rates and the network
/// model, which are the same for all plans of a Predictor: plans with equal keys have equal graphs.
struct GraphKey {
  Job job;
  bool colocated_servers = false;
  bool begins_together = false;
  std::vector<std::string> edits;  ///< the changes that made them, in order

  friend auto operator<=>(const GraphKey& a, const GraphKey& b) = default;
};

/// What becomes of the time that a recorded collective took beyond what the network model says of it.
enum class Excess : std::uint8_t {
  kStays,   ///< as other time that nothing explains
  kScales,  ///< as the model's time does
};

/// What a scenario makes of a captured job. Changes fill it in one after the other, and Predictor::predict()
/// (scenarios/answer/predict.h) carries it out: the job's own graph is made for `job`, the edits change it in
/// order, the rules change durations in order, and the result is replayed on `cluster` under `network`.
struct Plan {
  const Capture* captured = nullptr;  ///< as loaded
  /// Reads another trace that a change names. Empty if other traces cannot be read.
  std::function<std::shared_ptr<const Capture>(const std::string& path)> read;
  Job job;          ///< the settings of job.yaml; workers and servers are set where they are known
  Cluster cluster;  ///< the hardware: as given, or calibrated
  const NetworkModel* network = nullptr;
  double batches = 1;        ///< that a worker takes in a step, each of what it took in a captured one
  double scaling_share = 1;  ///< the factor of `batches` that strong scaling makes
  /// Multiplies the recorded times of transfers that no network model times (keeps_recorded_time()),
  /// before any rule.
  double recorded_transfers = 1;
  /// Collectives take recorded times, changed as the network model says (scenarios/answer/recorded_collectives.h).
  std::optional<Excess> recorded_collectives;

  /// Makes a graph from another.
  using Edit = std::function<Capture(const Capture& capture)>;
  /// Adds an edit that follows from the text of `change` alone.
  void add_edit(const Change& change, Edit edit);
  /// The graph after all edits.
  [[nodiscard]] Capture edited(Capture graph) const;

  /// Changes durations, by TaskId of `capture`. None may become negative.
  using Rule = std::function<void(const Capture& capture, std::vector<Duration>& durations)>;
  std::vector<std::variant<Rule, std::shared_ptr<const DeviceRule>>> rules;
  double device_side = 0;  ///< where in the range of its error device work lies (rescale()): for ranges of answers
  double interference_side = 0;  ///< where in its range the slowing of kernels beside communication lies: -1, 0 or 1

  Assumptions assumptions;  ///< of the changes; the capture has its own

  std::uint32_t workers_before = 1;  ///< of the plan that changes nothing
  bool colocated_servers = false;
  /// All workers together take the captured number of samples in a step. Of another number each takes its share.
  bool strong_scaling = false;
  /// Calibration or the user says how senders share a link, so the answer need not allow for other ways.
  bool sharing_known = false;
  bool other_machine = false;  ///< the step runs on a machine whose host is another one
  bool host_known = false;     ///< and the user says how fast that is
  bool other_loader = false;   ///< the user says how long the host waits for data
  /// Another number of processes loads data: what that saves is an upper bound.
  bool other_loader_workers = false;
  /// The collectives that a rank's pool of threads carries out go one at a time, after all edits.
  bool collectives_in_turn = false;
  /// Workers of a parameter-server job begin together, not spread over an iteration.
  bool begins_together = false;

  [[nodiscard]] GraphKey graph_key() const;

 private:
  struct MadeEdit {
    std::string change;
    Edit edit;
  };
  std::vector<MadeEdit> edits_;
};

/// How many workers the capture tells of, absent ones included. Without servers a worker is `local_size` ranks.
[[nodiscard]] std::uint32_t captured_workers(const Capture& capture);
/// What is assumed of workers beyond `captured`.
[[nodiscard]] Assumption copies_assumption(std::uint32_t captured);

/// Multiplies a rate or a duration, as "2x" does. Precondition: factor > 0 (>= 0 for durations).
[[nodiscard]] Bandwidth scaled(Bandwidth rate, double factor) noexcept;
/// To the nearest nanosecond, at most 146 years.
[[nodiscard]] Duration scaled(Duration duration, double factor) noexcept;
/// To the nearest byte, at least one and at most 2^62 of them; no bytes stay none. Precondition: factor > 0.
[[nodiscard]] Bytes scaled(Bytes bytes, double factor) noexcept;

/// Throws CannotAnswer at `field`: the capture lacks what the change needs. For a value that is wrong, whatever the
/// capture, there are YamlField::fail() and reject().
[[noreturn]] void cannot_answer(const YamlField& field, std::string_view problem);

/// For changes that take a network model, where the plan has none. If the plan's hardware has links, `recorded` was
/// asked for: throws InputError at `field`. Else the capture does not show how fast they are: throws CannotAnswer.
[[noreturn]] void refuse_as_recorded(const YamlField& field, const Plan& plan, std::string_view problem);

}  // namespace stepsim::scenarios

#endif
