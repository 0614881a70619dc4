#ifndef STEPSIM_SCENARIOS_ANSWER_SLOWED_KERNELS_H
#define STEPSIM_SCENARIOS_ANSWER_SLOWED_KERNELS_H

#include <cstddef>
#include <vector>

#include "model/cost/device/slowdown.h"
#include "model/job/recording.h"
#include "sim/engine/timeline.h"

namespace stepsim::scenarios {

/// How communication slowed the kernels of a capture.
struct CapturedInterference {
  std::vector<Slowdown> slowdowns;  ///< slowdowns of the classes with enough evidence; one per class
  /// For each TaskId of the capture, the share of a kernel's time that overlapped communication in the replay of the
  /// captured job.
  std::vector<double> beside;
};

/// Returns CapturedInterference::beside for a capture of `tasks` tasks. `timeline` is a replay of `graph`, whose tasks
/// have origins in the capture. O(n log n) for n tasks.
[[nodiscard]] std::vector<double> shares_beside(const Capture& graph, const sim::Timeline& timeline, std::size_t tasks);

/// The kernels of one class in a prediction, summed over ranks and steps.
struct SlowedClass {
  Slowdown slowdown;
  std::size_t kernels = 0;
  Duration before{};  ///< their time with the overlap of the capture
  Duration after{};   ///< their time with the overlap of the prediction
};

/// The kernels of a graph, with durations that depend on the communication they overlap (model/cost/device/slowdown.h).
/// The overlap depends on the replay, and the replay on the durations. Therefore, durations are computed from a replay,
/// and the replay is repeated with them until they settle. A task depends on nothing after it, so every round settles
/// more of the replay from its beginning; therefore the result is unique and does not oscillate. In the worst case it
/// needs as many rounds as there are kernels in a chain.
class SlowedKernels {
 public:
  /// `durations` are the durations of the tasks of `graph` with the overlap of the capture, including changes. `side`
  /// is the position in the range of a slowdown: 0 = its factor, -1 = low, 1 = high. All arguments must outlive this
  /// object.
  SlowedKernels(const CapturedInterference& interference, const Capture& graph, const std::vector<Duration>& durations,
                double side);

  /// Updates the durations from the communication in `timeline`. Returns their summed change relative to the time of
  /// all kernels. A change below 1e-5 counts as 0: the durations are settled and stay unchanged. O(n log n) for n
  /// tasks.
  [[nodiscard]] double follow(const sim::Timeline& timeline);
  /// Durations indexed by TaskId of the graph.
  [[nodiscard]] const std::vector<Duration>& durations() const noexcept { return durations_; }
  /// Returns the classes that the graph has kernels of.
  [[nodiscard]] std::vector<SlowedClass> classes() const;

 private:
  struct Kernel {
    TaskId task;
    std::size_t slowdown = 0;  ///< index into CapturedInterference::slowdowns
    double alone = 0;          ///< duration alone in nanoseconds
  };

  void add(TaskId task, std::size_t slowdown);
  [[nodiscard]] double factor(std::size_t slowdown) const;

  const CapturedInterference& interference_;
  const Capture& graph_;
  const std::vector<Duration>& captured_;
  double side_;
  std::vector<Duration> durations_;
  std::vector<Kernel> kernels_;
};

}  // namespace stepsim::scenarios

#endif
