#include "model/job/collective.h"

#include <algorithm>
#include <iterator>

#include "model/base/text.h"

namespace stepsim {

NamedOperation named_operation(CollectiveOp op) noexcept {
  if (op == CollectiveOp::kUnknown) return {};
  return *std::find_if(std::begin(kOperations), std::end(kOperations),
                       [op](const NamedOperation& operation) { return operation.op == op; });
}

const NamedOperation* find_operation(std::string_view name) {
  const std::string plain = plain_name(name);
  const auto* const found =
      std::find_if(std::begin(kOperations), std::end(kOperations),
                   [&plain](const NamedOperation& operation) { return contains(plain, operation.word); });
  return found == std::end(kOperations) ? nullptr : found;
}

bool nccl_counts_one_part(std::string_view function) {
  const NamedOperation* const operation = find_operation(function);
  return operation != nullptr && operation->of_one_part;
}

}  // namespace stepsim
