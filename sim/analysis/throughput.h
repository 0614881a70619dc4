#ifndef STEPSIM_SIM_ANALYSIS_THROUGHPUT_H
#define STEPSIM_SIM_ANALYSIS_THROUGHPUT_H

#include <cstdint>
#include <optional>

#include "model/base/units.h"
#include "model/job/recording.h"

namespace stepsim::sim {

/// How much work a job does in a step. A batch is the samples that a worker processed in a captured step. If their
/// number (the batch size) is unknown, rates are in batches per second instead of samples per second.
struct StepWork {
  std::uint32_t workers = 1;                ///< number of workers that process their own samples
  std::uint32_t devices = 1;                ///< number of devices per worker
  double batches = 1;                       ///< number of batches per worker and step
  std::optional<std::uint32_t> batch_size;  ///< number of samples per batch, if job.yaml gives it
  bool assumed = false;                     ///< true if it is assumed, but not known, that each rank has its own batch

  friend bool operator==(const StepWork&, const StepWork&) = default;
};

/// Returns the work of the captured job. The number of workers is that in job.yaml. Without it, each rank is a worker,
/// or each group of ranks if job.yaml gives local_size or the capture shows that the ranks of a group share a batch.
/// Ranks that were not captured count if they take part in a captured collective.
[[nodiscard]] StepWork captured_work(const Capture& capture);

/// Returns the job's samples per second, or batches per second without a batch size. 0 if the iteration takes no time.
[[nodiscard]] double rate_in_all(const StepWork& work, Duration iteration) noexcept;
/// Returns the samples (or batches) per second of one device.
[[nodiscard]] double rate_of_device(const StepWork& work, Duration iteration) noexcept;
/// Returns a device's rate divided by its rate in another job: 1 if both are equal, 0 if the other's rate is 0.
[[nodiscard]] double efficiency(const StepWork& work, Duration iteration, const StepWork& other, Duration of_other);

}  // namespace stepsim::sim

#endif
