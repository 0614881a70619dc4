#include "scenarios/change/device_rule.h"

#include <fmt/format.h>

#include <utility>

#include "model/base/text.h"
#include "model/cost/device/roofline.h"

namespace stepsim::scenarios {
namespace {

/// By TaskId.
std::vector<bool> mask_of(const Selector& selector, const Capture& capture) {
  std::vector<bool> mask(capture.dag.task_count(), selector.is_all());
  if (selector.is_all()) return mask;
  for (const TaskId task : selector.select(capture)) mask[task.index()] = true;
  return mask;
}

Plan::Reshape reshape_of(const Change& change, const ChangePieces& pieces) {
  return [selector = change.selector(), pieces](const Capture& capture, DevicePieces& all) {
    const std::vector<bool> mask = mask_of(selector, capture);
    const ChangePiece changed = pieces(capture, all);
    for (auto& [task, piece] : all) {
      if (mask[task.index()]) piece = changed(piece);
    }
  };
}

/// The device work of a graph as earlier changes left it.
DevicePieces pieces_after(const std::vector<Plan::Reshape>& reshapes, const Capture& capture,
                          const std::vector<Duration>& durations) {
  DevicePieces pieces = device_work(capture);
  for (auto& [task, piece] : pieces) piece.recorded = durations[task.index()];
  for (const Plan::Reshape& reshape : reshapes) reshape(capture, pieces);
  return pieces;
}

std::string device_of(const Capture& capture) {
  if (capture.devices.empty()) return "the trace does not name its device";
  return fmt::format("the trace names its device '{}', which the library lacks",
                     shown(capture.devices.begin()->second, 60));
}

}  // namespace

void require_kernels(const Plan& plan, const YamlField& value) {
  if (has_kernels(*plan.captured)) return;
  value.fail(
      "the capture shows no kernels of a device, only what a framework or a task graph calls its work; expected a "
      "profiler's trace of a GPU, or 'compute: {scale: ...}'");
}

void add_knowledge(Plan& plan, const Change& change, const ChangePieces& pieces) {
  plan.reshapes.push_back(reshape_of(change, pieces));
}

void add_device_rule(Plan& plan, const Change& change, const ChangePieces& pieces, const TimePiece& time,
                     std::string_view kept) {
  const auto scale = [selector = change.selector(), earlier = plan.reshapes, pieces, time](
                         const Capture& capture, std::vector<Duration>& durations, const ScaledBias& bias) {
    const DevicePieces now = pieces_after(earlier, capture, durations);
    const ChangePiece changed = pieces(capture, now);
    const std::vector<bool> mask = mask_of(selector, capture);
    const auto scaled = [&](TaskId task, const DeviceWork& piece) {
      return mask[task.index()] ? time(piece, changed(piece)) : Scaled{};
    };
    return rescale(now, scaled, durations, bias);
  };
  const std::string_view apart = change.selector().is_all() ? "" : ", and what is not selected";
  plan.rules.emplace_back(Plan::DeviceRule{change.to_text(), std::string(kept).append(apart), scale});
  add_knowledge(plan, change, pieces);
}

TimePiece by_roofline(const YamlField& value, const Plan& plan) {
  return [value, device = device_of(*plan.captured)](const DeviceWork& before, const DeviceWork& after) {
    if (before == after) return Scaled{};
    if (before.on == nullptr || after.on == nullptr)
      value.fail(device + "; expected a change before it that does, such as {device: {from: A100}}");
    return roofline_scaled(before, *before.on, after, *after.on);
  };
}

}  // namespace stepsim::scenarios
