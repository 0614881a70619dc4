#include "model/cost/device/device_model.h"

#include <algorithm>

namespace stepsim {

bool DeviceChange::is_meant(TaskId task, KernelClass kind) const {
  const bool kind_meant = kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  return kind_meant && (selected.empty() || selected[task.index()]);
}

const DeviceModel* find_device_model(std::string_view name) noexcept {
  for (const DeviceModel* const model : device_models()) {
    if (model->name == name) return model;
  }
  return nullptr;
}

ScaledDurations scaled_durations(const Capture& capture, const DeviceModel& model, const DeviceChange& change) {
  ScaledDurations out;
  out.duration.reserve(capture.dag.task_count());
  for (std::size_t i = 0; i < capture.dag.task_count(); ++i) out.duration.push_back(capture.dag.duration(TaskId{i}));
  const auto scale = [&](TaskId task, const DeviceWork& piece) {
    return change.is_meant(task, piece.kind) ? model.scale(piece, change) : Scaled{};
  };
  out.share = rescale(device_work(capture), scale, out.duration);
  return out;
}

}  // namespace stepsim
