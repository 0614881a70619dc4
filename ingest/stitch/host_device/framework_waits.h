#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_FRAMEWORK_WAITS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_FRAMEWORK_WAITS_H

#include <vector>

#include "ingest/stitch/host_device/rank_events.h"
#include "ingest/stitch/host_device/stream_waits.h"

namespace stepsim::ingest {

/// What device work waits for across streams because PyTorch's NCCL process group makes it wait,
/// told from its host calls where no cuda_sync event tells the streams:
///
/// * A collective's stream waits for the stream that was current when it was launched: a
///   *StreamWaitEvent stands between the thread's launch before and the collective's.
/// * Work::wait() makes the current stream wait for a collective: a *StreamWaitEvent directly
///   under record_param_comms, or under nothing (DDP's end of a backward pass), and under no
///   "c10d::" and no "nccl:". A thread's k-th wait of a step is for the k-th collective that it
///   launched in that step, if there are as many of both and none waits for a later launch.
///
/// In the recording such a wait may not have lasted at all, and no time shows it; where the
/// network or the device is slower, it does. What the times contradict is left out.
/// Sources: torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp (syncStream, WorkNCCL::synchronize)
/// and reducer.cpp (finalize_backward) of PyTorch 2.3. O(events log events).
[[nodiscard]] std::vector<StreamWait> framework_waits(const RankEvents& events);

}  // namespace stepsim::ingest

#endif
