#include "model/cost/device/roofline.h"

#include <algorithm>
#include <cmath>

#include "model/base/units.h"

namespace stepsim {
namespace {

Duration rounded(double nanoseconds) {
  const auto most = static_cast<double>(kEndOfTime.time_since_epoch().count());
  return nanoseconds < most ? Duration{std::llround(std::max(0.0, nanoseconds))} : kEndOfTime.time_since_epoch();
}

void count(ScaledShare::Part& part, Duration before, Duration after) {
  part.before += before;
  part.after += after;
  ++part.pieces;
}

}  // namespace

std::string_view to_text(ScaledBy by) noexcept {
  static constexpr std::array<std::string_view, kScaledByCount> kNames{"flops", "bytes",  "overhead",
                                                                       "class", "factor", "unchanged"};
  return kNames[static_cast<std::size_t>(by)];
}

ScaledShare::Part ScaledShare::total() const noexcept {
  Part total;
  for (const Part& part : by) {
    total.before += part.before;
    total.after += part.after;
    total.pieces += part.pieces;
  }
  return total;
}

ScaledShare rescale(const DevicePieces& pieces, const std::function<Scaled(TaskId, const DeviceWork&)>& scale,
                    std::vector<Duration>& durations, double side) {
  ScaledShare share;
  for (const auto& [task, piece] : pieces) {
    Duration& duration = durations[task.index()];
    const Duration before = duration;
    const Scaled scaled = scale(task, piece);
    const auto by = static_cast<std::size_t>(scaled.by);
    if (scaled.by != ScaledBy::kUnchanged && rounded(scaled.nanoseconds) != before)
      duration = rounded(scaled.nanoseconds * std::pow(1 + scaled.error, side));
    count(share.by[by], before, duration);
    count(share.kind[static_cast<std::size_t>(piece.kind)], before, duration);
  }
  return share;
}

ScaledDurations scaled_durations(const Capture& capture, const std::function<Scaled(const DeviceWork&)>& scale) {
  ScaledDurations out;
  out.duration.reserve(capture.dag.task_count());
  for (const TaskId task : capture.dag.tasks()) out.duration.push_back(capture.dag.duration(task));
  const auto scale_piece = [&scale](TaskId /*task*/, const DeviceWork& piece) { return scale(piece); };
  out.share = rescale(device_work(capture), scale_piece, out.duration);
  return out;
}

}  // namespace stepsim
