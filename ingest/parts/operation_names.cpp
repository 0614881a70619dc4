#include "ingest/parts/operation_names.h"

#include <algorithm>
#include <array>
#include <string>

namespace stepsim::ingest {
namespace {

/// The operations and their words. A word comes before the shorter words that it contains. NCCL's kernel "sendrecv"
/// serves both messages and all-to-alls, so its operation is unknown.
constexpr std::array<NamedOperation, 12> kOperations{{{"sendrecv", CollectiveOp::kUnknown},
                                                      {"reducescatter", CollectiveOp::kReduceScatter},
                                                      {"allreduce", CollectiveOp::kAllReduce},
                                                      {"allgather", CollectiveOp::kAllGather},
                                                      {"alltoall", CollectiveOp::kAllToAll},
                                                      {"broadcast", CollectiveOp::kBroadcast},
                                                      {"gather", CollectiveOp::kUnknown},
                                                      {"scatter", CollectiveOp::kUnknown},
                                                      {"barrier", CollectiveOp::kBarrier},
                                                      {"send", CollectiveOp::kSendRecv},
                                                      {"recv", CollectiveOp::kSendRecv},
                                                      {"reduce", CollectiveOp::kReduce}}};

}  // namespace

const NamedOperation* find_operation(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c != '_') letters.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  const auto* const found = std::find_if(kOperations.begin(), kOperations.end(), [&](const NamedOperation& operation) {
    return letters.find(operation.letters) != std::string::npos;
  });
  return found == kOperations.end() ? nullptr : found;
}

std::string_view operation_of(std::string_view name) {
  const NamedOperation* const operation = find_operation(name);
  return operation == nullptr ? std::string_view{} : operation->letters;
}

}  // namespace stepsim::ingest
