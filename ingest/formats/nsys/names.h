#ifndef STEPSIM_INGEST_FORMATS_NSYS_NAMES_H
#define STEPSIM_INGEST_FORMATS_NSYS_NAMES_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stepsim::ingest {

/// "cudaLaunchKernel" of "cudaLaunchKernel_ptsz_v7000": without the version of the interface, and without the mark of
/// streams that each thread has for itself.
[[nodiscard]] std::string_view call_name(std::string_view name) noexcept;

/// A copy as Kineto names it, "Memcpy HtoD (Pinned -> Device)", from the numbers of CUPTI's enumerations
/// CUpti_ActivityMemcpyKind and CUpti_ActivityMemoryKind (as Nsight Systems numbers the latter).
[[nodiscard]] std::string copy_name(std::int64_t kind, std::int64_t from, std::int64_t to);
/// "Memset (Device)".
[[nodiscard]] std::string memset_name(std::int64_t memory);

/// What a wait is called by Kineto, from CUpti_ActivitySynchronizationType: "Stream Wait Event"; empty for unknown
/// ones.
[[nodiscard]] std::string_view sync_name(std::int64_t type) noexcept;

/// The operator of a range that torch.autograd.profiler.emit_nvtx() wrote: "aten::mm" of
/// "aten::mm, seq = 7, op_id = 12, sizes = [[2, 3], [3, 4]]"; nothing for other ranges.
[[nodiscard]] std::optional<std::string_view> operator_name(std::string_view range) noexcept;

/// A range that marks a step of training: what all of them are called, and its number.
struct StepName {
  std::string family;                  ///< "iteration " of "Iteration 12"; lower case
  std::optional<std::int64_t> number;  ///< nothing: all are called alike
};
/// A step by its name: a number after the word step, iteration, iter or batch ("train_step: 7", "Iteration 12",
/// "iter=3", "ProfilerStep#4") with no letter behind it, or such a word, with "train" or "training" before it or not,
/// and nothing else ("train_step"). Nothing for other names.
[[nodiscard]] std::optional<StepName> step_name(std::string_view range);

}  // namespace stepsim::ingest

#endif
