#ifndef STEPSIM_INGEST_FORMATS_NSYS_NAMES_H
#define STEPSIM_INGEST_FORMATS_NSYS_NAMES_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/formats/kineto/arguments.h"
#include "ingest/parts/host_device_builder.h"
#include "ingest/parts/part.h"

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
/// The same from the call that waited: "Stream Wait Event" of "cudaStreamWaitEvent" and "cuStreamWaitEvent"; empty for
/// calls that do not tell.
[[nodiscard]] std::string_view sync_name_of_call(std::string_view call) noexcept;

/// The operator of a range that torch.autograd.profiler.emit_nvtx() wrote: "aten::mm" of
/// "aten::mm, seq = 7, op_id = 12, sizes = [[2, 3], [3, 4]]"; nothing for other ranges.
[[nodiscard]] std::optional<std::string_view> operator_name(std::string_view range) noexcept;
/// The shapes of its inputs, where they were recorded: "[[2, 3], [3, 4]]" of the same range; those of a list of tensors
/// follow each other. Empty if there are none.
[[nodiscard]] std::string_view operator_shapes(std::string_view range) noexcept;

/// The operators that emit_nvtx() marked in one trace.
class NvtxOperators {
 public:
  /// Adds an event to `builder` if `range` is the name of an operator's range; false for other ranges.
  [[nodiscard]] bool add(std::string_view range, TrackId track, RecordedTime time, HostDeviceBuilder& builder);
  /// Gives their shapes to the trace that was built.
  void move_to(HostDeviceTrace& trace) &&;

 private:
  KinetoOperators operators_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> operator_of_;  ///< (event, operator), by event
};

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
