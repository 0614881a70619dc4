#ifndef STEPSIM_MODEL_JOB_TRACE_DETAILS_H
#define STEPSIM_MODEL_JOB_TRACE_DETAILS_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/base/id.h"
#include "model/base/units.h"
#include "model/job/overhead_use.h"
#include "model/job/transport_use.h"

namespace stepsim {

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
