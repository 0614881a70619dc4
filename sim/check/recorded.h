#ifndef STEPSIM_SIM_CHECK_RECORDED_H
#define STEPSIM_SIM_CHECK_RECORDED_H

#include <string_view>

#include "sim/check/checkup.h"

/// Totals over the files of a capture, used by several findings.
namespace stepsim::sim {

/// The profiler that recorded a capture. Advice on how to record better names options of this profiler.
enum class Profiler : std::uint8_t { kPyTorch, kNsight, kOther };
[[nodiscard]] Profiler profiler_of(const CaptureContents& contents);

/// Returns how to share the files without their private content: as a scrubbed copy, or as an answer if a file is not
/// text, because `convert --scrub` rewrites only text. The result continues a sentence.
[[nodiscard]] std::string_view how_to_share(const CaptureContents& contents);

/// Totals over all processes of a capture.
struct Recorded {
  HostDeviceContents sum;  ///< sums of the counts; world_size is the maximum
  std::size_t processes = 0;
  std::size_t hosts = 0;                ///< number of distinct host names
  std::size_t without_base_time = 0;    ///< number of processes without a base time
  std::size_t without_device_name = 0;  ///< number of processes with device work but no device name
  [[nodiscard]] std::uint64_t device_work() const noexcept { return sum.kernels + sum.copies; }
  [[nodiscard]] std::uint64_t host_events() const noexcept {
    return sum.operators + sum.annotations + sum.step_marks + sum.calls;
  }
};
[[nodiscard]] Recorded recorded_of(const CaptureContents& contents);

/// True if the capture is not a job but contains measurements of inline profilers.
[[nodiscard]] bool holds_profile(const Examined& examined);

/// Returns the number of the job's ranks in the capture, as far as known.
[[nodiscard]] std::size_t ranks_in(const Examined& examined);

/// Counts the collectives of a job's graph, or of its files if they form no job, and the collectives of unknown size.
/// In a graph, sizes may also come from operators; barriers have no size.
struct CollectiveSizes {
  std::uint64_t all = 0;
  std::uint64_t unknown = 0;
};
[[nodiscard]] CollectiveSizes collective_sizes(const Examined& examined);

/// Returns the questions that make sense for the captured job; a job of one process without communication has no
/// network.
[[nodiscard]] Questions applicable_to(const Examined& examined);

}  // namespace stepsim::sim

#endif
