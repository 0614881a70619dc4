#ifndef STEPSIM_SCENARIOS_SEARCH_STEP_BOUND_H
#define STEPSIM_SCENARIOS_SEARCH_STEP_BOUND_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "model/job/recording.h"
#include "model/rewrite/parallel/model_calls.h"
#include "scenarios/answer/predict.h"

namespace stepsim::scenarios {

/// Computes times that the predicted step of a divided job cannot be shorter than, without building the graph of its
/// stages and microbatches and without a replay.
///
/// A device computes what its stream has one after another, so a step takes at least the work of any stage. With m
/// microbatches, F(s) and B(s) for the forward and backward pass of stage s in one of them:
///
///     f(0) + ... + f(s-1)  +  m (F(s) + B(s))  +  b(s-1) + ... + b(0)
///
/// Its first microbatch comes through the stages before it, and the gradients of its last one go back through them. f
/// and b are those of the first part of each stage if stages have several (Parallelism::interleave). Both ways also
/// take the messages between the stages, as long as they take alone; messages from one stage to the next follow each
/// other. Sums of activations that the next kernel waits for count as work. Replicas reduce gradients after the last
/// backward pass of their part has begun:
///
///     f(0) + ... + f(s-1)  +  m (F(s) + B(s)) - b(s)  +  G(s) R
///
/// G(s) are the bytes of the gradients, and R is the time per byte of a very large all-reduce that has the network to
/// itself, which no bucket is faster than.
///
/// A bound is 0 where these rules do not apply: more than one captured step that is not cut into microbatches, kernels
/// that take longer beside communication, graphs in which the order on the stream is not known.
class StepBounds {
 public:
  /// Prepares bounds for plans whose kernels take as long as those of `plan`: they differ from it only in replicas,
  /// stages, parts of stages, schedule, buckets and links. `predictor` must outlive this object. O(tasks log tasks).
  StepBounds(Predictor& predictor, const Plan& plan);
  StepBounds(const StepBounds&) = delete;
  StepBounds& operator=(const StepBounds&) = delete;
  ~StepBounds();

  /// Returns the bound for a plan. O(work on the stream), plus stage_cuts() for a new number of parts.
  [[nodiscard]] Duration of(const Plan& plan);

 private:
  /// Device work on the busiest stream.
  struct Work {
    Time launched;
    Duration time{};
    Duration wait{};  ///< of a collective between the work before it and this one
  };
  /// The number of parts of the pipeline, and their layers (DividedStep::cut()).
  using Cut = std::pair<std::uint32_t, std::vector<std::uint32_t>>;
  /// Times of the pieces of a step that is cut into `parts`: forward passes, then backward passes in reverse.
  struct Pieces {
    std::vector<Duration> time;
    std::vector<Bytes> gradients;
    std::vector<Bytes> activations;  ///< of all samples, from each part but the last to the next one
  };

  void read_stream(const Plan& plan, const std::vector<Duration>& durations);
  [[nodiscard]] const Pieces& pieces(const Cut& wanted);
  [[nodiscard]] Pieces cut(const Cut& cut) const;
  [[nodiscard]] double time_per_byte(const Plan& plan, std::uint32_t stage);
  /// A message between two stages.
  struct Message {
    Duration alone{};  ///< its time on an idle network
    Duration more{};   ///< what another one after it takes at least
  };
  /// Returns the message with the activations of a microbatch from a stage to the next one.
  [[nodiscard]] Message message(const Plan& plan, std::uint32_t stage, Bytes activations);

  Predictor& predictor_;
  GraphKey graph_key_;
  std::shared_ptr<const Capture> graph_;
  std::vector<ModelCall> calls_;
  std::map<TaskId, TaskId> call_of_;
  std::vector<Work> stream_;  ///< in order; empty if there is no bound
  std::vector<Gradient> gradients_;
  bool is_one_step_ = false;
  std::map<Cut, Pieces> pieces_;
  /// By the number of replicas, their distance, and the first rank of the stage.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, double> time_per_byte_;
  std::map<std::tuple<Rank, Rank, Bytes>, Message> messages_;  ///< by sender, receiver, size
};

}  // namespace stepsim::scenarios

#endif
