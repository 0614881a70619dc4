#ifndef STEPSIM_INGEST_PARTS_HOST_DEVICE_TRACE_H
#define STEPSIM_INGEST_PARTS_HOST_DEVICE_TRACE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/count_column.h"
#include "model/base/id.h"
#include "model/base/units.h"
#include "model/job/operator_work.h"
#include "model/job/task_tables.h"
#include "model/job/trace_details.h"

namespace stepsim::ingest {

/// A column in which kNone means no value. It stores only the rows up to the last one with a value, so a column without
/// any values uses no memory.
template <class Value, Value kNone>
class OptionalColumn {
 public:
  /// Returns the value of any row.
  [[nodiscard]] Value operator[](std::size_t row) const noexcept { return row < values_.size() ? values_[row] : kNone; }
  /// True if no row has a value.
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
  /// Reserves memory for `rows` rows, if any row has a value yet.
  void reserve(std::size_t rows) {
    if (!values_.empty()) values_.reserve(rows);
  }
  void set(std::size_t row, Value value) {
    if (row >= values_.size()) {
      if (value == kNone) return;
      values_.resize(row + 1, kNone);
    }
    values_[row] = value;
  }

 private:
  std::vector<Value> values_;
};
/// A column of indices into another table.
using IndexColumn = OptionalColumn<std::uint32_t, 0xFFFFFFFFU>;

/// The kind of an event in a host-device trace. Every category of Kineto that a replay needs, old or new, for CUDA or
/// ROCm, maps to one of these kinds.
enum class EventKind : std::uint8_t {
  kOp,                ///< framework operator on a host thread (cpu_op)
  kAnnotation,        ///< user_annotation on a host thread: ProfilerStep#N, gloo:all_reduce
  kRuntimeCall,       ///< runtime or driver call (cuda_runtime, cuda_driver, Runtime)
  kKernel,            ///< device kernel, including collectives and MTIA device operators
  kMemcpy,            ///< device copy
  kMemset,            ///< device memset
  kSync,              ///< cuda_sync: names what a host call or a stream waited for
  kDeviceAnnotation,  ///< gpu_user_annotation: a span on the device, no work
};

[[nodiscard]] constexpr bool is_device_work(EventKind kind) noexcept {
  return kind == EventKind::kKernel || kind == EventKind::kMemcpy || kind == EventKind::kMemset;
}

using TrackId = Id<struct TrackTag>;
using TextId = Id<struct TextTag>;
using ProcessGroupId = Id<struct ProcessGroupTag>;

/// One row of a trace, given by its pid and tid.
struct Track {
  std::string process;  ///< pid as written, number or text
  std::string thread;   ///< tid as written
  std::string name;     ///< thread_name, may be empty
  bool on_device = false;
  std::int32_t device = -1;  ///< device index of a device row
  std::int64_t stream = -1;  ///< stream of a device row
};

/// What a kSync event waited for.
enum class SyncKind : std::uint8_t {
  kNone,        ///< not a wait
  kEvent,       ///< a call waited for an event on a stream
  kStreamWait,  ///< a stream waits for an event on another one
  kStream,      ///< a call waited for a stream
  kDevice,      ///< a call waited for all work of a device
};

/// The memory that a copy reads or writes.
enum class MemoryKind : std::uint8_t {
  kUnknown,
  kPageable,  ///< of the host
  kOther,
};

/// Data that only some events have: collectives, copies, waits and gradient accumulation. -1 or an invalid id means
/// that the event does not give the value.
struct EventDetail {
  Bytes bytes{};                  ///< bytes copied, of the gradient, or of a collective's larger side; 0 if unknown
  std::int64_t stream = -1;       ///< of a wait; other device events have their track's
  std::int64_t wait_stream = -1;  ///< stream on which the event was recorded that was waited for
  std::int64_t wait_correlation = -1;  ///< correlation of the call that recorded it
  std::int64_t sequence = -1;          ///< of a collective: its number
  std::int64_t elements = 0;           ///< of a collective: elements on the larger side
  TextId collective;                   ///< "allreduce", as written
  ProcessGroupId group;                ///< of a collective
  TextId dtype;                        ///< element type, as written
  std::int32_t peer = -1;              ///< of a message: the other rank
  SyncKind sync = SyncKind::kNone;
  MemoryKind from = MemoryKind::kUnknown;  ///< of a copy
  MemoryKind to = MemoryKind::kUnknown;
};

/// A group of ranks that communicate.
struct ProcessGroup {
  TextId name;              ///< equal in the traces of all members; invalid if its ranks alone identify the group
  std::uint32_t size = 0;   ///< number of ranks; 0 if unknown
  std::vector<Rank> ranks;  ///< in ascending order; empty if unknown
  /// The number of the trace's rank in a communicator, whose library numbers the ranks from 0; -1 for other groups.
  /// `peer` in the details of such a group's events is such a number until resolve_groups()
  /// (stitch/host_device/host_device.h) converts it to a rank of the job.
  std::int32_t own = -1;
  std::int32_t nodes = 0;  ///< hosts of the group, as the library counts them; 0 if unknown
  friend auto operator<=>(const ProcessGroup&, const ProcessGroup&) = default;
};

/// The events of a trace, a row each.
struct EventColumns {
  std::vector<Time> start;
  CountColumn<Duration> duration;
  std::vector<EventKind> kind;
  std::vector<TextId> name;
  std::vector<TrackId> track;
  OptionalColumn<std::int64_t, -1> correlation;
  IndexColumn detail;       ///< in details
  IndexColumn operator_of;  ///< in operators
  IndexColumn launch_of;    ///< in launches
};

/// The other tables of a trace: what the events refer to, and facts about them.
struct TraceTables {
  /// An event that marks a step.
  struct Step {
    std::uint32_t event = 0;
    std::int64_t number = 0;
  };
  /// A call of a module of the model (kModulePrefix). It is not an event, because the operators inside it describe the
  /// work.
  struct ModuleCall {
    TrackId track;
    TextId name;
    Time begin;
    Duration length{};
  };
  /// An allocation or a release, and the memory in use after it.
  struct MemoryEvent {
    Time time;
    TrackId track;             ///< thread that called the allocator
    std::uint64_t block = 0;   ///< address; 0 if not recorded
    std::int32_t device = -1;  ///< index; -1: the host's memory
    Bytes change{};            ///< negative for a release
    Bytes allocated{};
    Bytes reserved{};
  };
  /// What the profiler computed.
  struct Flops {
    std::uint32_t event = 0;
    double count = 0;
  };
  /// Time spent by the profiler itself, or by CUDA outside the program's calls. It is not an event: nothing is known to
  /// wait for it, and host threads were recorded as working meanwhile.
  struct Overhead {
    TextId kind;
    Time start;
    Duration length{};
    bool queue_full = false;  ///< a launch waited for room in the launch queue
  };
  /// A hand-over through a queue to another host thread.
  struct HandOver {
    std::uint32_t from = 0;  ///< event that puts an item in
    std::uint32_t to = 0;    ///< event that takes it out
  };
  /// One use of memory by an operator.
  struct StorageUse {
    std::uint32_t event = 0;
    bool written = false;  ///< true for a result, false for an input
    std::int64_t storage = 0;
  };
  /// A call of a process group that starts a collective or waits for one.
  struct CollectiveCall {
    std::uint32_t event = 0;
    bool waits = false;
    std::int64_t sequence = 0;  ///< the collective's number
  };
  /// The time that one file covers.
  struct Window {
    Time begin;
    Time end;
    auto operator<=>(const Window&) const = default;
  };

  std::vector<std::string> texts;  ///< by TextId; each once
  std::vector<Track> tracks;
  std::vector<EventDetail> details;
  std::vector<OperatorTable::Operator> operators;  ///< distinct ones with their shapes, if shapes were recorded
  std::vector<KernelLaunch> launches;              ///< distinct configurations of kernels, if they were recorded
  std::vector<Step> steps;          ///< by event: steps that the format marks; others are found by their names
  std::vector<ModuleCall> modules;  ///< empty unless Python's calls were recorded
  std::vector<MemoryEvent> memory;  ///< in the order of the file
  std::vector<Overhead> overheads;
  std::vector<HandOver> hand_overs;
  std::vector<ProcessGroup> groups;              ///< each once
  std::vector<StorageUse> storage_uses;          ///< by event, if an execution trace of the same run was joined
  std::vector<CollectiveCall> collective_calls;  ///< by event, if an execution trace of the same run was joined
  std::vector<Window> windows;  ///< in order of time, if the trace was joined from several files of one process
  // The next three are filled only if PartSink::details is set.
  std::vector<ModuleCall> python;  ///< calls of all Python functions, including modules
  std::vector<Flops> flops_of;     ///< by event
  std::vector<TransportUse> transports;
};

/// What a trace says of its process.
struct TraceProperties {
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> world_size;
  /// The number of ranks that share a batch, from the tensor, context and pipeline parallel groups; nullopt if the
  /// trace does not state the purpose of any group.
  std::optional<std::int64_t> ranks_of_batch;
  std::string backend;                        ///< "nccl", "gloo", "" if unknown
  std::string host_name;                      ///< may be empty
  std::string device_name;                    ///< of the device that ran most kernels; may be empty
  std::optional<std::int64_t> device_memory;  ///< memory of that device in bytes
  /// If the times were not recorded but computed (`stepsim model`): of what, as a phrase. Otherwise empty.
  std::string modelled;
  std::optional<std::int64_t> samples;  ///< samples of a step, if the trace says them
  bool has_base_time = false;           ///< times are Unix times, so they can be compared across files
  Duration base_time{};                 ///< base time of the file; already added to all times

  bool operator==(const TraceProperties&) const = default;
};

/// The host and device events of one file, in the order of the file. Times are on the recording host's clock. A new
/// member belongs into one of the bases, from which everything that copies, joins, splits, compares or stores traces
/// takes it (tables.h).
struct HostDeviceTrace : EventColumns, TraceTables, TraceProperties {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;  ///< in an IndexColumn
  [[nodiscard]] std::size_t size() const noexcept { return start.size(); }
  [[nodiscard]] const std::string& text(TextId id) const noexcept { return texts[id.index()]; }
  [[nodiscard]] const EventDetail* detail_of(std::size_t event) const noexcept {
    return detail[event] == kNone ? nullptr : &details[detail[event]];
  }
  /// Returns true for an event in `steps`.
  [[nodiscard]] bool marks_step(std::uint32_t event) const noexcept {
    const auto from = std::lower_bound(steps.begin(), steps.end(), event,
                                       [](const Step& step, std::uint32_t wanted) { return step.event < wanted; });
    return from != steps.end() && from->event == event;
  }
};

/// Returns the number, as in the trace, of the device on which most kernels, copies and memsets ran; nullopt if there
/// are none. O(events).
[[nodiscard]] std::optional<std::int32_t> busiest_device(const HostDeviceTrace& trace);

}  // namespace stepsim::ingest

#endif
