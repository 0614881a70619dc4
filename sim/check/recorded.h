#ifndef STEPSIM_SIM_CHECK_RECORDED_H
#define STEPSIM_SIM_CHECK_RECORDED_H

#include <string_view>

#include "sim/check/checkup.h"

/// Sums over what the files of a capture hold, which several findings go by.
namespace stepsim::sim {

/// Whose words a remedy has to use.
enum class Profiler : std::uint8_t { kPyTorch, kNsight, kOther };
[[nodiscard]] Profiler profiler_of(const CaptureContents& contents);

/// All processes of a capture together.
struct Recorded {
  HostDeviceContents sum;  ///< counts only; world_size is the largest
  std::size_t processes = 0;
  std::size_t hosts = 0;                ///< distinct names
  std::size_t without_base_time = 0;    ///< processes
  std::size_t without_device_name = 0;  ///< processes with device work
  [[nodiscard]] std::uint64_t device_work() const noexcept { return sum.kernels + sum.copies; }
  [[nodiscard]] std::uint64_t host_events() const noexcept {
    return sum.operators + sum.annotations + sum.step_marks + sum.calls;
  }
};
[[nodiscard]] Recorded recorded_of(const CaptureContents& contents);

/// Whether there is no job, but what inline profilers measured.
[[nodiscard]] bool holds_profile(const Examined& examined);

/// Ranks of the job that are in the capture, as far as can be told.
[[nodiscard]] std::size_t ranks_in(const Examined& examined);

/// The collectives of a job's graph, or of its files where they make no job, and those that do not say what they carry.
/// In a graph, sizes may come from operators beside the kernels; barriers carry nothing.
struct CollectiveSizes {
  std::uint64_t all = 0;
  std::uint64_t unknown = 0;
};
[[nodiscard]] CollectiveSizes collective_sizes(const Examined& examined);

/// What there is to ask of such a job: a job of one process without communication has no network.
[[nodiscard]] Questions applicable_to(const Examined& examined);

}  // namespace stepsim::sim

#endif
