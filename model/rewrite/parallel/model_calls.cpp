#include "model/rewrite/parallel/model_calls.h"

#include <algorithm>
#include <numeric>

namespace stepsim {

std::vector<ModelCall> model_calls(const Capture& capture) {
  const std::vector<OperatorTable::Use>& uses = capture.operators.uses;
  std::vector<std::size_t> order(uses.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&uses](std::size_t a, std::size_t b) { return uses[a].occurrence < uses[b].occurrence; });
  std::vector<ModelCall> calls;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const OperatorTable::Use& use = uses[order[i]];
    if (i == 0 || use.occurrence != uses[order[i - 1]].occurrence) {
      const Pass of_model = use.in_backward ? Pass::kBackward : Pass::kForward;
      calls.push_back({use.which, use.in_optimizer ? Pass::kUpdate : of_model, {}, use.task, use.task});
    }
    calls.back().uses.push_back(order[i]);
    calls.back().last = use.task;
  }
  return calls;
}

}  // namespace stepsim
