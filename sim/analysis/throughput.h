#ifndef STEPSIM_SIM_ANALYSIS_THROUGHPUT_H
#define STEPSIM_SIM_ANALYSIS_THROUGHPUT_H

#include <cstdint>
#include <optional>

#include "model/base/units.h"
#include "model/job/recording.h"

namespace stepsim::sim {

/// What a job does in a step. A batch is what a worker took in a captured step, so without a batch size rates are in
/// batches a second.
struct StepWork {
  std::uint32_t workers = 1;                ///< that take samples of their own
  std::uint32_t devices = 1;                ///< of a worker
  double batches = 1;                       ///< of a worker
  std::optional<std::uint32_t> batch_size;  ///< samples of a batch, where job.yaml says
  bool assumed = false;                     ///< nothing says that each rank has a batch of its own

  friend bool operator==(const StepWork&, const StepWork&) = default;
};

/// Of the captured job: the workers that job.yaml names, else those of the capture, which are ranks where local_size
/// or the groups that share a batch do not say otherwise. Of ranks that were not captured those count that take part in
/// a captured collective.
[[nodiscard]] StepWork captured_work(const Capture& capture);

/// Samples a second, or batches a second without a batch size: of the job. 0 if the iteration takes no time.
[[nodiscard]] double rate_in_all(const StepWork& work, Duration iteration) noexcept;
/// Of one device.
[[nodiscard]] double rate_of_device(const StepWork& work, Duration iteration) noexcept;
/// A device's rate over that of the same device in another job: 1 where both do as much. 0 if the other's is 0.
[[nodiscard]] double efficiency(const StepWork& work, Duration iteration, const StepWork& other, Duration of_other);

}  // namespace stepsim::sim

#endif
