#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_FRAMEWORK_WAITS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_FRAMEWORK_WAITS_H

#include <vector>

#include "ingest/stitch/host_device/rank_events.h"
#include "ingest/stitch/host_device/stream_waits.h"

namespace stepsim::ingest {

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

}  // namespace stepsim::ingest

#endif
