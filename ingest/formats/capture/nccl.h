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

/// What NCCL says that it does.
struct NcclOperation {
  std::string_view function;      ///< "AllReduce", "Send"
  std::string_view element_type;  ///< "ncclFloat32"
  std::string_view algorithm;     ///< "RING"; empty for messages
  std::string_view protocol;
};

/// The parts of "AllReduce/ncclFloat32/RING/LL". What is missing is empty.
[[nodiscard]] NcclOperation nccl_operation(std::string_view text) noexcept;

/// The largest number that there is, where the sum is larger. Neither is negative.
[[nodiscard]] std::int64_t sum_or_most(std::int64_t a, std::int64_t b) noexcept;

struct NcclSize {
  std::int64_t elements = 0;
  Bytes bytes{};  ///< 0 if not known
  NcclSize& operator+=(const NcclSize& other) noexcept;
};

/// The size of the larger one of a rank's buffers, from the count that NCCL was called with. That is of one rank's part
/// where `ranks` parts make the other buffer: all-gather, reduce-scatter, all-to-all, gather and scatter, whose size is
/// unknown if `ranks` is 0. Source: NCCL's API reference, "Collective Communication Functions".
[[nodiscard]] NcclSize larger_side(const NcclOperation& operation, std::uint64_t count, std::int32_t ranks) noexcept;

/// A kernel of a communication library, and the call that launched it.
struct LaunchedKernel {
  std::uint32_t event = 0;   ///< of the trace
  std::uint32_t thread = 0;  ///< as records number it
  std::uint64_t called = 0;
};

/// What NCCL's profiler interface told of the kernels of a capture.
struct NcclUses {
  std::vector<HostDeviceTrace::Communicator> communicators;
  std::vector<TransportUse> transports;  ///< in the order of their communicators, then by operation
};

/// Joins what NCCL enqueued to the kernels that do it: NCCL tells of it right after the launch, on the same thread, so
/// it belongs to the last launch before it there, if that has no other. The details of those kernels then have
/// operation, group, sequence number and size. Several collectives in one kernel count as one if all do the same, with
/// their sizes added up; messages to and from all ranks are an all-to-all. What has no kernel is counted in `sink`.
/// Only what was enqueued when `is_wanted` says counts. O(records log records).
[[nodiscard]] NcclUses describe_by_nccl(const CaptureRecords& records, std::vector<LaunchedKernel> launches,
                                        const std::function<bool(std::uint64_t time)>& is_wanted,
                                        HostDeviceBuilder& builder, const std::string& file, PartSink& sink);

}  // namespace stepsim::ingest

#endif
