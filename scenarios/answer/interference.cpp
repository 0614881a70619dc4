#include "scenarios/answer/interference.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "model/calibration/interference.h"

namespace stepsim::scenarios {
namespace {

bool communicates(const Dag& dag) {
  for (std::size_t i = 0; i < dag.task_count(); ++i) {
    const TaskKind kind = dag.kind(TaskId{i});
    if (kind == TaskKind::kCollective || kind == TaskKind::kTransfer) return true;
  }
  return false;
}

std::string listed(const std::vector<Slowdown>& slowdowns) {
  std::string text;
  for (const Slowdown& each : slowdowns) {
    text += fmt::format("{}{} {:.2f} times as long ({} compared)", text.empty() ? "" : ", ", to_text(each.kernel_class),
                        each.factor, each.kernels);
  }
  return text;
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
