#ifndef STEPSIM_TESTS_SCENARIOS_WHATIF_GPU_STEP_H
#define STEPSIM_TESTS_SCENARIOS_WHATIF_GPU_STEP_H

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "model/cost/device/accelerator.h"
#include "tests/scenarios/gpu_job.h"

namespace stepsim::testing {

/// A negligible launch time, so that the device alone determines the step time.
constexpr Duration kLaunch{1};

inline TensorShape fp32(std::vector<std::int64_t> sizes) {
  return {std::move(sizes), 4, Precision::kFloat32, ElementKind::kFloat};
}

inline Work product_of(double rows, double inner, double columns) {
  return {KernelClass::kGemm,
          2 * rows * inner * columns,
          4 * (rows * inner + inner * columns + rows * columns),
          Precision::kFloat32,
          {1, rows, columns, inner}};
}

/// Returns the time in nanoseconds of a large product, whose sides are multiples of 256, computed in tiles of a x b
/// (roofline.h). The processors compute the tiles in rounds. If the last round does not use all processors, half of the
/// idle ones count as used. Each tile takes 1 us more than its arithmetic.
inline double tiles_time(const Work& work, const Accelerator& device, double a, double b) {
  const double processors = device.processors;
  const double rounds = work.shape.rows / a * (work.shape.columns / b) / processors;
  const double tile = 2 * a * b * work.shape.inner / (device.flops(work.precision) / processors) * 1e9 + 1'000;
  return (rounds + std::ceil(rounds)) / 2 * tile;
}

/// Returns the time of `work` on `device` according to the roofline model, in nanoseconds, for a kernel that fills the
/// device.
inline double best_time(const Work& work, const Accelerator& device) {
  const auto floor = static_cast<double>(device.floor.count());
  const double memory = work.bytes / (device.memory.bytes_per_second() * device.memory_share) * 1e9;
  if (work.flops == 0) return floor + memory;
  const double products = std::min({tiles_time(work, device, 256, 128), tiles_time(work, device, 128, 128),
                                    tiles_time(work, device, 128, 64), tiles_time(work, device, 64, 64)});
  return floor + 2'000 + std::sqrt(products * products + memory * memory);
}

inline Duration nanoseconds(double value) { return Duration{std::llround(value)}; }

/// A step of a linear layer from 4096 to 4096 features on 8192 samples in fp32, on an A100. Its kernels are the product
/// (16 ms), an activation (220 us), and the optimizer's pass over the weight (170 us).
struct GpuStep {
  explicit GpuStep(std::string device = "NVIDIA A100-SXM4-40GB", bool shapes = true) : job(std::move(device)) {
    const TaskId product = job.launch("ampere_sgemm_128x64_tn", TaskKind::kKernel, kLaunch, kProductTime);
    const TaskId activation =
        job.launch("vectorized_elementwise_kernel<4, silu<float>>", TaskKind::kKernel, kLaunch, kActivationTime);
    const TaskId update =
        job.launch("vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>", TaskKind::kKernel, kLaunch, kUpdateTime);
    if (!shapes) return;
    job.called({"aten::linear", {fp32({8192, 4096}), fp32({4096, 4096})}, {}, {}, {}});
    job.is_of(product, {"aten::mm", {fp32({8192, 4096}), fp32({4096, 4096})}, {}, {}, {}});
    job.is_of(activation, {"aten::silu", {fp32({8192, 4096})}, {}, {}, {}});
    job.is_of(update, {"aten::add_", {fp32({4096, 4096}), fp32({4096, 4096})}, {}, {}, {}}, true);
  }

  static constexpr Duration kProductTime = std::chrono::microseconds{16'000};
  static constexpr Duration kActivationTime = std::chrono::microseconds{220};
  static constexpr Duration kUpdateTime = std::chrono::microseconds{170};
  static Work product() { return product_of(8192, 4096, 4096); }
  static Work activation() { return {KernelClass::kElementwise, 0, 2.0 * 4 * 8192 * 4096}; }
  static Work update() { return {KernelClass::kElementwise, 0, 3.0 * 4 * 4096 * 4096}; }

  [[nodiscard]] Question question() && { return std::move(job).question(); }
  GpuJob job;
};

/// Returns the predicted time of the work `after` on the device `to`, if the work `before` took `recorded` on `from`.
inline Duration scaled_by_roofline(Duration recorded, const Work& before, const Accelerator& from, const Work& after,
                                   const Accelerator& to) {
  return nanoseconds(static_cast<double>(recorded.count()) * best_time(after, to) / best_time(before, from));
}

}  // namespace stepsim::testing

#endif
