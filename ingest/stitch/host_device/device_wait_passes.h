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

/// Pieces of device work by the begin of the call that launched them. sort() comes after the last add()
/// and before all queries, which are O(log n) and return an op, or kNoIndex if there is none.
class LaunchOrder {
 public:
  using Launch = std::pair<Time, std::uint32_t>;  // begin of the call, op

  void add(Time call, std::uint32_t op) { launches_.emplace_back(call, op); }
  void sort() { sort_runs(launches_); }

  /// The last op launched before `at`.
  [[nodiscard]] std::uint32_t last_before(Time at) const {
    const auto next = std::lower_bound(launches_.begin(), launches_.end(), Launch{at, 0});
    return next == launches_.begin() ? kNoIndex : std::prev(next)->second;
  }
  /// The last op launched at `at` or before.
  [[nodiscard]] std::uint32_t last_until(Time at) const {
    const auto next = std::upper_bound(launches_.begin(), launches_.end(), Launch{at, kNoIndex});
    return next == launches_.begin() ? kNoIndex : std::prev(next)->second;
  }
  /// The first op launched at `at` or later.
  [[nodiscard]] std::uint32_t first_from(Time at) const {
    const auto next = std::lower_bound(launches_.begin(), launches_.end(), Launch{at, 0});
    return next == launches_.end() ? kNoIndex : next->second;
  }
  /// The first op launched later than `at`.
  [[nodiscard]] std::uint32_t first_after(Time at) const {
    const auto next = std::upper_bound(launches_.begin(), launches_.end(), Launch{at, kNoIndex});
    return next == launches_.end() ? kNoIndex : next->second;
  }
  [[nodiscard]] const std::vector<Launch>& launches() const noexcept { return launches_; }

 private:
  std::vector<Launch> launches_;
};

/// Two pieces of one stream that overlap by up to this, or by a tenth of the earlier one, ran one
/// after the other: the clock is that coarse. If they overlap by more, they ran side by side.
inline constexpr Duration kOverlapGrain{2'000};

/// Orders the work of each stream. Where two pieces overlap within the grain, the end of the earlier
/// one is clipped in events.ops. A stream gets 16 rows at most. O(ops log ops).
[[nodiscard]] StreamOrder order_streams(RankEvents& events);

/// Whether the call that started a copy waited for it: the copy ended during the call, or, of a pageable buffer, at
/// most 100 us after it, because the call returns when the last part has been staged. Precondition: `op` has a call.
[[nodiscard]] bool is_awaited_copy(const RankEvents& events, const DeviceOp& op);

/// Sets DeviceOp::launched of all ops with a call: when the call returned or the op began, whichever
/// was first. A copy that its call waits for was handed over as the call began if it then stood
/// behind other work of its stream; else the call was busy until the copy began (it staged a
/// pageable buffer).
void find_launch_times(RankEvents& events, const StreamOrder& order);

/// At most 20 us and 5 us, so that a recording in which most launches wait for something does not
/// make waiting look usual. find_launch_times() has run.
[[nodiscard]] DeviceDelays usual_delays(const RankEvents& events, const StreamOrder& order);

/// Device work by its end.
using OpsByEnd = std::vector<std::pair<Time, std::uint32_t>>;
/// A pass that looks for what somebody waited for examines at most this many pieces, in the order of their ends.
inline constexpr int kMostCandidates = 64;
[[nodiscard]] OpsByEnd ops_by_end(const RankEvents& events);

/// What the cuda_sync events of a trace say: which device work each blocking call waited for, and which
/// streams waited for each other. Kineto writes these events with enable_cuda_sync_events=True:
///
/// * "Event Sync", "Stream Sync", "Context Sync": the call with the same correlation returned after
///   that work.
/// * "Stream Wait Event": what was launched later on `stream` waited for the work that was launched last
///   on `wait_on_stream` before the cudaEventRecord with the given correlation.
///
/// An event that names a stream, call or record as -1, or one that the trace lacks, says nothing and is
/// counted. Source: CudaSyncActivity in libkineto's CuptiActivity.cpp. O(events log events).
struct SyncEvents {
  /// By runtime call, the ops for which it waited: on each stream concerned, the last one that was launched before;
  /// empty if there was nothing to wait for.
  std::map<std::uint32_t, std::vector<std::uint32_t>> awaited;
  std::vector<StreamWait> stream_waits;  ///< in the order of their sync events
  std::uint64_t unresolved = 0;          ///< sync events that say nothing

  /// Null if no sync event belongs to the runtime call `event`.
  [[nodiscard]] const std::vector<std::uint32_t>* awaited_by(std::uint32_t event) const noexcept {
    const auto at = awaited.find(event);
    return at == awaited.end() ? nullptr : &at->second;
  }
};
[[nodiscard]] SyncEvents read_sync_events(const RankEvents& events);

/// Finds which runtime calls waited for which device work, and enters the waits and the instants at
/// which threads went on into `threads`.
///
/// Where a cuda_sync event belongs to a call, it says what the call waited for. Otherwise a call is
/// taken to have waited if calls of its kind can (wait_of_call), and work that it could wait for
/// ended while it ran; docs/stitching.md has the conditions for each kind.
/// Precondition: find_launch_times() has run. O(events log events).
[[nodiscard]] BlockingCalls find_blocking_calls(const RankEvents& events, const OpsByEnd& by_end,
                                                const SyncEvents& syncs, std::vector<HostThread>& threads);

/// Finds where a host thread polls for device work without a call that says so: DeepEP's dispatch reads a
/// counter in the host's memory until the kernel notify_dispatch has written it. Enters the waits and the
/// instants at which the threads went on into `threads`, and returns them.
///
/// The evidence is that it happens again and again. A thread is silent, or inside one operator, for more than
/// 100 us, and goes on within a tenth of that time, at most 100 us, of the end of the work that it launched last.
/// For work of one name this must be so at least three times, and in three of four such silences. A kernel may
/// let the host go on shortly before it ends; the wait is then taken to last until the end.
///
/// Call after explain_silences(): what other threads explain is no polling. Precondition: find_launch_times() has
/// run. O(events log events).
[[nodiscard]] std::vector<HostWait> find_polls(const RankEvents& events, std::vector<HostThread>& threads);

/// Finds which device work waits for work of other streams because PyTorch's NCCL process group makes it
/// wait. Needed where no cuda_sync event names the streams; told from the host's calls:
///
/// * A collective's stream waits for the stream that was current when the collective was launched. The
///   sign is a *StreamWaitEvent call between the thread's launch before and the collective's launch.
/// * Work::wait() makes the current stream wait for a collective. The sign is a *StreamWaitEvent call
///   directly under record_param_comms, or under nothing (DDP at the end of a backward pass), and not
///   within "c10d::" or "nccl:". A thread's k-th wait of a step is for the k-th collective that it
///   launched in that step, if there are as many of both and no wait comes before its launch. Where an execution trace
///   numbers collectives and waits, a wait is for the collective of its number.
///
/// Such a wait may have taken no time in the recording, so that no times show it. With a slower network
/// or device it does take time. Waits that the recorded times contradict are left out.
/// Sources: torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp (syncStream, WorkNCCL::synchronize)
/// and reducer.cpp (finalize_backward) of PyTorch 2.3. O(events log events).
[[nodiscard]] std::vector<StreamWait> framework_waits(const RankEvents& events);

/// Finds which device work waits for work of other streams because it uses memory that this wrote: by an execution
/// trace that was joined to the trace (storage_uses), else nothing. A kernel's memory is that of the innermost operator
/// around its launch that has tensors; a collective's that of all of its process group's calls around it. Of what was
/// written on one stream only the last counts, and what the stream has waited for before is left out, as is what the
/// recorded times contradict. O(launches * depth + uses log uses).
[[nodiscard]] std::vector<StreamWait> data_waits(const RankEvents& events);

/// Infers from times what device work waited for on other streams of its device, where it began
/// later than `order`, its launch and the known `waits` explain: for work that ended shortly before
/// it began, else for room that was left by work in its tail. Adds these to `waits`.
/// O(ops log ops): at most 64 candidates are looked at for each piece of work.
void infer_stream_waits(const RankEvents& events, const OpsByEnd& by_end, const StreamOrder& order,
                        const DeviceDelays& delays, std::vector<StreamWait>& waits);

}  // namespace stepsim::ingest

#endif
