#ifndef STEPSIM_INGEST_PARTS_PART_H
#define STEPSIM_INGEST_PARTS_PART_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ingest/parts/execution_graph.h"
#include "ingest/parts/trial_part.h"
#include "model/base/count_column.h"
#include "model/base/diagnostics.h"
#include "model/base/error.h"
#include "model/base/id.h"
#include "model/base/units.h"
#include "model/job/operator_work.h"
#include "model/job/parallel_place.h"
#include "model/job/range_profile.h"
#include "model/job/task_tables.h"
#include "model/job/trace_details.h"

namespace stepsim::ingest {

/// A column in which kNone means no value. It stores only the rows up to the last one with a value, so a column without
/// any values uses no memory.
template <class Value, Value kNone>
class OptionalColumn {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Reserves memory for `rows` rows, if any row has a value yet.
  void reserve(std::size_t rows) {
    if (!values_.empty()) values_.reserve(rows);
  }
  [[nodiscard]] Value operator[](std::size_t row) const noexcept { return row < values_.size() ? values_[row] : kNone; }

  void push_back(Value value) {
    ++size_;
    if (value != kNone) set(size_ - 1, value);
  }
  /// Sets the value of a row. Precondition: `row` < size().
  void set(std::size_t row, Value value) {
    if (row >= values_.size()) values_.resize(row + 1, kNone);
    values_[row] = value;
  }

 private:
  std::size_t size_ = 0;
  std::vector<Value> values_;
};

/// The contents of a capture's files before they are joined. A format (ingest/formats/) turns one file into Parts and
/// knows nothing about other files; ingest/stitch/ joins the Parts of all files into a Dag.

// ---------------------------------------------------------------- host and device events

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

/// One row of a trace, given by its pid and tid.
struct Track {
  std::string process;  ///< pid as written, number or text
  std::string thread;   ///< tid as written
  std::string name;     ///< thread_name, may be empty
  bool on_device = false;
  std::int32_t device = -1;  ///< device index of a device row
  std::int64_t stream = -1;  ///< stream of a device row
};

/// Data that only some events have: collectives, copies, syncs and gradient accumulation. -1 or an invalid id means
/// that the event does not give the value.
struct EventDetail {
  Bytes bytes{};                  ///< bytes copied, of the gradient, or of a collective's larger side; 0 if unknown
  std::int64_t stream = -1;       ///< kSync: args.stream; other device events have their track's
  std::int64_t wait_stream = -1;  ///< kSync: wait_on_stream
  std::int64_t wait_correlation = -1;  ///< kSync: wait_on_cuda_event_record_corr_id
  std::int64_t sequence = -1;          ///< collective: args.Seq
  std::int64_t elements = 0;           ///< collective: elements on the larger side
  TextId collective;                   ///< "allreduce", as written
  TextId group;                        ///< text of "Process Group Ranks", else the group's name
  TextId dtype;                        ///< element type, as written
  std::int32_t peer = -1;              ///< send/recv: the other rank
};

/// The host and device events of one file as columns, in the order of the file. Times are on the recording host's
/// clock, with the file's base time added.
struct HostDeviceTrace {
  std::vector<Time> start;
  CountColumn<Duration> duration;
  std::vector<EventKind> kind;
  std::vector<TextId> name;
  std::vector<TrackId> track;
  OptionalColumn<std::int64_t, -1> correlation;
  OptionalColumn<std::uint32_t, 0xFFFFFFFFU> detail;  ///< index into details; kNoDetail if none

  std::vector<EventDetail> details;
  std::vector<Track> tracks;
  std::vector<std::string> texts;  ///< by TextId; each once
  /// The distinct operators with their shapes, if shapes were recorded. operator_of gives the operators of events.
  std::vector<OperatorTable::Operator> operators;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> operator_of;  ///< (event, operator), by event

  /// The distinct launch configurations of kernels, if they were recorded. launch_of gives the configurations of
  /// events.
  std::vector<KernelLaunch> launches;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> launch_of;  ///< (event, launch), by event

  /// A call of a module of the model (kModulePrefix). It is not an event, because the operators inside it describe the
  /// work.
  struct ModuleCall {
    TrackId track;
    TextId name;
    Time begin;
    Duration length{};
  };
  std::vector<ModuleCall> modules;  ///< empty unless Python's calls were recorded

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
  std::vector<MemoryEvent> memory;  ///< in the order of the file

  // The next two are filled only if PartSink::details is set.
  std::vector<ModuleCall> python;                          ///< calls of all Python functions, including modules
  std::vector<std::pair<std::uint32_t, double>> flops_of;  ///< (event, FLOPs that the profiler computed), by event

  /// Time spent by the profiler itself, or by CUDA outside the program's calls. It is not an event: nothing is known to
  /// wait for it, and host threads were recorded as working meanwhile.
  struct Overhead {
    TextId kind;
    Time start;
    Duration length{};
  };
  std::vector<Overhead> overheads;

  /// Hand-overs through a queue: the event that puts an item in, and the event on another host thread that takes it
  /// out.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> hand_overs;

  // The next two are filled only if an execution trace of the same run was joined (join_execution_trace() in
  // stitch/host_device/host_device.h).
  /// One use of memory by an operator. Sorted by event.
  struct StorageUse {
    std::uint32_t event = 0;
    bool written = false;  ///< true for a result, false for an input
    std::int64_t storage = 0;
  };
  std::vector<StorageUse> storage_uses;
  /// A call of a process group that starts a collective or waits for one. Sorted by event.
  struct CollectiveCall {
    std::uint32_t event = 0;
    bool waits = false;
    std::int64_t sequence = 0;  ///< the collective's number
  };
  std::vector<CollectiveCall> collective_calls;

  /// A communicator: a group of ranks that its library numbers from 0. `peer` in the details of the group's events is
  /// such a number until resolve_communicators() (stitch/host_device/host_device.h) converts it to a rank of the job.
  struct Communicator {
    TextId group;  ///< as in EventDetail; equal in the traces of all members
    std::int32_t rank = 0;
    std::int32_t size = 0;   ///< 0 if unknown
    std::int32_t nodes = 0;  ///< hosts of the group, as the library counts them; 0 if unknown
  };
  std::vector<Communicator> communicators;  ///< each group once
  std::vector<TransportUse> transports;     ///< filled only if PartSink::details is set

  std::optional<std::int64_t> rank;  ///< distributedInfo.rank
  std::optional<std::int64_t> world_size;
  /// The number of ranks that share a batch, from the tensor, context and pipeline parallel groups; nullopt if the
  /// trace does not state the purpose of any group.
  std::optional<std::int64_t> ranks_of_batch;
  std::string backend;    ///< "nccl", "gloo", "" if unknown
  std::string host_name;  ///< host_name, or the file name's prefix; may be empty
  /// The begin and end of each file, in order of time, if the trace was joined from several files of one process; else
  /// empty.
  std::vector<std::pair<Time, Time>> windows;
  std::string device_name;                    ///< deviceProperties[used].name; may be empty
  std::optional<std::int64_t> device_memory;  ///< memory of that device in bytes
  /// If the times were not recorded but computed (`stepsim model`): of what, as a phrase. Otherwise empty.
  std::string modelled;
  std::optional<std::int64_t> samples;  ///< samples of a step, if the trace says them
  bool has_base_time = false;           ///< times are Unix times, so they can be compared across files
  Duration base_time{};                 ///< base time of the file; already added to all times

  static constexpr std::uint32_t kNoDetail = 0xFFFFFFFFU;
  [[nodiscard]] std::size_t size() const noexcept { return start.size(); }
  [[nodiscard]] const std::string& text(TextId id) const noexcept { return texts[id.index()]; }
  [[nodiscard]] const EventDetail* detail_of(std::size_t event) const noexcept {
    return detail[event] == kNoDetail ? nullptr : &details[detail[event]];
  }
};

// ---------------------------------------------------------------- BytePS and ByteProfile

/// The stages of a partition's communication, in the order of kPipeline (model/job/task_names.h).
enum class Stage : std::uint8_t {
  kTotal,  ///< not a stage: the communication of a whole tensor, queueing included
  kCoordinateReduce,
  kReduce,
  kCopyD2H,
  kPcieReduce,
  kCoordinatePush,
  kCompress,
  kPush,
  kPull,
  kDecompress,
  kCopyH2D,
  kCoordinateBroadcast,
  kBroadcast,
};

/// An event of comm.json, the communication stages of one GPU's process.
struct StageEvent {
  std::uint32_t tensor = 0;  ///< index into tensors: "byteps.gradient_7", without "Comm."
  Stage stage = Stage::kTotal;
  std::int64_t key = -1;      ///< partition key (tid); -1 for kTotal
  std::uint32_t process = 0;  ///< index into processes
  Time start;
  Duration duration{};
};
struct StageTrace : TensorTrace<StageEvent> {
  /// The processes that the events belong to: a single "" in a file from BytePS, or the "rank0" or pid of each GPU if
  /// files of several GPUs were merged.
  std::vector<std::string> processes;
};

/// The operators of one GPU, from temp.json and bps_trace*.json. Names begin with FW., BW. or UPDATE; a prefix before
/// that, such as "rank0." or "host0->", is moved to `process`.
struct OperatorTrace {
  struct Event {
    std::string name;
    std::string process;
    std::string thread;
    std::int64_t step = -1;  ///< args.step; -1 if absent
    Time start;
    Duration duration{};
    std::vector<std::string> inputs;  ///< args.argN or args.inputN, by N
    bool communication = false;       ///< true for a "Comm." event, which is not an operator
  };
  std::vector<Event> events;
};

/// dag.gml: operators and tensors by name, and their dependencies.
struct OperatorGraph {
  struct Attribute {
    std::string key;
    std::string value;
  };
  struct Node {
    std::string label;
    std::vector<Attribute> attributes;
  };
  struct Edge {
    std::uint32_t source = 0;
    std::uint32_t target = 0;
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges;
};

/// gradient_name_list.*: the name and size of each gradient, by gradient number.
struct TensorTable {
  struct Tensor {
    std::string name;
    std::optional<Bytes> bytes;
  };
  std::vector<Tensor> tensors;
};

// ---------------------------------------------------------------- task graphs

/// A task graph (.tasks.json), written by hand or by a program: computations on hosts, transfers between hosts over
/// routes of one-way links, and the dependencies between them.
struct TaskGraph {
  struct Link {
    double bandwidth = 0;  ///< in bytes per second
    Duration latency{};
  };
  struct Task {
    std::int64_t id = 0;
    Duration duration{};            ///< only for a computation
    Bytes bytes{};                  ///< only for a transfer
    std::uint64_t after_end = 0;    ///< end of this task's range in `after`
    TextId name;                    ///< invalid if the file has none
    std::uint32_t host = 0;         ///< host of a computation, or source of a transfer
    std::uint32_t destination = 0;  ///< only for a transfer
    bool transfer = false;          ///< false for a computation
  };
  std::uint32_t hosts = 0;
  std::vector<Link> links;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>>
      routes;  ///< (from, to) -> links, never empty
  std::vector<Task> tasks;
  std::vector<std::uint32_t> after;  ///< dependencies as indices into tasks, grouped by task
  std::vector<std::string> texts;    ///< by TextId; each once

  [[nodiscard]] std::span<const std::uint32_t> after_of(std::size_t task) const noexcept {
    const std::uint64_t begin = task == 0 ? 0 : tasks[task - 1].after_end;
    return std::span(after).subspan(begin, tasks[task].after_end - begin);
  }
};

// ---------------------------------------------------------------- tables of operations

/// When each operation of a pipeline- and data-parallel job ran, such as "forward-compute" of one micro batch: a table
/// of sampled steps that names no process, thread or stream.
struct OperationTable {
  struct Operation {
    std::int64_t step = 0;
    ParallelPlace place;         ///< the rank
    TextId name;                 ///< "forward-compute"
    Time start;                  ///< since the begin of the step
    Duration duration{};         ///< for communication, includes waiting for the other ranks
    std::int64_t sequence = -1;  ///< equal on all ranks of a message or collective; -1 if the table has no such column
  };
  std::vector<Operation> operations;
  std::vector<std::string> texts;  ///< by TextId; each once
};

/// The content of a file, in one of these forms.
using Part = std::variant<HostDeviceTrace, StageTrace, OperatorTrace, OperatorGraph, TensorTable, TaskGraph,
                          ExecutionGraph, ExecutionTrace, TensorflowTrace, OperatorMetadata, HorovodTrace, ChunkTrace,
                          RankGraph, MessageTrace, ServerTrace, KeyTable, RangeProfile, OperationTable>;

/// Collects the parts that a format reads from one input, and the problems it finds.
struct PartSink {
  struct Item {
    Part part;
    std::string of;
  };

  /// Adds a part. If an input holds several ranks or GPUs, `of` names the one that the part belongs to in messages:
  /// "rank 3", "GPU 1". A rank's number is also in its HostDeviceTrace.
  void add(Part part, std::string of = {}) { parts.push_back({std::move(part), std::move(of)}); }

  /// Counts a record that cannot be used.
  void skip(const Diagnostic& why, const InputLocation& where, std::string_view detail = {}) {
    ++skipped;
    diagnostics.count(why, where, detail);
  }

  bool details = false;  ///< also read data that only TraceDetails needs
  int threads = 1;       ///< threads that the format may use
  std::vector<Item> parts;
  Diagnostics diagnostics;
  std::uint64_t events = 0;   ///< records seen
  std::uint64_t skipped = 0;  ///< records that could not be used
};

}  // namespace stepsim::ingest

#endif
