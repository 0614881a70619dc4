#ifndef STEPSIM_SCENARIOS_CHANGE_PLAN_H
#define STEPSIM_SCENARIOS_CHANGE_PLAN_H

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/assumption.h"
#include "model/base/units.h"
#include "model/base/yaml.h"
#include "model/calibration/measured_machine.h"
#include "model/cost/device/roofline.h"
#include "model/cost/network/network.h"
#include "model/job/cluster.h"
#include "model/job/job.h"
#include "model/job/recording.h"
#include "model/rewrite/parallel/parallelism.h"
#include "scenarios/change/answer_kind.h"
#include "scenarios/change/selector.h"

namespace stepsim {
class DividedStep;
}  // namespace stepsim

namespace stepsim::scenarios {

class Change;
class DeviceRule;

/// A change that edits the graph, by value.
struct EditKey {
  std::string_view what_if;
  Selector::Values selected;
  std::vector<std::pair<std::string_view, std::vector<std::string>>> values;  ///< parameters and their values
  double factor = 1;  ///< what the edit depends on besides the change

  friend auto operator<=>(const EditKey& a, const EditKey& b) = default;
};

/// Everything in a plan that its task graph depends on. The graph also depends on the capture, the hardware's rates and
/// the network model, but these are the same for all plans of a Predictor. Plans with equal keys therefore have equal
/// graphs.
struct GraphKey {
  Job job;
  bool colocated_servers = false;
  Parallelism parallelism;
  RankSet ungrouped_ranks;     ///< of a job with more ranks than captured
  std::vector<EditKey> edits;  ///< in the order in which they are made

  friend auto operator<=>(const GraphKey& a, const GraphKey& b) = default;
};

/// Everything that the changes of a scenario modify in the prediction of a captured job. The changes modify the plan
/// one after another. Predictor::predict() (scenarios/answer/predict.h) then builds the graph for `job`, applies the
/// edits of the graph in order, applies `rules` to the durations in order, and replays the result on `cluster` with
/// `network`.
struct Plan {
  const Capture* captured = nullptr;          ///< the capture as loaded
  std::shared_ptr<DividedStep> divided_step;  ///< of the capture, for all plans of a predictor
  /// Reads another trace that a change names. The function is empty if other traces cannot be read.
  std::function<std::shared_ptr<const Capture>(const std::string& path)> read;
  Job job;                             ///< the settings of job.yaml; workers and servers are set if known
  Cluster cluster;                     ///< the hardware, as given or calibrated
  std::optional<Cable> link_of_ranks;  ///< what connected ranks without known hosts before `cluster.nic` replaced it
  const NetworkModel* network = nullptr;
  /// A machine of which steps were measured (scenarios/change/on_machine.h); null if there is none.
  std::shared_ptr<const MeasuredMachine> machine;
  std::set<AnswerKind> kinds;  ///< what the changes are about; how the job is divided is not among them
  double batches = 1;          ///< batches per worker and step, relative to a captured step
  double scaling_share = 1;    ///< the part of `batches` that is due to strong scaling
  /// How many times the captured samples are computed at once. apply_all() applies it (grow_batch()) when all changes
  /// but those of hardware have asked for it, because several of them may cancel out.
  struct SamplesPerPass {
    double samples = 1;
    const Change* change = nullptr;    ///< the last one that asked
    const YamlField* value = nullptr;  ///< of that change
  } at_once;
  /// The value that asks for an algorithm of collectives; null if none does. apply_all() checks that the job, which
  /// `parallel` may divide, has collectives.
  const YamlField* algorithm = nullptr;
  /// Factor on the durations of transfers that stay as recorded, because no network model times them
  /// (keeps_recorded_time()). It is applied before all rules.
  double recorded_transfers = 1;
  /// True if collectives keep their recorded times, adjusted by the change that the network model predicts
  /// (scenarios/answer/recorded_collectives.h).
  bool recorded_collectives = false;

  /// Returns a changed copy of a task graph.
  using Edit = std::function<Capture(const Capture& capture)>;
  /// Adds an edit of the graph. Precondition: `change` and `factor` completely determine what the edit does, because
  /// graph_key() has nothing else of it.
  void add_edit(const Change& change, Edit edit, double factor = 1);
  /// Returns the graph after all edits.
  [[nodiscard]] Capture edited(Capture graph) const;

  /// Changes the durations of tasks, which are indexed by TaskId of `capture`. No duration may become negative.
  using Rule = std::function<void(const Capture& capture, std::vector<Duration>& durations)>;
  using AnyRule = std::variant<Rule, std::shared_ptr<const DeviceRule>>;
  /// What a rule changes. Rules are applied in this order, so that the order of changes does not matter.
  enum class Turn : std::uint8_t {
    kCapture,    ///< what is known of the captured work
    kDivision,   ///< the part of the work that one of several devices does
    kDevice,     ///< the device, whose units decide which precisions are possible
    kPrecision,  ///< the precision
    kBatch,      ///< the number of samples
    kFactors,    ///< factors on durations
    kTimes,      ///< times that are added, saved or set
  };
  struct MadeRule {
    Turn turn;
    std::optional<EditKey> key;  ///< of the change
    AnyRule rule;
  };
  /// Adds a rule after those of the same turn. If `change` is not null, rules of a turn are in the order of their
  /// changes' keys, because what they do does not depend on their order but for rounding.
  void add_rule(Turn turn, AnyRule rule, const Change* change = nullptr);
  std::vector<MadeRule> rules;      ///< in the order in which they are applied
  bool slows_beside_added = false;  ///< true if communication that changes add slows kernels (usual_slowdowns())

  Assumptions assumptions;  ///< assumptions of the changes, in addition to those of the capture

  /// Ranks that may differ from other copies of the same captured rank, and from that rank, because a change singles
  /// them out (with_ranks() in model/rewrite/ranks.h).
  RankSet ungrouped_ranks;
  /// How the job of one captured device is divided among several. The graph is divided before all edits.
  Parallelism parallelism;
  /// True if all ranks of a divided job are assumed to be on one host, because nothing says how many a host has.
  bool on_one_host = false;
  std::uint32_t workers_before = 1;  ///< number of workers of the plan without changes
  bool colocated_servers = false;
  /// True if all workers together keep the captured number of samples per step. More workers then have fewer samples
  /// each.
  bool strong_scaling = false;
  /// True if calibration or the user states how senders share a link (kSharing). The range of the answer then does not
  /// include other values.
  bool sharing_known = false;
  std::string other_device;     ///< name of the device that all work moves to; empty if it stays
  double activation_bytes = 0;  ///< size of an element of activations, if a change sets it; 0 if it is as captured
  bool other_machine = false;   ///< true if the step runs on a machine with another host
  bool host_known = false;      ///< true if the user gives the speed of that machine's host
  bool pauses_known = false;    ///< true if the user says how long the host pauses
  bool other_loader = false;    ///< true if the user gives the time that the host waits for data
  /// True if the number of loader processes changes; the predicted saving is then an upper bound.
  bool other_loader_workers = false;

  /// Returns the size of an element of the activations that devices of a divided job exchange, relative to that of the
  /// captured products. 1 if no change sets it, or if the job is not divided. O(operators).
  [[nodiscard]] double size_of_sent_activations() const;

  /// True if some ranks of the job may be copies of captured ones.
  [[nodiscard]] bool may_have_copies() const;
  [[nodiscard]] GraphKey graph_key() const;

 private:
  struct MadeEdit {
    EditKey key;
    Edit edit;
  };
  std::vector<MadeEdit> edits_;
};

/// Id of the assumption that the links inside hosts are those of a data sheet.
inline constexpr std::string_view kLinksOfDataSheet = "links_of_data_sheet";

/// Returns the number of ranks of the plan's job; each worker of a parameter-server job counts as local_size ranks.
[[nodiscard]] std::uint32_t ranks_of(const Plan& plan);

/// Returns the number of workers known from the capture, including workers that were not captured. Without servers, a
/// worker is `local_size` ranks.
[[nodiscard]] std::uint32_t captured_workers(const Capture& capture);
/// Returns the assumption about workers of which there is no capture; `captured` is the number of captured workers.
[[nodiscard]] Assumption copies_assumption(std::uint32_t captured);

/// Multiplies a rate. Precondition: factor > 0.
[[nodiscard]] Bandwidth scaled(Bandwidth rate, double factor) noexcept;
/// Multiplies a duration. Rounds to the nearest nanosecond; the result is at most 146 years. Precondition: factor >= 0.
[[nodiscard]] Duration scaled(Duration duration, double factor) noexcept;
/// Multiplies a number of bytes. Rounds to the nearest byte; the result is from 1 to 2^62, or 0 for 0 bytes.
/// Precondition: factor > 0.
[[nodiscard]] Bytes scaled(Bytes bytes, double factor) noexcept;

/// Throws CannotAnswer at `field`. Call it if the capture lacks data that the change needs. For a value that is wrong
/// for every capture, call YamlField::fail() or reject() instead.
[[noreturn]] void cannot_answer(const YamlField& field, std::string_view problem);

/// Throws CannotAnswer at `field` if no collective of several ranks has a known size, and says what the capture lacks:
/// the other ranks or the sizes.
void need_sized_collectives(const YamlField& field, const Plan& plan);

/// Refuses a change that needs a network model. Call it if the plan has none. Throws InputError at `field` if the
/// plan's hardware has links, because the user must then have asked for recorded times. Otherwise throws CannotAnswer,
/// because the capture does not show how fast the links are.
[[noreturn]] void refuse_as_recorded(const YamlField& field, const Plan& plan, std::string_view problem);

}  // namespace stepsim::scenarios

#endif
