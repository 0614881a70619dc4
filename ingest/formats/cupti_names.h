#ifndef STEPSIM_INGEST_FORMATS_CUPTI_NAMES_H
#define STEPSIM_INGEST_FORMATS_CUPTI_NAMES_H

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

/// Returns the plain name of a call: "cudaLaunchKernel" for "cudaLaunchKernel_ptsz_v7000". Removes the version of the
/// API and the suffix for per-thread default streams.
[[nodiscard]] std::string_view call_name(std::string_view name) noexcept;

/// Returns the kind of memory of a number as copy_name() takes it; kUnknown for unknown numbers.
[[nodiscard]] MemoryKind memory_of(std::int64_t kind) noexcept;
/// Returns the kinds of memory in Kineto's name of a copy.
[[nodiscard]] std::pair<MemoryKind, MemoryKind> memory_kinds(std::string_view copy) noexcept;
/// Returns Kineto's name of a copy, "Memcpy HtoD (Pinned -> Device)", from the numbers of CUPTI's enumerations
/// CUpti_ActivityMemcpyKind and CUpti_ActivityMemoryKind (the latter with Nsight Systems' numbers).
[[nodiscard]] std::string copy_name(std::int64_t kind, std::int64_t from, std::int64_t to);
/// Returns Kineto's name of a memset: "Memset (Device)".
[[nodiscard]] std::string memset_name(std::int64_t memory);

/// Returns the kind of a wait from CUpti_ActivitySynchronizationType; kNone for unknown types.
[[nodiscard]] SyncKind sync_kind(std::int64_t type) noexcept;
/// Returns the kind of a wait from Kineto's name of it; kDevice for unknown names.
[[nodiscard]] SyncKind sync_kind(std::string_view name) noexcept;
/// Returns the kind of a wait from the call that waited: kStreamWait for "cudaStreamWaitEvent" and "cuStreamWaitEvent";
/// kNone for calls that do not determine it.
[[nodiscard]] SyncKind sync_kind_of_call(std::string_view call) noexcept;
/// Returns Kineto's name of a kind of wait: "Stream Wait Event".
[[nodiscard]] std::string_view sync_name(SyncKind kind) noexcept;

/// Returns true for CUPTI's overhead records of a full command buffer (CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL),
/// which programs write differently.
[[nodiscard]] bool is_full_queue(std::string_view overhead);

/// Returns the operator in a range of torch.autograd.profiler.emit_nvtx(): "aten::mm" for "aten::mm, seq = 7, op_id =
/// 12, sizes = [[2, 3], [3, 4]]"; nullopt for other ranges.
[[nodiscard]] std::optional<std::string_view> operator_name(std::string_view range) noexcept;
/// Returns the shapes of the inputs in a range of emit_nvtx(): "[[2, 3], [3, 4]]" for "aten::mm, seq = 7, op_id = 12,
/// sizes = [[2, 3], [3, 4]]". The shapes of a list of tensors are listed one after another. Empty if the range contains
/// no shapes.
[[nodiscard]] std::string_view operator_shapes(std::string_view range) noexcept;

/// The operators that emit_nvtx() marked in one trace.
class NvtxOperators {
 public:
  /// Adds an event to `builder` if `range` names an operator; false for other ranges.
  [[nodiscard]] bool add(std::string_view range, TrackId track, RecordedTime time, HostDeviceBuilder& builder);
  /// Returns the operators with their shapes, for HostDeviceTrace::operators.
  [[nodiscard]] std::vector<OperatorTable::Operator> take() && { return std::move(operators_).take(); }

 private:
  KinetoOperators operators_;
};

}  // namespace stepsim::ingest

#endif
