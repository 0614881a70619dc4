// Do predictions of kernel times improve if they account for the communication that runs at the same time?
//
//   interference_held_out CAPTURE... > docs/results/kernels-during-communication-held-out.csv
//
// The program leaves out one step of a capture at a time, and finds how much communication slows kernels in the
// remaining steps (model/calibration/interference.h). It predicts each kernel of the left-out step twice: from its
// times in the other steps, and from these times adjusted to the communication that ran at the same time. A kernel
// counts only if the share of its time during communication differs by at least 0.1 from its median share in the other
// steps. An error is the sum of the absolute errors over the sum of the measured times.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "ingest/load/load.h"
#include "model/base/median.h"
#include "model/calibration/interference.h"

namespace stepsim {
namespace {

constexpr double kMoved = 0.1;

/// Sums over kernels, in nanoseconds.
struct Sums {
  std::size_t kernels = 0;
  double measured = 0;
  double as_captured = 0;  ///< sum of absolute errors
  double following = 0;
};

class HeldOut {
 public:
  explicit HeldOut(Capture capture)
      : capture_(std::move(capture)),
        communication_(device_communication(capture_.dag, capture_.recording.start, capture_.recording.finish)),
        kernels_(same_kernels(capture_)) {}

  Sums run() {
    Sums sums;
    for (std::size_t step = 0; step < capture_.recording.steps.size(); ++step) {
      for (const Slowdown& slowdown : slowdowns_without(static_cast<std::int32_t>(step)))
        predict(static_cast<std::int32_t>(step), slowdown, sums);
    }
    return sums;
  }

 private:
  [[nodiscard]] std::vector<Slowdown> slowdowns_without(std::int32_t left_out) const {
    Capture rest = capture_;
    for (std::int32_t& step : rest.recording.step) step = step == left_out ? -1 : step;
    return evident_slowdowns(rest);
  }

  [[nodiscard]] double length(TaskId task) const {
    return static_cast<double>((capture_.recording.finish[task.index()] - start(task)).count());
  }
  [[nodiscard]] Time start(TaskId task) const { return capture_.recording.start[task.index()]; }
  [[nodiscard]] double beside(TaskId task, const BusyTimes& busy) const {
    return static_cast<double>(busy.within({start(task), capture_.recording.finish[task.index()]}).count());
  }

  void predict(std::int32_t left_out, const Slowdown& slowdown, Sums& sums) const {
    for (const std::vector<TaskId>& kernel : kernels_) {
      const auto busy = communication_.find(capture_.dag.lane(kernel.front()).rank);
      if (busy == communication_.end()) continue;
      if (classify_kernel(TaskKind::kKernel, capture_.dag.name(kernel.front())) != slowdown.kernel_class) continue;
      predict(kernel, left_out, slowdown.factor, busy->second, sums);
    }
  }

  void predict(const std::vector<TaskId>& kernel, std::int32_t left_out, double factor, const BusyTimes& busy,
               Sums& sums) const {
    TaskId asked;
    std::vector<double> lengths;
    std::vector<double> alone;
    std::vector<double> shares;
    for (const TaskId task : kernel) {
      if (capture_.recording.step[task.index()] == left_out) {
        asked = task;
      } else if (length(task) > 0) {
        lengths.push_back(length(task));
        alone.push_back(alone_in(length(task), beside(task, busy), factor));
        shares.push_back(beside(task, busy) / length(task));
      }
    }
    if (!asked.valid() || lengths.empty() || length(asked) <= 0) return;
    if (median(lengths) < static_cast<double>(kShortestCompared.count())) return;
    if (std::abs(beside(asked, busy) / length(asked) - median(shares)) < kMoved) return;
    const auto following = static_cast<double>(busy.duration_of(start(asked), median(alone), factor).count());
    ++sums.kernels;
    sums.measured += length(asked);
    sums.as_captured += std::abs(median(lengths) - length(asked));
    sums.following += std::abs(following - length(asked));
  }

  Capture capture_;
  std::map<Rank, BusyTimes> communication_;
  std::vector<std::vector<TaskId>> kernels_;
};

int run(const std::vector<std::string>& paths) {
  fmt::print("capture,kernels,measured,error as captured (--no-interference),error with communication\n");
  for (const std::string& path : paths) {
    const Sums sums = HeldOut(ingest::load({path}, {})).run();
    const std::string name = path.substr(path.find_last_of('/') + 1);
    fmt::print("{},{},{:.3f} ms,{:.1f} %,{:.1f} %\n", name.substr(0, name.find('.')), sums.kernels,
               sums.measured * 1e-6, 100 * sums.as_captured / std::max(1.0, sums.measured),
               100 * sums.following / std::max(1.0, sums.measured));
  }
  return 0;
}

}  // namespace
}  // namespace stepsim

int main(int count, char** arguments) {
  try {
    return stepsim::run({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
