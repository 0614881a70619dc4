#include "scenarios/answer/interference.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "model/base/text.h"
#include "model/calibration/interference.h"

namespace stepsim::scenarios {
namespace {

bool communicates(const Dag& dag) {
  for (const TaskId task : dag.tasks()) {
    const TaskKind kind = dag.kind(task);
    if (kind == TaskKind::kCollective || kind == TaskKind::kTransfer) return true;
  }
  return false;
}

std::string listed(const std::vector<Slowdown>& slowdowns) {
  return joined(slowdowns, [](const Slowdown& each) {
    return fmt::format("{} {:.2f} times as long ({} compared)", to_text(each.kernel_class), each.factor, each.kernels);
  });
}

}  // namespace

void learn_interference(Predictor& predictor, bool wanted, const sim::EngineOptions& options) {
  const Capture& captured = *predictor.plan().captured;
  if (!communicates(captured.dag)) return;
  if (!wanted) {
    return predictor.add_assumption(
        {"interference_off",
         "Kernels take as long as captured, whatever communication runs beside them (--no-interference)."});
  }
  std::vector<Slowdown> slowdowns = evident_slowdowns(captured);
  if (slowdowns.empty()) {
    return predictor.add_assumption(
        {"interference_unknown",
         "The capture does not show by how much communication slows compute beside it: durations stay as captured "
         "where a change moves communication."});
  }
  predictor.add_assumption(
      {"interference", fmt::format("Beside communication kernels take longer than alone, as the captured steps "
                                   "show: {}. Those follow where communication moves; others stay as captured.",
                                   listed(slowdowns))});
  predictor.follow_interference(std::move(slowdowns), options);
}

}  // namespace stepsim::scenarios
