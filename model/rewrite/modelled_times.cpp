#include "model/rewrite/modelled_times.h"

#include <cmath>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "model/cost/device/device_work.h"
#include "model/cost/device/roofline.h"
#include "model/rewrite/capture_edit.h"

namespace stepsim {
namespace {

/// Maximum plausible duration of a kernel. If a kernel takes longer, its shapes are corrupt.
constexpr double kLongest = 6e14;  // a week in nanoseconds

bool is_untimed(const Capture& capture, const OperatorTable::Use& use) {
  const bool on_device = capture.dag.kind(use.task) == TaskKind::kKernel;
  const Work& work = capture.operators.operators[use.which].work;
  return on_device && capture.dag.duration(use.task) == Duration{} && (work.bytes > 0 || work.flops > 0);
}

/// Returns the work with a precision. A vendor-neutral graph gives the number of operations but not their precision, so
/// float16 is assumed, as is usual for training.
Work precise(const OperatorTable::Operator& op) {
  Work work = op.work;
  if (op.shapes.empty()) work.precision = Precision::kFloat16;
  return work;
}

}  // namespace

UntimedWork untimed_work(const Capture& capture) {
  UntimedWork untimed;
  if (!capture.recording.start.empty() || !capture.task_ids.empty()) return untimed;
  for (const OperatorTable::Use& use : capture.operators.uses) untimed.device += is_untimed(capture, use) ? 1U : 0U;
  for (const TaskId task : capture.dag.tasks()) {
    const bool communicates = capture.dag.kind(task) == TaskKind::kCollective && capture.dag.bytes(task) > Bytes{};
    if (communicates && capture.dag.duration(task) == Duration{}) ++untimed.communication;
  }
  return untimed;
}

Capture with_modelled_times(const Capture& capture, const Accelerator& device) {
  CaptureEdit edit(capture);
  std::size_t modelled = 0;
  bool assumed = false;
  for (const OperatorTable::Use& use : capture.operators.uses) {
    if (!is_untimed(capture, use)) continue;
    const OperatorTable::Operator& op = capture.operators.operators[use.which];
    assumed = assumed || op.shapes.empty();
    const Work work = precise(op);
    DeviceWork piece{.kind = work.kind, .precision = work.precision, .work = work};
    const double nanoseconds = roofline_time(piece, device);
    if (!(nanoseconds <= kLongest)) continue;
    edit.builder().set_duration(use.task, Duration{std::llround(nanoseconds)});
    ++modelled;
  }
  Capture modelled_capture = std::move(edit).finish();
  for (const Rank rank : modelled_capture.recording.ranks)
    modelled_capture.devices.insert_or_assign(rank, std::string{device.name});
  modelled_capture.assumptions.push_back(
      {std::string{kModelledTimes},
       fmt::format(
           "The durations of {} tasks are not recorded but modelled by roofline on {} ({}){}. Launches and other CPU "
           "work take no time, so a step that is limited by the CPU takes longer.",
           modelled, device.name, device.source, assumed ? ", with 16 bits where the precision is not given" : "")});
  return modelled_capture;
}

}  // namespace stepsim
