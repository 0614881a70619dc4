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

/// What one rank does, as nodes and what each waits for: an execution trace of Chakra or PyTorch. When a node ran is
/// not known, and how long not always.
struct ExecutionGraph {
  /// What does a node's work, one node at a time in each row.
  enum class Kind : std::uint8_t {
    kNothing,     ///< it only joins dependencies, as metadata does
    kHost,        ///< a thread of the host
    kDevice,      ///< a stream of the device
    kMemory,      ///< copies between memories
    kCollective,  ///< with other ranks
    kSend,        ///< to a peer
    kReceive,     ///< from a peer, beside all else
  };
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  static constexpr std::int64_t kNoRow = -1;

  struct Node {
    std::int64_t id = 0;
    std::uint32_t name = 0;  ///< index into texts
    Kind kind = Kind::kNothing;
    std::int64_t row = kNoRow;      ///< the thread or stream, where the trace says it
    Duration duration{};            ///< 0: the trace does not say how long
    std::uint32_t message = kNone;  ///< index into messages, of kCollective, kSend and kReceive
    std::uint32_t which = kNone;    ///< index into operators, where what it has to do is known
    std::uint64_t after_end = 0;    ///< index into `after`: the end of those of this node
  };
  /// What a node moves between ranks.
  struct Message {
    CollectiveOp op = CollectiveOp::kUnknown;
    Bytes bytes{};            ///< what this rank puts in; 0: not known
    std::uint32_t group = 0;  ///< of a collective: the group's name, an index into texts; "" for all ranks
    std::int64_t peer = -1;   ///< the other rank of a send or receive, the root of a broadcast or reduce
    std::int64_t tag = 0;     ///< of a send or receive
  };

  std::vector<Node> nodes;           ///< by id, each id once
  std::vector<std::uint32_t> after;  ///< what must have ended, as indices into nodes; by node, without cycles
  std::vector<Message> messages;
  std::vector<OperatorTable::Operator> operators;   ///< distinct kinds of work
  std::map<std::string, std::vector<Rank>> groups;  ///< the members of those that the trace lists, ascending
  std::vector<std::string> texts;
  std::optional<std::int64_t> rank;  ///< as the file's name or content says
  std::size_t world = 0;             ///< ranks of the job; 0: not said

  [[nodiscard]] const std::string& name_of(std::size_t node) const noexcept { return texts[nodes[node].name]; }
  [[nodiscard]] std::span<const std::uint32_t> after_of(std::size_t node) const noexcept {
    const std::uint64_t begin = node == 0 ? 0 : nodes[node - 1].after_end;
    return std::span(after).subspan(begin, nodes[node].after_end - begin);
  }
};

/// The operators and annotations of one process in the order in which they began, and the memory that they used:
/// PyTorch's ExecutionTraceObserver. It has no times. Beside a trace of torch.profiler of the same run it completes
/// that; alone it is what an ExecutionGraph can be made of.
struct ExecutionTrace {
  static constexpr std::uint32_t kNone = ExecutionGraph::kNone;

  enum class Role : std::uint8_t {
    kOther,
    kOperator,    ///< it has a schema: an operator and no annotation
    kCollective,  ///< it starts a collective ("record_param_comms")
    kWait,        ///< it makes its stream wait for a collective
  };
  struct Operator {
    std::int64_t id = 0;
    std::int64_t parent = 0;        ///< the id of the one around it
    std::int64_t sequence = -1;     ///< of kCollective and kWait: the collective's number
    std::uint64_t uses_end = 0;     ///< index into `uses`: the end of those of this operator
    std::uint32_t name = 0;         ///< index into texts
    std::uint32_t which = kNone;    ///< index into operators, where its shapes tell something
    std::uint32_t message = kNone;  ///< index into messages, of kCollective
    Role role = Role::kOther;
    bool on_device = false;  ///< a tensor of it is in the memory of an accelerator
  };
  /// A tensor's memory.
  struct Use {
    std::int64_t storage = 0;
    bool written = false;  ///< it is a result; else read
  };

  std::vector<Operator> runs;  ///< by id, each id once
  std::vector<Use> uses;       ///< by operator
  std::vector<ExecutionGraph::Message> messages;
  std::vector<OperatorTable::Operator> operators;  ///< distinct, with their shapes
  std::map<std::string, std::vector<Rank>> groups;
  std::vector<std::string> texts;
  std::int64_t process = -1;         ///< its id; -1: not said
  std::optional<std::int64_t> rank;  ///< as the file's name says
  std::size_t world = 0;             ///< ranks of the job; 0: not said

  [[nodiscard]] std::span<const Use> uses_of(std::size_t run) const noexcept {
    const std::uint64_t begin = run == 0 ? 0 : runs[run - 1].uses_end;
    return std::span(uses).subspan(begin, runs[run].uses_end - begin);
  }
};

}  // namespace stepsim::ingest

#endif
