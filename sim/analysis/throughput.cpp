#include "sim/analysis/throughput.h"

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "model/job/group.h"
#include "model/job/parameter_server/workload.h"

namespace stepsim::sim {
namespace {

/// Returns the number of captured ranks, or the size of the largest group if that is larger.
std::size_t ranks_of(const Capture& capture) {
  return std::max(capture.recording.ranks.size(), largest_group(capture.dag));
}

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

double samples_of_worker(const StepWork& work) { return work.batches * work.batch_size.value_or(1); }

double over(double amount, Duration iteration) { return iteration > Duration{} ? amount / seconds(iteration) : 0; }

}  // namespace

StepWork captured_work(const Capture& capture) {
  StepWork work;
  const auto sharing = static_cast<std::uint32_t>(capture.ranks_of_batch.value_or(1));
  work.devices = capture.job.local_size.value_or(sharing);
  work.batch_size = capture.job.batch_size;
  if (capture.parameter_server != nullptr) {
    work.workers = capture.job.workers.value_or(capture.parameter_server->workers());
  } else {
    const auto found = static_cast<std::uint32_t>(ranks_of(capture)) / work.devices;
    work.workers = capture.job.workers.value_or(std::max(1U, found));
    const bool known = capture.job.workers || capture.job.local_size || capture.job.framework ||
                       capture.ranks_of_batch || !capture.gradients.empty();
    work.assumed = work.workers > 1 && !known;
  }
  return work;
}

double rate_in_all(const StepWork& work, Duration iteration) noexcept {
  return over(samples_of_worker(work) * work.workers, iteration);
}

double rate_of_device(const StepWork& work, Duration iteration) noexcept {
  return over(samples_of_worker(work) / work.devices, iteration);
}

double efficiency(const StepWork& work, Duration iteration, const StepWork& other, Duration of_other) {
  const double before = rate_of_device(other, of_other);
  return before > 0 ? rate_of_device(work, iteration) / before : 0;
}

}  // namespace stepsim::sim
