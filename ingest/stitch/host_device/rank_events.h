#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_RANK_EVENTS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_RANK_EVENTS_H

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/parts/part.h"

namespace stepsim::ingest {

inline constexpr std::uint32_t kNoIndex = 0xFFFFFFFFU;

/// One piece of work on a device. Times may be clipped where the recording overlaps two
/// pieces of one stream by less than the clock's grain.
struct DeviceOp {
  std::uint32_t event = 0;
  std::uint32_t call = kNoIndex;    ///< event of the call that launched it
  std::uint32_t thread = kNoIndex;  ///< index into RankEvents::threads of that call
  std::uint32_t stream = 0;         ///< index into RankEvents::streams
  Time begin;
  Time end;
  Time launched;  ///< when the call had handed it to the device; `begin` if there is no call
};

/// The events of one rank's trace, arranged for stitching: host events by thread, device
/// work by stream, calls by correlation. Holds indices into `trace`, which must outlive it.
struct RankEvents {
  struct Thread {
    TrackId track;
    std::vector<std::uint32_t> events;  ///< by (start, longest first)
    bool launches = false;              ///< launched device work
  };
  struct Stream {
    TrackId track;
    std::int32_t device = -1;
    std::int64_t number = -1;
    std::vector<std::uint32_t> ops;  ///< indices into `ops`, by begin
  };
  struct StepWindow {
    std::int64_t number = 0;
    Time begin;
    Time end;
  };

  const HostDeviceTrace* trace = nullptr;
  std::vector<Thread> threads;
  std::vector<Stream> streams;
  std::vector<DeviceOp> ops;         ///< by (begin, end, event)
  std::vector<std::uint32_t> syncs;  ///< kSync events, by start
  std::vector<StepWindow> steps;     ///< ProfilerStep#N on the main thread, by begin
  std::size_t main_thread = 0;       ///< the one with the step marks, else the first to begin; 0 if there is none
  std::vector<std::pair<std::int64_t, std::uint32_t>> calls;  ///< (correlation, runtime call event), sorted
  std::vector<bool> computes;     ///< by event: an operator that computes (host_compute.h); empty if devices do
  std::uint64_t out_of_time = 0;  ///< events left out: their times cannot be compared with others
  std::uint64_t instants = 0;     ///< host events that last no time: no task of their own

  [[nodiscard]] Time begin_of(std::uint32_t event) const noexcept { return trace->start[event]; }
  [[nodiscard]] Time end_of(std::uint32_t event) const noexcept { return trace->start[event] + trace->duration[event]; }
  [[nodiscard]] std::string_view name_of(std::uint32_t event) const noexcept { return trace->text(trace->name[event]); }
  /// The runtime call with this correlation; kNoIndex if there is none.
  [[nodiscard]] std::uint32_t call_of(std::int64_t correlation) const noexcept;
  /// Index into `steps` of the window `at` lies in; -1 if none.
  [[nodiscard]] std::int32_t step_at(Time at) const noexcept;
};

/// Arranges `trace`. O(events log events).
[[nodiscard]] RankEvents arrange(const HostDeviceTrace& trace);

/// True for a communication call that a library makes on a host thread and that is one piece
/// of work: "gloo:all_reduce". NCCL's host annotations are not: their work is on the device.
[[nodiscard]] bool is_host_collective(std::string_view name) noexcept;

/// "all_reduce" of "ncclDevKernel_AllReduce_Sum_f32_RING_LL" or "gloo:all_reduce"; nothing if
/// the name is no collective's.
[[nodiscard]] std::optional<std::string_view> collective_in(std::string_view name) noexcept;

/// The number of "ProfilerStep#12"; nothing for other names.
[[nodiscard]] std::optional<std::int64_t> step_number(std::string_view name) noexcept;

}  // namespace stepsim::ingest

#endif
