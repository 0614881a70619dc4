#ifndef STEPSIM_INGEST_PARTS_EXECUTION_TRACE_H
#define STEPSIM_INGEST_PARTS_EXECUTION_TRACE_H

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ingest/parts/execution_graph.h"
#include "model/base/units.h"
#include "model/job/operator_work.h"

namespace stepsim::ingest {

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
