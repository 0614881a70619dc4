#include "model/cost/device/roofline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

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

/// The smallest and largest factor of pieces that have known shapes, the same class and precision, and similar length.
struct Members {
  std::size_t count = 0;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;

  void include(const Members& other) {
    count += other.count;
    least = std::min(least, other.least);
    most = std::max(most, other.most);
  }
};

/// Pieces are alike if they have the same class, precision and log2 of the length, rounded down.
using Likeness = std::tuple<KernelClass, Precision, int>;

Likeness likeness_of(const DeviceWork& piece, double duration) {
  return {piece.kind, piece.precision, std::ilogb(std::max(1.0, duration))};
}

bool has_shapes(ScaledBy by) { return by == ScaledBy::kFlops || by == ScaledBy::kBytes || by == ScaledBy::kOverhead; }

/// Returns the combined members of the same class and precision whose length has the same power of two or a
/// neighbouring one.
Members members_like(const std::map<Likeness, Members>& members, Likeness like) {
  Members all;
  std::get<int>(like) -= 1;
  for (int i = 0; i < 3; ++i, ++std::get<int>(like)) {
    if (const auto found = members.find(like); found != members.end()) all.include(found->second);
  }
  return all;
}

/// Limits pieces without shapes to the factors of similar pieces; see rescale().
void keep_within_members(const DevicePieces& pieces, const std::vector<Duration>& durations,
                         std::vector<Scaled>& scaled) {
  std::map<Likeness, Members> members;
  std::size_t i = 0;
  for (const auto& [task, piece] : pieces) {
    const Scaled& one = scaled[i++];
    const auto before = static_cast<double>(durations[task.index()].count());
    if (!has_shapes(one.by) || before <= 0) continue;
    const double factor = one.nanoseconds / before;
    members[likeness_of(piece, before)].include({1, factor, factor});
  }
  if (members.empty()) return;
  i = 0;
  for (const auto& [task, piece] : pieces) {
    Scaled& one = scaled[i++];
    if (one.by != ScaledBy::kClass || limit_of(piece.kind) == Limit::kNone) continue;
    const auto before = static_cast<double>(durations[task.index()].count());
    const Members like = members_like(members, likeness_of(piece, before));
    if (like.count >= kFewestMembers)
      one.nanoseconds = std::clamp(one.nanoseconds, before * like.least, before * like.most);
  }
}

}  // namespace

std::string_view to_text(ScaledBy by) noexcept {
  static constexpr std::array<std::string_view, kScaledByCount> kNames{"flops",  "bytes",  "overhead", "class",
                                                                       "amount", "factor", "unchanged"};
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
  std::vector<Scaled> all;
  for (const auto& [task, piece] : pieces) all.push_back(scale(task, piece));
  keep_within_members(pieces, durations, all);
  std::size_t next = 0;
  for (const auto& [task, piece] : pieces) {
    Duration& duration = durations[task.index()];
    const Duration before = duration;
    const Scaled& scaled = all[next++];
    const auto by = static_cast<std::size_t>(scaled.by);
    if (scaled.by != ScaledBy::kUnchanged && rounded(scaled.nanoseconds) != before)
      duration = rounded(scaled.nanoseconds * std::pow(1 + scaled.error, side));
    count(share.by[by], before, duration);
    count(share.named[static_cast<std::size_t>(piece.named)], before, duration);
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
