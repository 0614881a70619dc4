// The minimum time of a kernel with known work is
//     t = floor + max(flops / peak(precision), bytes / bandwidth)
// This is the roofline of Williams, Waterman and Patterson, "Roofline: an insightful visual performance model for
// multicore architectures", CACM 52(4), 2009, plus a floor: the time to start, wait for memory once and end. peak and
// bandwidth are what large kernels reach (Accelerator::flops, bytes_per_second), not the data-sheet values.
//
// For a product of known shape there is a better estimate:
//     t = floor + kProductStart + sqrt(p^2 + m^2)
// where p = product_time() is the time of the arithmetic and m = bytes / bandwidth is the time of the transfers. The
// formula adds squares, because a product whose arithmetic and transfers take equally long overlaps them only partly.
//
// A kernel's efficiency is a property of the kernel, so the recorded duration is scaled by the ratio of the minimum
// times on the two devices:
//     t_to = t_recorded * t(to) / t(from)
// So a small kernel, which is mostly floor, follows the devices' latencies, and a large one follows what limits it.
//
// This is only true of a kernel that fills its device. For a smaller kernel, the time beyond the minimum is a chain of
// latencies, which does not grow with the work. The excess e = t_recorded - t(from) is therefore divided: a share s is
// scaled as above, and the rest is scaled like the floors:
//     t_to = t(to) + e * (s * t(to) / t(from) + (1 - s) * floor_to / floor_from)
// s is the share of the device that the kernel fills: the time of its work, divided by the time to move as many bytes
// as all threads of the device can have under way, but at most 1. (Habitat, Yu et al., ATC 2021, keeps times within a
// wave of blocks for the same reason.)
//
// If the work is not known (no shapes), the recorded time beyond the floor is assumed to follow what limits the
// kernel's class:
//     t_to = floor_to + (t_recorded - floor_from) * rate_from / rate_to
// A kernel shorter than the floor scales like the floors. If memory limits the class and the kernel's launch was
// recorded, only the share of the device that its blocks fill (accelerator.h) scales this way, and the rest scales like
// the floors. If a product runs on matrix units on only one of the two devices, it is not known how well it fills these
// units and how much it waits for memory there. Its factor is the geometric mean of the ratio of the rates and the
// ratio of the bandwidths. The rule is the same for products that move onto matrix units and for products that leave
// them.
//
// A product that leaves the matrix units (TF32 to a device without it, or a change to fp32) does not keep its
// efficiency: what kept the matrix units waiting does not slow units that are eight times slower. Its time is scaled by
// the change of the memory bandwidth, or is the minimum time of the new units if that is longer.
//
// The times of a modelled step are these minimum times, with one more factor for what runs in a step: products on
// matrix units reach Accelerator::step_share of their rate. Another device then gives the times that it would have if
// the step were modelled for it.
//
// If the shortest kernels of a capture take longer than the floor, all its kernels start that much later
// (DeviceWork::late_start), and this time is added to the floors.
//
// A pass over memory finds part of its data in the last cache, because it mostly reads what was just written; bytes /
// bandwidth then uses the cache's rate (Accelerator::pass_seconds). On the device that it ran on, the recorded time
// shows how much a kernel uses the cache: if it takes longer than memory would need, something else limits it. A norm
// over rows computes the statistics of a row and then reads it again. The second read comes from the cache if all rows
// under way fit, so for a device with a small cache half of the traffic is added.
//
// A product in fp8 (DeviceWork::recipe) needs its operands quantised. Kernels of their own do that, so their time,
// which is that of their traffic and of two starts, is added to the time of the product.
//
// Frameworks compute fp32 convolutions in tf32 on some devices. A convolution therefore changes from fp32 to tf32, or
// back, if only one of the two devices does this.
//
// The work can change as well as the device; t(to) is then the time of the new work. If the work is not known,
// rate_from / rate_to is also multiplied by the relative amount of the new work (DeviceWork::amount).
#include "model/cost/device/roofline.h"

#include <algorithm>
#include <cmath>

#include "model/cost/device/accelerator.h"

namespace stepsim {
namespace {

/// Nanoseconds per second.
constexpr double kNanoseconds = 1e9;

/// Time in nanoseconds, beyond the floor, in which a product fills and drains its pipeline. The shortest products of
/// vidur's tables (A100, H100) take 4 us longer than an empty kernel. This value is a part of that difference.
constexpr double kProductStart = 2'000;

/// Threads per processor, if not known.
constexpr double kThreads = 2'048;

/// Bytes that a processor's threads can have under way: 8 per thread.
constexpr double kUnderWay = kThreads * 8;

/// Threads of a block that normalises a row in PyTorch.
constexpr double kThreadsOfRow = 128;

/// Returns the nanoseconds that a kernel of the piece's capture needs to start on `device`.
double floor_of(const DeviceWork& piece, const Accelerator& device) {
  return static_cast<double>((device.floor + piece.late_start).count());
}

bool has_tiles(const Work& work, const Accelerator& device) { return work.shape.count > 0 && device.processors > 0; }

/// Returns the share of a product's rate that it reaches in its step.
double step_share(const DeviceWork& piece, const Accelerator& device) {
  if (piece.step_rate == StepRate::kNone || !device.has_matrix_units(piece.work->precision)) return 1;
  return piece.step_rate == StepRate::kEarly ? device.early_step_share : device.step_share;
}

double flops_time(const DeviceWork& piece, const Accelerator& device) {
  const Work& work = *piece.work;
  const double share = step_share(piece, device);
  const double at_peak = work.flops / share / device.flops(work.precision) * kNanoseconds;
  if (!has_tiles(work, device)) return at_peak;
  const ProductShape& shape = work.shape;
  const double whole = 2 * shape.count * shape.rows * shape.columns * shape.inner;
  if (whole <= 0) return at_peak;
  return product_time(shape, work.precision, device) * work.flops / share / whole;
}

/// Returns the nanoseconds in which memory alone, without a cache, moves the data of a piece. A norm over rows reads
/// its input twice. The input is half of the bytes of the piece, so the second reading adds half of the time.
double memory_time(const DeviceWork& piece, const Accelerator& device) {
  const double passes = piece.row > 0 ? 1.5 : 1;
  return passes * device.pass_seconds(piece.work->bytes, 0) * kNanoseconds;
}

/// Returns the bytes of the rows that a device normalises at the same time, and of their results.
double rows_under_way(const DeviceWork& piece, const Accelerator& device) {
  const double threads = device.resident.threads > 0 ? device.resident.threads : kThreads;
  return 2 * piece.row * device.processors * threads / kThreadsOfRow;
}

/// Returns the bytes of a product's second factor, which is usually a weight.
double weight_bytes(const Work& work) {
  const ProductShape& shape = work.shape;
  const double weight = shape.columns * shape.inner;
  return work.bytes * weight / (weight + shape.rows * (shape.inner + shape.columns));
}

/// Returns the nanoseconds in which memory and the last cache move the data of a piece. Elementwise passes mostly read
/// what was just written, which is in the cache, and so do products, except for their weights. Weights and the tables
/// of lookups were written long before. A norm finds a row again if all rows under way fit into the cache.
double cached_time(const DeviceWork& piece, const Accelerator& device) {
  const Work& work = *piece.work;
  if (work.kind == KernelClass::kGemm && has_tiles(work, device)) {
    const double weight = weight_bytes(work);
    return (device.pass_seconds(weight, 0) +
            device.pass_seconds(work.bytes - weight, device.cached_share(work.bytes))) *
           kNanoseconds;
  }
  if (work.kind != KernelClass::kElementwise) return memory_time(piece, device);
  const double cached = device.cached_share(work.bytes);
  double seconds = device.pass_seconds(work.bytes, cached);
  if (piece.row > 0) {
    const double again = std::max(cached, device.cached_share(rows_under_way(piece, device)));
    seconds += device.pass_seconds(work.bytes / 2, again);
  }
  return seconds * kNanoseconds;
}

double cache_saving(const DeviceWork& piece, const Accelerator& device) {
  return memory_time(piece, device) - cached_time(piece, device);
}

/// Returns the share of cache_saving() that the recorded time of a piece shows; 1 if the cache cannot save time.
double shown_saving(const DeviceWork& piece, const Accelerator& device) {
  const double saving = cache_saving(piece, device);
  if (saving <= 0) return 1;
  const double took = static_cast<double>(piece.recorded.count()) - floor_of(piece, device);
  return std::clamp((memory_time(piece, device) - took) / saving, 0.0, 1.0);
}

/// Returns the minimum nanoseconds of a piece. `saving` is the share of the cache's possible saving that is used.
double best_time(const DeviceWork& piece, const Accelerator& device, double saving = 1) {
  const Work& work = *piece.work;
  const double flops = flops_time(piece, device);
  const double memory = memory_time(piece, device) - saving * cache_saving(piece, device);
  if (has_tiles(work, device)) return floor_of(piece, device) + kProductStart + std::hypot(flops, memory);
  return floor_of(piece, device) + std::max(flops, memory);
}

ScaledBy bound_by(const DeviceWork& piece, const Accelerator& device) {
  const double flops = flops_time(piece, device);
  const double memory = memory_time(piece, device);
  if (std::max(flops, memory) < floor_of(piece, device)) return ScaledBy::kOverhead;
  return flops > memory ? ScaledBy::kFlops : ScaledBy::kBytes;
}

bool on_matrix_units(const Work& work, const Accelerator& device) {
  return work.flops > 0 && device.has_matrix_units(work.precision);
}

/// Returns the share of the device that a piece fills, at most 1.
double fill_of(const DeviceWork& piece, const Accelerator& device) {
  const double full = device.processors * kUnderWay / device.bytes_per_second() * kNanoseconds;
  const double busy = std::max(flops_time(piece, device), memory_time(piece, device));
  return busy >= full ? 1 : busy / full;
}

bool quantises(const DeviceWork& piece) { return piece.recipe != nullptr; }

/// Returns the nanoseconds of the kernels that quantise the operands of a product in fp8 and scale its result, one for
/// each operand; 0 if the product is not in fp8 or its shape is not known.
double quantising_time(const DeviceWork& piece, const Accelerator& device) {
  if (!quantises(piece) || !piece.work || piece.work->shape.count <= 0) return 0;
  const ProductShape& shape = piece.work->shape;
  const double operands = shape.inner * (shape.rows + shape.columns);
  const double results = shape.rows * shape.columns;
  const double whole = 2 * results * shape.inner;
  const double part = whole > 0 ? piece.work->flops / (whole * shape.count) : 1;
  const double bytes = shape.count * (piece.recipe->operand_bytes * operands + piece.recipe->result_bytes * results);
  return part * (2 * floor_of(piece, device) + device.pass_seconds(bytes, 0) * kNanoseconds);
}

double rate_of(Limit limit, Precision precision, const Accelerator& device) {
  switch (limit) {
    case Limit::kFlops: return device.flops(precision);
    case Limit::kMemory: return device.bytes_per_second();
    case Limit::kHostLink: return device.host_link.bytes_per_second();
    case Limit::kNone: break;
  }
  return 1;
}

double floor_ratio(const DeviceWork& before, const Accelerator& from, const DeviceWork& after, const Accelerator& to) {
  const double floor = floor_of(before, from);
  return floor > 0 ? floor_of(after, to) / floor : 1;
}

double by_class(const DeviceWork& before, const Accelerator& from, const DeviceWork& after, const Accelerator& to) {
  const auto recorded = static_cast<double>(before.recorded.count());
  const double floor_from = floor_of(before, from);
  if (recorded <= floor_from) return recorded * floor_ratio(before, from, after, to);
  const Limit limit = limit_of(before.kind);
  double ratio = rate_of(limit, before.precision, from) / rate_of(limit, after.precision, to);
  if (limit == Limit::kFlops && from.has_matrix_units(before.precision) != to.has_matrix_units(after.precision))
    ratio = std::sqrt(ratio * from.bytes_per_second() / to.bytes_per_second());
  const double share = before.launch && limit == Limit::kMemory ? filled_share(*before.launch, from) : 1;
  const double scale =
      share * ratio * after.amount / before.amount + (1 - share) * floor_ratio(before, from, after, to);
  return floor_of(after, to) + (recorded - floor_from) * scale;
}

/// Returns `after` in the precision that frameworks use for it on `device`: a convolution may change between fp32 and
/// tf32. `before` is the work as recorded on `from`.
DeviceWork as_done_on(const Accelerator& device, const DeviceWork& before, const Accelerator& from, DeviceWork after) {
  if (before.kind != KernelClass::kConvolution || &device == &from || after.precision != before.precision) return after;
  const bool rounds = before.precision == Precision::kFloat32 && !from.convolves_in_tf32 && device.convolves_in_tf32;
  const bool rounded = before.precision == Precision::kTensor32 && from.convolves_in_tf32 && !device.convolves_in_tf32;
  if (!rounds && !rounded) return after;
  after.precision = rounds ? Precision::kTensor32 : Precision::kFloat32;
  if (after.work) after.work->precision = after.precision;
  return after;
}

double by_work(const DeviceWork& before, const Accelerator& from, const DeviceWork& after, const Accelerator& to) {
  const auto recorded = static_cast<double>(before.recorded.count());
  const double saving = &from == &to ? shown_saving(before, from) : 1;
  const double best_before = best_time(before, from, saving);
  const double best_after = best_time(after, to, saving);
  const double excess = recorded - best_before;
  const double share = fill_of(before, from);
  if (excess <= 0 || share >= 1) return recorded * best_after / best_before;
  return best_after + excess * (share * best_after / best_before + (1 - share) * floor_ratio(before, from, after, to));
}

Scaled duration_of(const DeviceWork& before, const Accelerator& from, const DeviceWork& after, const Accelerator& to) {
  const auto recorded = static_cast<double>(before.recorded.count());
  if (limit_of(before.kind) == Limit::kNone) {
    if (before.amount == after.amount) return {recorded, ScaledBy::kUnchanged};
    return {recorded * after.amount / before.amount, ScaledBy::kClass};
  }
  if (!before.work || !after.work) return {by_class(before, from, after, to), ScaledBy::kClass};
  if (on_matrix_units(*before.work, from) && !on_matrix_units(*after.work, to)) {
    const double by_memory = recorded * memory_time(after, to) / memory_time(before, from);
    return {std::max(by_memory, best_time(after, to)), ScaledBy::kFlops};
  }
  return {by_work(before, from, after, to), bound_by(before, from)};
}

// Relative errors of durations, from the errors in docs/internals/fidelity.md, "Another GPU".
constexpr double kErrorOfProducts = 0.15;   ///< products of known shape
constexpr double kErrorOfPasses = 0.12;     ///< passes over memory
constexpr double kErrorOfCaches = 0.35;     ///< passes that the cache serves on only one of the two devices
constexpr double kErrorOfLatencies = 0.30;  ///< kernels with little work
constexpr double kErrorOfClass = 0.30;      ///< kernels without shapes
constexpr double kErrorOfUnits = 0.50;      ///< products that move onto or off the matrix units
constexpr double kErrorOfFloat8 = 0.15;     ///< products that change to fp8 or back, on the same device
/// Error of work for which libraries have several algorithms: batched products, convolutions, attention, norms.
constexpr double kErrorOfAlgorithms = 0.25;
constexpr double kErrorOfKinds = 0.10;  ///< added for products, for each device whose shares were not measured
/// Added for passes, for each device whose shares were not measured. Measured shares are between 0.70 and 0.92.
constexpr double kErrorOfMemories = 0.08;

double error_by(ScaledBy by) {
  switch (by) {
    case ScaledBy::kFlops: return kErrorOfProducts;
    case ScaledBy::kBytes: return kErrorOfPasses;
    case ScaledBy::kOverhead: return kErrorOfLatencies;
    case ScaledBy::kClass: return kErrorOfClass;
    default: return 0;
  }
}

bool has_algorithms(const DeviceWork& piece) {
  const bool batched = piece.kind == KernelClass::kGemm && piece.work && piece.work->shape.count > 1;
  return batched || piece.kind == KernelClass::kConvolution || piece.kind == KernelClass::kAttention ||
         piece.kind == KernelClass::kNormalisation;
}

/// True if the shares of a pass's time that the caches save on the two devices differ by more than a fifth.
bool changes_caches(const DeviceWork& before, const Accelerator& from, const DeviceWork& after, const Accelerator& to) {
  constexpr double kSaved = 0.2;
  if (!before.work || !after.work || before.work->bytes <= 0 || after.work->bytes <= 0) return false;
  const auto saved = [](const DeviceWork& piece, const Accelerator& device) {
    return cache_saving(piece, device) / memory_time(piece, device);
  };
  return std::abs(saved(before, from) - saved(after, to)) > kSaved;
}

/// Returns the additional error if another vendor's library does the work. Attention in bert-small takes 2.1 times
/// roofline's prediction on an MI300X, the gradient of a norm 1.9 times on an MI210.
double error_of_vendors(KernelClass kind) {
  switch (kind) {
    case KernelClass::kAttention: return 0.75;
    case KernelClass::kNormalisation: return 0.50;
    case KernelClass::kConvolution: return 0.25;
    default: return 0.10;
  }
}

double error_of(const DeviceWork& before, const Accelerator& from, const DeviceWork& after, const Accelerator& to,
                ScaledBy by) {
  const bool product = limit_of(before.kind) == Limit::kFlops;
  double error = error_by(by);
  if (error == 0) return 0;
  if (product && from.has_matrix_units(before.precision) != to.has_matrix_units(after.precision)) error = kErrorOfUnits;
  if (&from == &to) return quantises(before) == quantises(after) ? error : std::max(error, kErrorOfFloat8);
  if (changes_caches(before, from, after, to)) error = std::max(error, kErrorOfCaches);
  if (has_algorithms(before)) error = std::max(error, kErrorOfAlgorithms);
  if (from.vendor != to.vendor) error += error_of_vendors(before.kind);
  const auto unmeasured = static_cast<double>(!from.is_measured + !to.is_measured);
  error += (product ? kErrorOfKinds : kErrorOfMemories) * unmeasured;
  return error;
}

}  // namespace

Scaled roofline_scaled(const DeviceWork& recorded, const Accelerator& from, const DeviceWork& changed,
                       const Accelerator& to) {
  DeviceWork before = recorded;
  // A part of a product reaches the same share of the rate in its step, which cancels.
  if (&from == &to && before.precision == changed.precision) before.step_rate = StepRate::kNone;
  before.recorded -= std::min(before.recorded, Duration{std::llround(quantising_time(before, from))});
  DeviceWork after = as_done_on(to, before, from, changed);
  after.step_rate = before.step_rate;
  Scaled scaled = duration_of(before, from, after, to);
  scaled.nanoseconds += quantising_time(after, to);
  scaled.error = error_of(before, from, after, to, scaled.by);
  // On the same device, a kernel with nearly the same work takes nearly the same time, so the error is reduced.
  if (&from == &to && quantises(before) == quantises(after) && before.recorded > Duration{} && scaled.nanoseconds > 0) {
    const double change = std::abs(std::log2(scaled.nanoseconds / static_cast<double>(before.recorded.count())));
    scaled.error *= std::min(1.0, change);
  }
  return scaled;
}

double roofline_time(const DeviceWork& work, const Accelerator& device) { return best_time(work, device); }

Scaled roofline_scaled(const DeviceWork& work, const Accelerator& from, const Accelerator& to) {
  return roofline_scaled(work, from, work, to);
}

Scaled scaled_by_amount(const DeviceWork& before, const DeviceWork& changed) {
  double factor = changed.amount / before.amount;
  if (before.work && changed.work) {
    const bool counts_flops = before.work->flops > 0 && limit_of(before.kind) == Limit::kFlops;
    factor = counts_flops ? changed.work->flops / before.work->flops : changed.work->bytes / before.work->bytes;
  }
  const double error = std::sqrt(std::max(factor, 1 / factor)) - 1;
  const auto recorded = static_cast<double>(before.recorded.count());
  return {recorded * factor, ScaledBy::kAmount, limit_of(before.kind) == Limit::kNone ? 0 : error};
}

}  // namespace stepsim
