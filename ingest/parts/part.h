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
#include "ingest/parts/host_device_trace.h"
#include "ingest/parts/trial_part.h"
#include "model/base/diagnostics.h"
#include "model/base/error.h"
#include "model/base/id.h"
#include "model/base/units.h"
#include "model/job/operator_work.h"
#include "model/job/parallel_place.h"
#include "model/job/range_profile.h"
#include "model/job/task_tables.h"

namespace stepsim::ingest {

/// The contents of a capture's files before they are joined. A format (ingest/formats/) turns one file into Parts and
/// knows nothing about other files; ingest/stitch/ joins the Parts of all files into a Dag.

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
