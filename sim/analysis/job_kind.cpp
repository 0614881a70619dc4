#include "sim/analysis/job_kind.h"

#include <algorithm>

namespace stepsim::sim {

JobKind job_kind(const Capture& capture) {
  const std::vector<RecordedStep>& steps = capture.recording.steps;
  const std::vector<Lane>& lanes = capture.dag.lanes();
  JobKind kind;
  kind.marks_steps = std::any_of(steps.begin(), steps.end(), [](const RecordedStep& step) { return step.marked; });
  kind.has_servers = capture.parameter_server != nullptr;
  kind.has_device_work =
      std::any_of(lanes.begin(), lanes.end(), [](const Lane& lane) { return lane.kind == LaneKind::kStream; });
  for (const auto& [rank, device] : capture.devices) kind.devices.insert(device);
  return kind;
}

}  // namespace stepsim::sim
