#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_DEVICE_WAIT_PASSES_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_DEVICE_WAIT_PASSES_H

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "ingest/stitch/host_device/device_waits.h"
#include "ingest/stitch/host_device/host_threads.h"
#include "ingest/stitch/host_device/rank_events.h"
#include "model/base/sort_runs.h"

/// The passes of find_device_waits(), in the order in which they run.
namespace stepsim::ingest {

/// Device work sorted by the begin of its launching call. Call sort() after the last add() and before any query.
/// Queries are O(log n) and return an op, or kNoIndex if there is none.
class LaunchOrder {
 public:
  using Launch = std::pair<Time, std::uint32_t>;  // begin of the call, op

  void add(Time call, std::uint32_t op) { launches_.emplace_back(call, op); }
  void sort() { sort_runs(launches_); }

  /// Returns the last op launched before `at`.
  [[nodiscard]] std::uint32_t last_before(Time at) const {
    const auto next = std::lower_bound(launches_.begin(), launches_.end(), Launch{at, 0});
    return next == launches_.begin() ? kNoIndex : std::prev(next)->second;
  }
  /// Returns the last op launched at `at` or before.
  [[nodiscard]] std::uint32_t last_until(Time at) const {
    const auto next = std::upper_bound(launches_.begin(), launches_.end(), Launch{at, kNoIndex});
    return next == launches_.begin() ? kNoIndex : std::prev(next)->second;
  }
  /// Returns the first op launched at `at` or later.
  [[nodiscard]] std::uint32_t first_from(Time at) const {
    const auto next = std::lower_bound(launches_.begin(), launches_.end(), Launch{at, 0});
    return next == launches_.end() ? kNoIndex : next->second;
  }
  /// Returns the first op launched later than `at`.
  [[nodiscard]] std::uint32_t first_after(Time at) const {
    const auto next = std::upper_bound(launches_.begin(), launches_.end(), Launch{at, kNoIndex});
    return next == launches_.end() ? kNoIndex : next->second;
  }
  [[nodiscard]] const std::vector<Launch>& launches() const noexcept { return launches_; }

 private:
  std::vector<Launch> launches_;
};

/// Two pieces of work on one stream that overlap by up to kOverlapGrain, or by 1 / kOverlapShare of the earlier one,
/// ran one after the other, because the clock is not more precise. With a larger overlap they ran in parallel.
inline constexpr Duration kOverlapGrain{2'000};
inline constexpr std::int64_t kOverlapShare = 10;

/// Orders the work of each stream. If two pieces overlap within kOverlapGrain, the end of the earlier one is clipped in
/// events.ops. Work that overlaps more is put on different rows of the stream, at most 16. O(ops log ops).
[[nodiscard]] StreamOrder order_streams(RankEvents& events);

/// Returns true if the call that started a copy waited for it: the copy ended during the call, or, for a pageable
/// buffer, at most 100 us later, because the call returns when the last part has been staged. Precondition: `op` has a
/// call.
[[nodiscard]] bool is_awaited_copy(const RankEvents& events, const DeviceOp& op);

/// Sets DeviceOp::launched of all ops with a call: the time when the call returned or the op began, whichever came
/// first. There is one exception: if the call waits for its copy, and earlier work was still running on the stream when
/// the call began, the copy was submitted at the begin of the call. Without such work, the call was busy staging a
/// pageable buffer until the copy began.
void find_launch_times(RankEvents& events, const StreamOrder& order);

/// Returns the median delays, but at most 20 us for a launch and 5 us between two ops of a stream. The limits apply to
/// recordings in which most launches wait for something, so that their median is not a usual delay. Precondition:
/// find_launch_times() has run.
[[nodiscard]] DeviceDelays usual_delays(const RankEvents& events, const StreamOrder& order);

/// Device work sorted by its end: (end, op).
using OpsByEnd = std::vector<std::pair<Time, std::uint32_t>>;
/// To find the op that caused a wait, passes examine at most this many ops, in the order of their ends.
inline constexpr int kMostCandidates = 64;
[[nodiscard]] OpsByEnd ops_by_end(const RankEvents& events);

/// The waits that a trace's cuda_sync events give: which device work each blocking call waited for, and which streams
/// waited for each other. Kineto writes these events with enable_cuda_sync_events=True:
///
/// * "Event Sync", "Stream Sync", "Context Sync": the call with the same correlation waited for the work of the named
///   event, stream or device.
/// * "Stream Wait Event": work launched later on `stream` waited for the work that was the last one launched on
///   `wait_on_stream` before the cudaEventRecord with the given correlation.
///
/// An event whose stream, call or record is -1 or not in the trace cannot be used and is counted. Source:
/// CudaSyncActivity in libkineto's CuptiActivity.cpp. O(events log events).
struct SyncEvents {
  /// By runtime call: the ops that it waited for, at most one per stream. The list is empty if the call had no op to
  /// wait for.
  std::map<std::uint32_t, std::vector<std::uint32_t>> awaited;
  std::vector<StreamWait> stream_waits;  ///< in the order of their sync events
  std::uint64_t unresolved = 0;          ///< sync events that cannot be used

  /// Returns null if no sync event belongs to the runtime call `event`.
  [[nodiscard]] const std::vector<std::uint32_t>* awaited_by(std::uint32_t event) const noexcept {
    const auto at = awaited.find(event);
    return at == awaited.end() ? nullptr : &at->second;
  }
};
[[nodiscard]] SyncEvents read_sync_events(const RankEvents& events);

/// Finds which runtime calls waited for which device work. Enters the waits, and the times at which the threads
/// continued, into `threads`.
///
/// If a call has a cuda_sync event, the event names the work. Otherwise a call is assumed to have waited if calls of
/// its kind can wait (wait_of_call), and work that it could wait for ended while it ran; docs/internals/stitching.md
/// has the conditions for each kind. Precondition: find_launch_times() has run. O(events log events).
[[nodiscard]] BlockingCalls find_blocking_calls(const RankEvents& events, const OpsByEnd& by_end,
                                                const SyncEvents& syncs, std::vector<HostThread>& threads);

/// Finds where a host thread polls for device work without a call that shows it. For example, DeepEP's dispatch reads a
/// counter in the host's memory until the kernel notify_dispatch has written it. Enters the waits and the times at
/// which the threads continued into `threads`, and returns the waits.
///
/// The evidence is repetition. A thread is silent, or inside one operator, for more than 100 us. It continues within
/// 100 us of the end of the last work that it launched, or within a tenth of the silence if that is less. This must
/// occur at least three times for work of the same name, and in at least three quarters of the silences after such
/// work. A kernel may let the host continue shortly before it ends; the wait is then assumed to last until the end.
///
/// Call it after explain_silences(), because a silence explained by other threads is not polling. Precondition:
/// find_launch_times() has run. O(events log events).
[[nodiscard]] std::vector<HostWait> find_polls(const RankEvents& events, std::vector<HostThread>& threads);

/// Finds which device work waits for work on other streams because PyTorch's NCCL process group makes it wait. This is
/// needed if no cuda_sync event names the streams. The host's calls are the evidence:
///
/// * A collective's stream waits for the stream that was current when the collective was launched. The evidence is a
///   *StreamWaitEvent call between the thread's previous launch of other work and the collective's launch.
/// * Work::wait() makes the current stream wait for a collective. The evidence is a *StreamWaitEvent call that is not
///   within "c10d::" or "nccl:". It must be directly within record_param_comms, or within no event at all (as in DDP at
///   the end of a backward pass).
///
/// The k-th wait of a thread in a step is for the k-th collective that the thread launched in that step, if there are
/// as many waits as collectives and each wait comes after its launch. If an execution trace numbers collectives and
/// waits, these numbers are used instead.
///
/// These waits may have taken no time in the recording, so recorded times alone do not show them; with a slower network
/// or device they do take time. Waits that contradict the recorded times are left out. Sources:
/// torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp (syncStream, WorkNCCL::synchronize) and reducer.cpp
/// (finalize_backward) of PyTorch 2.3. O(events log events).
[[nodiscard]] std::vector<StreamWait> framework_waits(const RankEvents& events);

/// Finds which device work waits for work on other streams because it uses memory that the other work wrote. Finds
/// nothing unless an execution trace was joined to the trace (storage_uses).
///
/// A kernel uses the memory of the innermost operator with tensors around its launch. A collective uses the memory of
/// all calls of its process group around its launch. Of several writers on one stream only the last counts. Waits that
/// follow from an earlier wait of the stream, and those that contradict recorded times, are left out. O(launches *
/// depth + uses log uses).
[[nodiscard]] std::vector<StreamWait> data_waits(const RankEvents& events);

/// Infers waits of device work for work on other streams, and adds them to `waits`. The known causes of a
/// late begin are the previous work on the stream (`order`), the launch, and the `waits` found so far. If an op began
/// later than all of these explain, the op is assumed to have waited for work that ended shortly before, on its device
/// or else on another device of the process. Without such work, the op is assumed to have waited for work that was
/// about to end and left room on the device. O(ops log ops), because at most kMostCandidates ops are examined for each
/// of these cases.
void infer_stream_waits(const RankEvents& events, const OpsByEnd& by_end, const StreamOrder& order,
                        const DeviceDelays& delays, std::vector<StreamWait>& waits);

}  // namespace stepsim::ingest

#endif
