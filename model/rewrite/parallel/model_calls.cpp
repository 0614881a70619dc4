#include "model/rewrite/parallel/model_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "model/base/error.h"
#include "model/cost/device/device_work.h"

namespace stepsim {
namespace {

/// The least share of the model's device time that must be of operators with shapes. Other kernels are in no layer.
constexpr double kLeastWithShapes = 0.8;

}  // namespace

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

void need_shapes(const Capture& capture) {
  Duration all{};
  Duration with_shapes{};
  for (const auto& [task, piece] : device_work(capture)) {
    if (capture.dag.kind(task) != TaskKind::kKernel || piece.in_optimizer) continue;
    all += piece.recorded;
    if (piece.which) with_shapes += piece.recorded;
  }
  const double share =
      all > Duration{} ? static_cast<double>(with_shapes.count()) / static_cast<double>(all.count()) : 0;
  if (share >= kLeastWithShapes) return;
  throw CannotAnswer({},
                     fmt::format("{:.0f} % of the kernels' time is of operators with shapes, so that most layers are "
                                 "not known; expected {:.0f} %: a trace with record_shapes=True and without CUDA "
                                 "graphs",
                                 100 * share, 100 * kLeastWithShapes));
}

}  // namespace stepsim
