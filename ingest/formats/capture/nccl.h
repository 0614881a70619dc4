#ifndef STEPSIM_INGEST_FORMATS_CAPTURE_NCCL_H
#define STEPSIM_INGEST_FORMATS_CAPTURE_NCCL_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ingest/formats/capture/records.h"
#include "ingest/parts/host_device_builder.h"
#include "ingest/parts/part_sink.h"

namespace stepsim::ingest {

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
