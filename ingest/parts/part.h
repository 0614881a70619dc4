#ifndef STEPSIM_INGEST_PARTS_PART_H
#define STEPSIM_INGEST_PARTS_PART_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/error.h"
#include "model/base/id.h"
#include "model/base/units.h"
#include "model/job/operator_work.h"

/// What the files of a capture hold, in columns, before anything is joined. A format
/// (ingest/formats/, one file each) turns one file into one Part and knows nothing of the
/// others; ingest/stitch/ joins the parts into a Dag.
namespace stepsim::ingest {

// ---------------------------------------------------------------- host and device events

/// What an event of a host-device trace is. Kineto's categories, old and new, CUDA and ROCm,
/// fall into these; nsys and our own capture use the same.
enum class EventKind : std::uint8_t {
  kOp,                ///< framework operator on a host thread (cpu_op)
  kAnnotation,        ///< user_annotation on a host thread: ProfilerStep#N, gloo:all_reduce
  kRuntimeCall,       ///< runtime or driver call (cuda_runtime, cuda_driver, Runtime)
  kKernel,            ///< device kernel, a collective's included; MTIA device ops too
  kMemcpy,            ///< device copy
  kMemset,            ///< device memset
  kSync,              ///< cuda_sync: what a host call or a stream waited for
  kDeviceAnnotation,  ///< gpu_user_annotation: not work, spans only
};

using TrackId = Id<struct TrackTag>;
using TextId = Id<struct TextTag>;

/// A row of the trace: one (pid, tid).
struct Track {
  std::string process;  ///< pid as written, number or text
  std::string thread;   ///< tid as written
  std::string name;     ///< thread_name, may be empty
  bool on_device = false;
  std::int32_t device = -1;  ///< device index of a device row
  std::int64_t stream = -1;  ///< stream of a device row
};

/// What only some events carry: collectives, copies, syncs, gradient accumulation.
struct EventDetail {
  Bytes bytes{};                       ///< bytes copied, or of a collective's larger side; 0 unknown
  std::int64_t stream = -1;            ///< kSync: args.stream; kernels keep their track's
  std::int64_t wait_stream = -1;       ///< kSync: wait_on_stream
  std::int64_t wait_correlation = -1;  ///< kSync: wait_on_cuda_event_record_corr_id
  std::int64_t sequence = -1;          ///< collective: args.Seq
  std::int64_t elements = 0;           ///< collective: elements on the larger side
  TextId collective;                   ///< "allreduce", as written
  TextId group;                        ///< group key: "Process Group Ranks" text (else the group's name)
  TextId dtype;
  std::int32_t peer = -1;  ///< send/recv: the other rank
};

/// One file of host and device events, as columns. All times are absolute nanoseconds on the
/// recording host's clock (base already added). Events are in file order until sort_by_start().
struct HostDeviceTrace {
  std::vector<Time> start;
  std::vector<Duration> duration;  ///< >= 0
  std::vector<EventKind> kind;
  std::vector<TextId> name;
  std::vector<TrackId> track;
  std::vector<std::int64_t> correlation;  ///< -1: none
  std::vector<std::uint32_t> detail;      ///< index into details, kNoDetail if none

  std::vector<EventDetail> details;
  std::vector<Track> tracks;
  std::vector<std::string> texts;  ///< interned; TextId indexes it
  /// Where operators' shapes were recorded: the distinct calls, and (event, index of its call).
  std::vector<OperatorTable::Operator> operators;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> operator_of;  ///< by event

  std::optional<std::int64_t> rank;  ///< distributedInfo.rank
  std::optional<std::int64_t> world_size;
  std::string backend;         ///< "nccl", "gloo", "" if unknown
  std::string host_name;       ///< host_name, or the file name's prefix; may be empty
  std::string device_name;     ///< deviceProperties[used].name; may be empty
  bool has_base_time = false;  ///< times are Unix time, so files can be compared

  static constexpr std::uint32_t kNoDetail = 0xFFFFFFFFU;
  [[nodiscard]] std::size_t size() const noexcept { return start.size(); }
  [[nodiscard]] const std::string& text(TextId id) const noexcept { return texts[id.index()]; }
  [[nodiscard]] const EventDetail* detail_of(std::size_t event) const noexcept {
    return detail[event] == kNoDetail ? nullptr : &details[detail[event]];
  }
};

// ---------------------------------------------------------------- BytePS and ByteProfile

/// Stages of one partition's communication, in pipeline order (BytePS QueueType).
enum class Stage : std::uint8_t {
  kTotal,  ///< the whole tensor, queueing included: not a stage
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

/// comm.json: communication stages of one GPU process.
struct StageTrace {
  struct Event {
    std::uint32_t tensor = 0;  ///< index into tensors
    Stage stage = Stage::kTotal;
    std::int64_t key = -1;      ///< partition key (tid); -1 for kTotal
    std::uint32_t process = 0;  ///< index into processes
    Time start;
    Duration duration{};
  };
  std::vector<std::string> tensors;  ///< "byteps.gradient_7", without "Comm."
  /// Whose events these are: one, "", as BytePS writes the file; where several GPUs' files
  /// were put into one, their "rank0" or pid.
  std::vector<std::string> processes;
  std::vector<Event> events;  ///< file order
};

/// Operators of one GPU: temp/bps_trace files. Names keep their FW./BW./UPDATE form; a
/// "rank0." or "pid->" prefix is taken off into `process`.
struct OperatorTrace {
  struct Event {
    std::string name;
    std::string process;
    std::string thread;
    std::int64_t step = -1;  ///< args.step; -1 if absent
    Time start;
    Duration duration{};
    std::vector<std::string> inputs;  ///< args.argN or args.inputN, in order of N
    bool communication = false;       ///< a Comm.* event, not an operator
  };
  std::vector<Event> events;
};

/// dag.gml: names and dependencies.
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

/// gradient_name_list.*: index = gradient number.
struct TensorTable {
  struct Tensor {
    std::string name;
    std::optional<Bytes> bytes;
  };
  std::vector<Tensor> tensors;
};

// ---------------------------------------------------------------- task graphs

/// A task graph written by hand or by a program (../shared/oracles/README.md).
struct TaskGraph {
  struct Link {
    double bandwidth = 0; /* bytes per second */
    Duration latency{};
  };
  struct Task {
    std::int64_t id = 0;
    std::string name;  ///< optional in the file
    bool transfer = false;
    std::uint32_t host = 0;         ///< compute: where; transfer: from
    std::uint32_t destination = 0;  ///< transfer: to
    Duration duration{};            ///< compute
    Bytes bytes{};                  ///< transfer
    std::vector<std::int64_t> after;
  };
  std::uint32_t hosts = 0;
  std::vector<Link> links;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>>
      routes;  ///< (from, to) -> links, never empty
  std::vector<Task> tasks;
};

/// One file's content.
using Part = std::variant<HostDeviceTrace, StageTrace, OperatorTrace, OperatorGraph, TensorTable, TaskGraph>;

}  // namespace stepsim::ingest

#endif
