#ifndef STEPSIM_SCENARIOS_ANSWER_SLOWED_KERNELS_H
#define STEPSIM_SCENARIOS_ANSWER_SLOWED_KERNELS_H

#include <cstddef>
#include <vector>

#include "model/cost/device/slowdown.h"
#include "model/job/recording.h"
#include "sim/engine/timeline.h"

namespace stepsim::scenarios {

/// How communication slows the kernels of a captured job.
struct CapturedInterference {
  std::vector<Slowdown> slowdowns;  ///< at most one per class
  /// For each TaskId of the capture, the share of a kernel's time that overlapped communication in the replay of the
  /// captured job. Empty if it has no communication; the slowdowns are then those of communication that changes add.
  std::vector<double> beside;
};

/// Returns, for each TaskId of a capture with `tasks` tasks, the share of the task's time that overlaps communication
/// in `timeline`. `timeline` is a replay of `graph`, whose tasks have origins in the capture. O(n log n) for n tasks.
[[nodiscard]] std::vector<double> shares_beside(const Capture& graph, const sim::Timeline& timeline, std::size_t tasks);

/// The kernels of one class that communication slows in a prediction, summed over ranks and steps.
struct SlowedClass {
  Slowdown slowdown;
  std::size_t kernels = 0;
  Duration before{};  ///< their time with the overlap of the capture
  Duration after{};   ///< their time with the overlap of the prediction
};

/// The kernels of a graph, with durations that depend on the communication they overlap (model/cost/device/slowdown.h).
/// The overlap depends on the replay, and the replay on the durations. The caller therefore replays the graph, updates
/// the durations with follow(), and repeats both until the durations no longer change. The result is unique and does
/// not oscillate: a task depends only on earlier tasks, so each replay makes a longer part of the timeline final, from
/// its beginning. In the worst case this needs as many replays as there are kernels in a chain.
class SlowedKernels {
 public:
  /// `durations` are indexed by TaskId of `graph`. They include the changes of the plan, but assume that kernels
  /// overlap communication as in the capture. `side` selects a value from the range of each slowdown: 0 = its factor,
  /// -1 = its lower end, 1 = its upper end. All arguments must outlive this object.
  SlowedKernels(const CapturedInterference& interference, const Capture& graph, const std::vector<Duration>& durations,
                double side);

  /// How far durations are from those that a timeline's communication gives the kernels.
  struct Difference {
    double changed = 0;  ///< sum of the changes, in nanoseconds
    double all = 0;      ///< time of all kernels, in nanoseconds
    /// Returns the sum of the changes, divided by the time of all kernels; 0 if this is below 1e-5, so that the
    /// durations are final.
    [[nodiscard]] double share() const noexcept;
  };
  /// Finds the durations of kernels for the communication in `timeline`. take() makes them those of this object. O(n
  /// log n) for n tasks.
  [[nodiscard]] Difference compare(const sim::Timeline& timeline);
  void take() { durations_ = next_; }
  /// Calls compare(), and take() unless the share of the difference is 0. Returns that share.
  [[nodiscard]] double follow(const sim::Timeline& timeline);
  /// Durations indexed by TaskId of the graph.
  [[nodiscard]] const std::vector<Duration>& durations() const noexcept { return durations_; }
  /// Returns one entry for each kernel class that has a slowdown and at least one kernel in the graph.
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
  std::vector<Duration> next_;  ///< the result of the last compare()
  std::vector<Kernel> kernels_;
};

}  // namespace stepsim::scenarios

#endif
