#ifndef STEPSIM_INGEST_PARTS_TRIAL_PART_H
#define STEPSIM_INGEST_PARTS_TRIAL_PART_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/base/units.h"

/// The contents of the files of a dPRO trial (third generation, G3), and of Horovod's own timeline. Times are on the
/// clock of the host that wrote the file.
namespace stepsim::ingest {

/// The tensor events of one file, in the order of the file. An event with a begin and an end record has the place of
/// its end record.
template <class EventType>
struct TensorTrace {
  using Event = EventType;
  std::vector<std::string> tensors;  ///< without duplicates
  std::vector<Event> events;
};

/// trace.json.gz of the TensorFlow profiler: the operators whose work ran on a GPU.
struct TensorflowTrace {
  struct Run {
    std::string name;  ///< "gradient_tape/m/b", without the "StatefulPartitionedCall/" in front
    std::string type;  ///< "Conv2D"; may be empty
    std::string thread;
    std::int64_t step = -1;  ///< args.group_id; -1 if absent
    Time start;
    Duration duration{};
  };
  std::vector<Run> runs;
};

/// metadata.json: TensorFlow's operators with their types and what they read.
struct OperatorMetadata {
  struct Operator {
    std::string name;
    std::string type;
    std::vector<std::string> inputs;  ///< names of operators, without output numbers
    std::optional<Bytes> output;      ///< size of its first output, if shape and type are known
  };
  std::vector<Operator> operators;
};

/// Horovod's timeline: the phases of each tensor's communication, and when all ranks had agreed on it.
struct HorovodTrace {
  struct Phase {
    std::uint32_t tensor = 0;  ///< index into tensors
    std::uint32_t name = 0;    ///< index into names: "QUEUE", "NCCL_ALLREDUCE", "NEGOTIATE_BROADCAST", "Sync"
    Time start;
    Duration duration{};
  };
  struct Tensor {
    std::string name;  ///< "1" for dPRO's "horovod_allreduce.1"; "1+2" for fused tensors; else as recorded
    std::optional<Bytes> bytes;
  };
  std::vector<Tensor> tensors;
  std::vector<std::string> names;
  std::vector<Phase> phases;   ///< in the order of their ends in the file; no phase contains another one
  bool has_base_time = false;  ///< the file states its begin in Unix time
};

/// comm_detail.json: the chunks that NCCL sent and received. Tensors have names such as "1", or "1+2" if they were
/// fused.
struct ChunkEvent {
  std::uint32_t tensor = 0;  ///< index into TensorTrace::tensors, also in MessageEvent and ServerEvent
  Time start;
  Duration duration{};
  bool send = false;  ///< false if received
  std::int32_t loop = 0;
  std::int32_t channel = 0;
  std::int32_t chunk = 0;  ///< step of the ring, counted from 0
  std::int32_t slice = 0;
};
using ChunkTrace = TensorTrace<ChunkEvent>;

/// nccl_rank_graph.json: how NCCL connected the ranks.
struct RankGraph {
  struct Hop {
    std::int32_t channel = 0;
    std::int32_t from = 0;  ///< a rank
    std::int32_t to = 0;
    friend auto operator<=>(const Hop&, const Hop&) noexcept = default;
  };
  std::vector<Hop> ring;  ///< ascending, each once
  bool tree = false;      ///< the file also describes trees
};

/// comm_timeline.json: the messages between the workers and servers of BytePS.
struct MessageEvent {
  enum class Kind : std::uint8_t { kPushRequest, kPushResponse, kPullRequest, kPullResponse };
  std::uint32_t tensor = 0;
  Time start;  ///< on the clock of the sender
  Duration duration{};
  std::int32_t partition = -1;  ///< the k of "~PART<k>"; -1 if the tensor is not divided
  Kind kind = Kind::kPushRequest;
  std::int32_t worker = 0;  ///< the n of "worker_<n>"
  std::int32_t server = 0;
};
using MessageTrace = TensorTrace<MessageEvent>;

/// server_timeline.json: the work of BytePS's servers on the data they received.
struct ServerEvent {
  enum class Kind : std::uint8_t { kCopyFirst, kSum, kCopyMerged };
  std::uint32_t tensor = 0;
  Time start;
  Duration duration{};
  std::int32_t partition = -1;
  Kind kind = Kind::kCopyFirst;
  std::int32_t server = 0;
  std::int32_t thread = 0;  ///< thread of the server's engine
};
using ServerTrace = TensorTrace<ServerEvent>;

/// key_dict.txt: the keys under which BytePS sends each tensor, one per partition.
struct KeyTable {
  struct Tensor {
    std::string name;
    std::vector<std::int64_t> keys;
  };
  std::vector<Tensor> tensors;
};

}  // namespace stepsim::ingest

#endif
