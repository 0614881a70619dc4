#ifndef STEPSIM_INGEST_PARTS_OPERATION_NAMES_H
#define STEPSIM_INGEST_PARTS_OPERATION_NAMES_H

#include <string_view>

#include "model/job/collective.h"

namespace stepsim::ingest {

/// A communication operation and the word by which stepsim refers to it.
struct NamedOperation {
  std::string_view letters;  ///< name in lower case, without '_': "allgather"
  CollectiveOp op = CollectiveOp::kUnknown;
};

/// Finds an operation by the name that c10d ("_allgather_base_"), gloo ("all_gather") or NCCL ("AllGather") uses.
/// Returns null if the name contains no operation.
[[nodiscard]] const NamedOperation* find_operation(std::string_view name);

/// Returns the operation's word (NamedOperation::letters), or an empty string if the name contains no operation.
[[nodiscard]] std::string_view operation_of(std::string_view name);

}  // namespace stepsim::ingest

#endif
