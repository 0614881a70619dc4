#ifndef STEPSIM_INGEST_PARTS_EXECUTION_GRAPH_H
#define STEPSIM_INGEST_PARTS_EXECUTION_GRAPH_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/base/id.h"
#include "model/base/units.h"
#include "model/job/collective.h"
#include "model/job/operator_work.h"

namespace stepsim::ingest {

/// The work of one rank as nodes and their dependencies, read from an execution trace of Chakra or PyTorch. It has no
/// start times, and only some nodes have durations.
struct ExecutionGraph {
  /// The resource that executes a node. Each row of a resource (a thread or a stream) executes one node at a time,
  /// except for receives.
  enum class Kind : std::uint8_t {
    kNothing,     ///< it only joins dependencies, as metadata does
    kHost,        ///< a thread of the host
    kDevice,      ///< a stream of the device
    kMemory,      ///< copies between memories
    kCollective,  ///< a collective with other ranks
    kSend,        ///< a send to a peer
    kReceive,     ///< a receive from a peer; runs in parallel with all other nodes
  };
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  static constexpr std::int64_t kNoRow = -1;

  struct Node {
    std::int64_t id = 0;
    std::uint32_t name = 0;  ///< index into texts
    Kind kind = Kind::kNothing;
    std::int64_t row = kNoRow;      ///< the thread or stream, if the trace names it
    Duration duration{};            ///< 0 if the trace does not give it
    std::uint32_t message = kNone;  ///< index into messages; only for kCollective, kSend and kReceive
    std::uint32_t which = kNone;    ///< index into operators, if the work is known
    std::uint64_t after_end = 0;    ///< end of this node's range in `after`
  };
  /// The data that a node moves between ranks.
  struct Message {
    CollectiveOp op = CollectiveOp::kUnknown;
    Bytes bytes{};            ///< input of this rank; 0 if unknown
    std::uint32_t group = 0;  ///< for a collective, its group's name as an index into texts; "" for all ranks
    std::int64_t peer = -1;   ///< the other rank of a send or receive, the root of a broadcast or reduce
    std::int64_t tag = 0;     ///< only for a send or receive
  };

  std::vector<Node> nodes;           ///< by id, each id once
  std::vector<std::uint32_t> after;  ///< dependencies as indices into nodes, grouped by node; no cycles
  std::vector<Message> messages;
  std::vector<OperatorTable::Operator> operators;  ///< the distinct operators
  std::map<std::string, std::vector<Rank>>
      groups;  ///< members by group name, ascending; only groups that the trace lists
  std::vector<std::string> texts;
  std::optional<std::int64_t> rank;  ///< from the file's name or content
  std::size_t world = 0;             ///< ranks of the job; 0 if unknown

  [[nodiscard]] const std::string& name_of(std::size_t node) const noexcept { return texts[nodes[node].name]; }
  [[nodiscard]] std::span<const std::uint32_t> after_of(std::size_t node) const noexcept {
    const std::uint64_t begin = node == 0 ? 0 : nodes[node - 1].after_end;
    return std::span(after).subspan(begin, nodes[node].after_end - begin);
  }
};

/// The operators and annotations of one process in the order in which they began, and the memory they used, as
/// PyTorch's ExecutionTraceObserver records them. It has no times. Together with a torch.profiler trace of the same run
/// it completes that trace; alone it can be turned into an ExecutionGraph.
struct ExecutionTrace {
  static constexpr std::uint32_t kNone = ExecutionGraph::kNone;

  enum class Role : std::uint8_t {
    kOther,
    kOperator,    ///< an operator, because it has a schema; not an annotation
    kCollective,  ///< starts a collective ("record_param_comms")
    kWait,        ///< makes its stream wait for a collective
  };
  struct Operator {
    std::int64_t id = 0;
    std::int64_t parent = 0;        ///< the id of the enclosing operator
    std::int64_t sequence = -1;     ///< the collective's number; only for kCollective and kWait
    std::uint64_t uses_end = 0;     ///< end of this operator's range in `uses`
    std::uint32_t name = 0;         ///< index into texts
    std::uint32_t which = kNone;    ///< index into operators, if its shapes are useful
    std::uint32_t message = kNone;  ///< index into messages; only for kCollective
    Role role = Role::kOther;
    bool on_device = false;  ///< one of its tensors is in an accelerator's memory
  };
  /// One use of a tensor's memory.
  struct Use {
    std::int64_t storage = 0;
    bool written = false;  ///< true for a result, false for an input
  };

  std::vector<Operator> runs;  ///< by id, each id once
  std::vector<Use> uses;       ///< grouped by operator
  std::vector<ExecutionGraph::Message> messages;
  std::vector<OperatorTable::Operator> operators;  ///< distinct, with their shapes
  std::map<std::string, std::vector<Rank>> groups;
  std::vector<std::string> texts;
  std::int64_t process = -1;         ///< process id; -1 if unknown
  std::optional<std::int64_t> rank;  ///< from the file's name
  std::size_t world = 0;             ///< ranks of the job; 0 if unknown

  [[nodiscard]] std::span<const Use> uses_of(std::size_t run) const noexcept {
    const std::uint64_t begin = run == 0 ? 0 : runs[run - 1].uses_end;
    return std::span(uses).subspan(begin, runs[run].uses_end - begin);
  }
};

}  // namespace stepsim::ingest

#endif
