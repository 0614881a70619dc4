#ifndef STEPSIM_MODEL_JOB_TRACE_DETAILS_H
#define STEPSIM_MODEL_JOB_TRACE_DETAILS_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/base/id.h"
#include "model/base/units.h"

namespace stepsim {

/// Time of one kind that a profiler reports in addition to the program's own work. Source: CUpti_ActivityOverheadKind,
/// passed on by PyTorch's profiler and Nsight Systems.
struct OverheadUse {
  std::string kind;  ///< kind in the profiler's words: "Buffer Flush"
  /// True if the profiler itself took this time; false if CUDA did, as it also does without a profiler.
  bool of_profiler = true;
  std::uint64_t count = 0;
  Duration total{};
  Duration longest{};
  Duration by_clock{};  ///< wall-clock time: overlapping work of several threads counts once
};

/// A communication library's report about its own work, for one kind of operation in one group: the pieces that its
/// threads moved over the network, and what each piece waited for. Source: the events of NCCL's profiler plugin.
struct TransportUse {
  /// Pieces in one direction. The three waits sum to the total time of the pieces; pieces can overlap.
  struct Direction {
    std::uint64_t pieces = 0;
    Bytes bytes{};
    Duration device{};   ///< wait until the GPU had produced or consumed the data
    Duration peer{};     ///< wait for space at the receiver; for received pieces part of `network`
    Duration network{};  ///< time until the data was transferred
  };

  std::string group;  ///< "rank 0 of 2, 0x1f"
  std::string operation;
  std::string algorithm;  ///< "RING"; empty for messages
  std::string protocol;   ///< "LL128"; empty for messages
  std::uint64_t operations = 0;
  Bytes bytes{};  ///< size of the larger side, summed over all operations; operations of unknown size count as 0
  Direction sent;
  Direction received;
  std::uint64_t channels = 0;  ///< number of parts of operations, each done by one channel on the device
  Duration channel_time{};     ///< total time of the parts counted in `channels`
};

/// The kind of a call on a host thread.
enum class CallKind : std::uint8_t {
  kOperator,    ///< operator of the framework: aten::mm
  kRuntime,     ///< call of the device's runtime or driver: cudaLaunchKernel
  kAnnotation,  ///< record_function, and step markers
  kPython,      ///< a Python function; names that begin with kModulePrefix are modules
};

/// Recorded data that a replay does not need, for statistics. It is read only on request, because it can be larger than
/// the rest. Times are on the reference host's clock.
struct TraceDetails {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  struct Thread {
    Rank rank = 0;
    std::string name;  ///< name of the thread, as in Lane::name
  };
  /// A call as recorded, including the calls it makes.
  struct Call {
    Time start;
    Duration duration{};
    Duration self{};   ///< duration without the calls that it made on its thread
    double flops = 0;  ///< its own operations; 0 if none or not known
    std::uint32_t name = 0;
    std::uint32_t thread = 0;
    std::uint32_t caller = kNone;  ///< index of the innermost call around it on its thread; less than its own index
    CallKind kind = CallKind::kOperator;
  };
  /// The recorded times of a task that stitching changed. A push or pull that queued after other messages was recorded
  /// from the moment it was handed over, and a kernel may be split into several tasks.
  struct RecordedTask {
    TaskId task;
    Time start;
    Time finish;
    bool whole = true;  ///< false for every part but the first of something split into several tasks
  };

  /// The call that launched a task of device work. Work that is split into several tasks has an entry for the first.
  struct Launch {
    TaskId task;
    std::uint32_t call = 0;  ///< index into calls
  };

  std::vector<RecordedTask> tasks;  ///< ordered by task
  std::vector<Launch> launches;     ///< ordered by task; work without a recorded launch has none
  std::vector<std::string> names;   ///< contains each name once
  std::vector<Thread> threads;
  std::vector<Call> calls;  ///< ordered by thread, then start; callers precede their callees
  std::vector<std::pair<Rank, TransportUse>> transports;  ///< ordered by rank
  std::vector<std::pair<Rank, OverheadUse>> overheads;    ///< ordered by rank, then longest total time first

  [[nodiscard]] bool has_calls() const noexcept { return !calls.empty(); }
};

}  // namespace stepsim

#endif
