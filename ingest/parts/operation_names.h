#ifndef STEPSIM_INGEST_PARTS_OPERATION_NAMES_H
#define STEPSIM_INGEST_PARTS_OPERATION_NAMES_H

#include <string_view>

#include "model/job/collective.h"

namespace stepsim::ingest {

/// What communication libraries do, under one word each.
struct NamedOperation {
  std::string_view letters;  ///< the name in lower case, without '_': "allgather"
  CollectiveOp op = CollectiveOp::kUnknown;
};

/// The operation that c10d ("_allgather_base_"), gloo ("all_gather") and NCCL ("AllGather") write differently; null for
/// names that are no operation's.
[[nodiscard]] const NamedOperation* find_operation(std::string_view name);

/// Its word; empty for names that are no operation's.
[[nodiscard]] std::string_view operation_of(std::string_view name);

}  // namespace stepsim::ingest

#endif
