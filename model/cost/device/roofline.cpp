// A kernel of given work takes
//     t = floor + max(flops / peak(precision), bytes / bandwidth)
// at best: the roofline of Williams, Waterman and Patterson, "Roofline: an insightful visual
// performance model for multicore architectures", CACM 52(4), 2009, with the time that a kernel
// takes to start, wait for memory once and end in front. No kernel is that good. How good one is
// belongs to it, so the recorded duration is scaled by the ratio of the two devices' best times:
//     t_to = t_recorded * t(to) / t(from)
// A small kernel is all floor and follows the devices' latencies, a large one what bounds it.
//
// Without work (no shapes) the recorded time beyond the floor is taken to follow what bounds a
// kernel of its class:
//     t_to = floor_to + (t_recorded - floor_from) * rate_from / rate_to
// and a kernel shorter than the floor scales as the floors do.
//
// A product that leaves the matrix units, in TF32 on a device that has it for one that has not, or
// for fp32, does not take its efficiency along: what kept the matrix units waiting is no obstacle to
// units an eighth as fast. It takes what the memory's change makes of it, or the new units' best
// time if that is longer.
//
// Work may change as well as the device: t(to) is then of the work that is done there. Without work
// it is the amount that changes, of what the class is bound by.
//
// peak is what the best measured matrix products reach (Accelerator::matrix_share), not the datasheet's.
#include "model/cost/device/roofline.h"

#include <algorithm>

namespace stepsim {
namespace {

double floor_of(const Accelerator& device) { return static_cast<double>(device.floor.count()); }

/// Seconds to nanoseconds.
constexpr double kNanoseconds = 1e9;

double flops_time(const Work& work, const Accelerator& device) {
  return work.flops / device.flops(work.precision) * kNanoseconds;
}

double memory_time(const Work& work, const Accelerator& device) {
  return work.bytes / device.memory.bytes_per_second() * kNanoseconds;
}

double best_time(const Work& work, const Accelerator& device) {
  return floor_of(device) + std::max(flops_time(work, device), memory_time(work, device));
}

ScaledBy bound_by(const Work& work, const Accelerator& device) {
  const double flops = flops_time(work, device);
  const double memory = memory_time(work, device);
  if (std::max(flops, memory) < floor_of(device)) return ScaledBy::kOverhead;
  return flops > memory ? ScaledBy::kFlops : ScaledBy::kBytes;
}

bool on_matrix_units(const Work& work, const Accelerator& device) {
  return work.flops > 0 && device.peak_flops[static_cast<std::size_t>(work.precision)] >
                               device.peak_flops[static_cast<std::size_t>(Precision::kFloat32)];
}

double rate_of(Limit limit, Precision precision, const Accelerator& device) {
  switch (limit) {
    case Limit::kFlops: return device.flops(precision);
    case Limit::kMemory: return device.memory.bytes_per_second();
    case Limit::kHostLink: return device.host_link.bytes_per_second();
    case Limit::kNone: break;
  }
  return 1;
}

double by_class(const DeviceWork& before, const Accelerator& from, const DeviceWork& after, const Accelerator& to) {
  const auto recorded = static_cast<double>(before.recorded.count());
  if (recorded <= floor_of(from)) return recorded * floor_of(to) / floor_of(from);
  const Limit limit = limit_of(before.kind);
  const double ratio = rate_of(limit, before.precision, from) / rate_of(limit, after.precision, to);
  return floor_of(to) + (recorded - floor_of(from)) * ratio * after.amount / before.amount;
}

}  // namespace

Scaled roofline_scaled(const DeviceWork& before, const Accelerator& from, const DeviceWork& after,
                       const Accelerator& to) {
  const auto recorded = static_cast<double>(before.recorded.count());
  if (limit_of(before.kind) == Limit::kNone) {
    if (before.amount == after.amount) return {recorded, ScaledBy::kUnchanged};
    return {recorded * after.amount / before.amount, ScaledBy::kClass};
  }
  if (!before.work || !after.work) return {by_class(before, from, after, to), ScaledBy::kClass};
  if (on_matrix_units(*before.work, from) && !on_matrix_units(*after.work, to)) {
    const double by_memory = recorded * (after.work->bytes / to.memory.bytes_per_second()) /
                             (before.work->bytes / from.memory.bytes_per_second());
    return {std::max(by_memory, best_time(*after.work, to)), ScaledBy::kFlops};
  }
  return {recorded * best_time(*after.work, to) / best_time(*before.work, from), bound_by(*before.work, from)};
}

Scaled roofline_scaled(const DeviceWork& work, const Accelerator& from, const Accelerator& to) {
  return roofline_scaled(work, from, work, to);
}

}  // namespace stepsim
