#ifndef STEPSIM_MODEL_JOB_TRACE_DETAILS_H
#define STEPSIM_MODEL_JOB_TRACE_DETAILS_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/base/id.h"
#include "model/base/units.h"

namespace stepsim {

/// What a profiler tells of time that passed beside the program's own work, of one kind. Source:
/// CUpti_ActivityOverheadKind, which PyTorch's profiler and Nsight Systems pass on.
struct OverheadUse {
  std::string kind;         ///< in the profiler's words: "Buffer Flush"
  bool of_profiler = true;  ///< it did this for itself; else CUDA did it, which it does without a profiler, too
  std::uint64_t count = 0;
  Duration total{};
  Duration longest{};
  Duration by_clock{};  ///< what ran at once on several threads counts once
};

/// What a communication library tells of its own work: the operations of one kind in one group, and of the pieces that
/// its threads moved over the network for them, for whom each waited. Source: the events of NCCL's profiler plugin.
struct TransportUse {
  /// Pieces in one direction. The three waits add up to the time that pieces took; pieces overlap.
  struct Direction {
    std::uint64_t pieces = 0;
    Bytes bytes{};
    Duration device{};   ///< until the GPU had produced the data, or consumed it
    Duration peer{};     ///< until the receiver had room; of received pieces it cannot be told from the network
    Duration network{};  ///< until the data were transferred
  };

  std::string group;  ///< "rank 0 of 2, 0x1f"
  std::string operation;
  std::string algorithm;  ///< "RING"; empty for messages
  std::string protocol;   ///< "LL128"; empty for messages
  std::uint64_t operations = 0;
  Bytes bytes{};  ///< of the larger side, of all operations; those whose size is not known have none
  Direction sent;
  Direction received;
  std::uint64_t channels = 0;  ///< parts of operations that one channel did on the device
  Duration channel_time{};     ///< of all of them
};

/// What a call on a host thread is.
enum class CallKind : std::uint8_t {
  kOperator,    ///< of the framework: aten::mm
  kRuntime,     ///< of the device's runtime or driver: cudaLaunchKernel
  kAnnotation,  ///< record_function, and marks of steps
  kPython,      ///< of a Python function; those that begin with kModulePrefix are of modules
};

/// What a profiler recorded beside what a replay needs, for statistics. Read where it is asked for, because it may be
/// larger than the rest. Times are on the reference host's clock.
struct TraceDetails {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  struct Thread {
    Rank rank = 0;
    std::string name;  ///< as Lane::name
  };
  /// A call as it was recorded, callees included.
  struct Call {
    Time start;
    Duration duration{};
    Duration self{};   ///< without the calls that it made on its thread
    double flops = 0;  ///< that it does itself; 0: none, or not known
    std::uint32_t name = 0;
    std::uint32_t thread = 0;
    std::uint32_t caller = kNone;  ///< index of the innermost call of the thread around it, which comes before it
    CallKind kind = CallKind::kOperator;
  };
  /// What was allocated on one device after an allocation or a release.
  struct MemoryPoint {
    Time time;
    Bytes allocated{};
    Bytes reserved{};  ///< by the framework's allocator; 0 where it does not say
    Bytes change{};    ///< negative for a release
  };
  struct Memory {
    Rank rank = 0;
    std::string device;               ///< "CPU", "device 0"
    std::vector<MemoryPoint> points;  ///< by time
  };

  /// When a task ran by the trace, where stitching made something else of it: a push or a pull that stood in line
  /// behind other messages was recorded from when it was handed over, and a kernel may be several tasks.
  struct RecordedTask {
    TaskId task;
    Time start;
    Time finish;
    bool whole = true;  ///< false: a further part of what another task stands for
  };

  /// Which call launched a task of device work; of a piece that is several tasks the first.
  struct Launch {
    TaskId task;
    std::uint32_t call = 0;  ///< index into calls
  };

  std::vector<RecordedTask> tasks;  ///< by task
  std::vector<Launch> launches;     ///< by task; work whose launch was not recorded has none
  std::vector<std::string> names;   ///< each once
  std::vector<Thread> threads;
  std::vector<Call> calls;  ///< by thread, then start, callers before their callees
  std::vector<Memory> memory;
  std::vector<std::pair<Rank, TransportUse>> transports;  ///< by rank
  std::vector<std::pair<Rank, OverheadUse>> overheads;    ///< by rank, of each the longest in all first

  [[nodiscard]] bool has_calls() const noexcept { return !calls.empty(); }
};

}  // namespace stepsim

#endif
