#ifndef STEPSIM_INGEST_FORMATS_CAPTURE_NCCL_H
#define STEPSIM_INGEST_FORMATS_CAPTURE_NCCL_H

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/formats/capture/records.h"
#include "ingest/parts/host_device_builder.h"
#include "ingest/parts/part.h"
#include "model/base/units.h"

namespace stepsim::ingest {

/// An operation as NCCL's profiler interface describes it.
struct NcclOperation {
  std::string_view function;      ///< "AllReduce", "Send"
  std::string_view element_type;  ///< "ncclFloat32"
  std::string_view algorithm;     ///< "RING"; empty for messages
  std::string_view protocol;
};

/// Splits "AllReduce/ncclFloat32/RING/LL" into its parts. Missing parts are empty.
[[nodiscard]] NcclOperation nccl_operation(std::string_view text) noexcept;

/// Returns a + b, or the largest std::int64_t if the sum overflows. Precondition: neither is negative.
[[nodiscard]] std::int64_t saturating_sum(std::int64_t a, std::int64_t b) noexcept;

struct NcclSize {
  std::int64_t elements = 0;
  Bytes bytes{};  ///< 0 = unknown
  NcclSize& operator+=(const NcclSize& other) noexcept;
};

/// Returns the size of the larger of a rank's send and receive buffers, given the count that NCCL was called with. If
/// it counts one rank's part (nccl_counts_one_part()), the larger buffer holds `ranks` parts, and the size is unknown
/// if `ranks` is 0.
[[nodiscard]] NcclSize larger_side(const NcclOperation& operation, std::uint64_t count, std::int32_t ranks);

/// A kernel of a communication library, and the call that launched it.
struct LaunchedKernel {
  std::uint32_t event = 0;   ///< event index in the trace
  std::uint32_t thread = 0;  ///< thread number in the records
  std::uint64_t called = 0;
};

/// Data from NCCL's profiler interface about a capture.
struct NcclUses {
  std::vector<TransportUse> transports;  ///< in the order of their communicators, then by operation
};

/// Joins the operations that NCCL enqueued to the kernels that perform them. From version 5 of its interface on, NCCL
/// reports its launches and the calls that each launch and operation belong to: an operation's kernel is the one that
/// was called during the launch, on its thread. Operations of a CUDA graph's replay have none. Older versions report
/// operations only, right after the launch and on the same thread, unless CUDA calls NCCL back on a thread of its own
/// (after a capture of a CUDA graph): there the operation belongs to the last launch before it on its thread. If an
/// earlier operation was already joined to that launch, the operation has no kernel. The function stores operation,
/// group, sequence number and size in the details of the kernels. Several equal collectives in one kernel count as one,
/// with their sizes added up; messages to and from all ranks count as an all-to-all. Operations without a kernel are
/// counted in `sink`. Only operations enqueued at a time that `is_wanted` accepts are used. O(records log records).
[[nodiscard]] NcclUses describe_by_nccl(const CaptureRecords& records, std::vector<LaunchedKernel> launches,
                                        const std::function<bool(std::uint64_t time)>& is_wanted,
                                        HostDeviceBuilder& builder, const std::string& file, PartSink& sink);

}  // namespace stepsim::ingest

#endif
