#ifndef STEPSIM_SCENARIOS_ANSWER_SLOWED_KERNELS_H
#define STEPSIM_SCENARIOS_ANSWER_SLOWED_KERNELS_H

#include <cstddef>
#include <vector>

#include "model/cost/device/slowdown.h"
#include "model/job/recording.h"
#include "sim/engine/timeline.h"

namespace stepsim::scenarios {

/// How communication beside them slowed the kernels of a capture.
struct CapturedInterference {
  std::vector<Slowdown> slowdowns;  ///< of the classes that are evident, each once
  /// The share of its time that a kernel ran beside communication when the job was replayed as captured; by TaskId of
  /// the capture.
  std::vector<double> beside;
};

/// The shares of CapturedInterference, for a capture of `tasks` tasks. `timeline` replays `graph`, whose tasks have
/// origins in the capture. O(tasks log).
[[nodiscard]] std::vector<double> shares_beside(const Capture& graph, const sim::Timeline& timeline, std::size_t tasks);

/// The kernels of one class in a prediction, summed over ranks and steps.
struct SlowedClass {
  Slowdown slowdown;
  std::size_t kernels = 0;
  Duration before{};  ///< what they would take with the overlap of the capture
  Duration after{};   ///< and with that of the prediction
};

/// The kernels of a graph that take as long as the communication beside them makes them (model/cost/device/slowdown.h).
/// How long depends on the replay, and the replay on how long: durations are taken from a replay, and that is repeated
/// with them until they settle. As a task depends on nothing that comes after it, every round settles more of the
/// replay from its beginning on; so there is one answer, and no oscillation. But many rounds may be needed, as many as
/// there are kernels in a chain.
class SlowedKernels {
 public:
  /// `durations` are what the tasks of `graph` take with the overlap of the capture, changes included. `side` is the
  /// place in the range of a slowdown: 0 = its factor, -1 = low, 1 = high. All must outlive the object.
  SlowedKernels(const CapturedInterference& interference, const Capture& graph, const std::vector<Duration>& durations,
                double side);

  /// Takes the durations from where communication lies in `timeline`, and returns by how much they changed, summed and
  /// relative to all kernels' time. Less than 1e-5 is 0: they are settled, and stay as they were. O(tasks log).
  [[nodiscard]] double follow(const sim::Timeline& timeline);
  /// By TaskId of the graph.
  [[nodiscard]] const std::vector<Duration>& durations() const noexcept { return durations_; }
  /// Of the classes that the graph has kernels of.
  [[nodiscard]] std::vector<SlowedClass> classes() const;

 private:
  struct Kernel {
    TaskId task;
    std::size_t slowdown = 0;  ///< index into CapturedInterference::slowdowns
    double alone = 0;          ///< nanoseconds
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
