#include "model/calibration/host_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "model/base/fit.h"
#include "model/base/median.h"

namespace stepsim {
namespace {

/// cudaLaunchKernel, cudaLaunchKernelExC, cuLaunchKernel, hipLaunchKernel, hipExtModuleLaunchKernel.
/// A graph launch stands for many kernels and is none of these.
bool is_kernel_launch(const Dag& dag, TaskId task) {
  return dag.kind(task) == TaskKind::kRuntime && dag.name(task).find("LaunchKernel") != std::string_view::npos;
}

/// Where a copy goes, by the names of CUPTI and roctracer: "Memcpy HtoD (Pinned -> Device)".
enum class Direction { kOther, kToDevice, kToHost };

Direction direction_of(const Dag& dag, TaskId task) {
  if (dag.kind(task) != TaskKind::kCopy || dag.bytes(task).count() == 0) return Direction::kOther;
  const std::string_view name = dag.name(task);
  if (name.starts_with("Memcpy HtoD")) return Direction::kToDevice;
  return name.starts_with("Memcpy DtoH") ? Direction::kToHost : Direction::kOther;
}

double nanoseconds(Duration duration) { return static_cast<double>(duration.count()); }
Duration whole_nanoseconds(double value) { return Duration{std::llround(value)}; }

void fit_launches(const Dag& dag, Calibration& result) {
  std::vector<double> times;
  for (const TaskId task : dag.tasks()) {
    if (is_kernel_launch(dag, task)) times.push_back(nanoseconds(dag.duration(task)));
  }
  if (times.empty() || result.cluster.rates.launch_overhead.has_value()) return;
  const double middle = median(times);
  std::vector<double> errors;
  errors.reserve(times.size());
  for (const double time : times) errors.push_back(time > 0 ? std::abs(time - middle) / time : 0);
  const Duration overhead = whole_nanoseconds(middle);
  result.cluster.rates.launch_overhead = overhead;
  result.fits.push_back({"launch overhead", to_text(overhead), times.size(), median(std::move(errors)),
                         "host time of kernel launch calls, their median"});
}

/// One overhead, and a rate each way. Copies of some bytes and of gigabytes are one fit, and what
/// they are off by grows with them: each counts by its error relative to its time.
struct Copies {
  std::vector<double> rows;  ///< 1, bytes to the device, bytes to the host; each over the copy's time
  std::vector<double> ones;
  std::int64_t most_to_device = 0;  ///< bytes of the largest
  std::int64_t most_to_host = 0;
};

Copies copies_of(const Dag& dag) {
  Copies copies;
  for (const TaskId task : dag.tasks()) {
    const Direction direction = direction_of(dag, task);
    if (direction == Direction::kOther) continue;
    const double time = nanoseconds(dag.duration(task));
    if (time <= 0) continue;
    const double rate = static_cast<double>(dag.bytes(task).count()) / time;
    copies.rows.insert(copies.rows.end(), {1 / time, direction == Direction::kToDevice ? rate : 0,
                                           direction == Direction::kToHost ? rate : 0});
    copies.ones.push_back(1);
    std::int64_t& most = direction == Direction::kToDevice ? copies.most_to_device : copies.most_to_host;
    most = std::max(most, dag.bytes(task).count());
  }
  return copies;
}

/// Nothing where copies take no longer for more bytes, or there are none: less than a nanosecond
/// for the largest of `most` bytes is rounding.
std::optional<Bandwidth> rate_of(double nanoseconds_a_byte, std::int64_t most) {
  if (nanoseconds_a_byte * static_cast<double>(most) < 1) return std::nullopt;
  return Bandwidth::from_bytes_per_second(std::round(1e9 / nanoseconds_a_byte));
}

void fit_copies(const Dag& dag, Calibration& result) {
  HostRates& rates = result.cluster.rates;
  const Copies copies = copies_of(dag);
  if (copies.ones.empty() || rates.copy_to_device.has_value() || rates.copy_to_host.has_value()) return;
  const SumFit fit = fit_sum(copies.rows, 3, copies.ones);
  rates.copy_overhead = whole_nanoseconds(fit.coefficients[0]);
  rates.copy_to_device = rate_of(fit.coefficients[1], copies.most_to_device);
  rates.copy_to_host = rate_of(fit.coefficients[2], copies.most_to_host);
  const std::string_view from = "copies between host and device by their bytes";
  const auto add = [&](std::string_view what, std::string value) {
    result.fits.push_back({std::string(what), std::move(value), fit.samples, fit.residual, std::string(from)});
  };
  add("copy overhead", to_text(rates.copy_overhead));
  if (rates.copy_to_device) add("copy to device", to_text(*rates.copy_to_device));
  if (rates.copy_to_host) add("copy to host", to_text(*rates.copy_to_host));
}

}  // namespace

void fit_host_rates(const Capture& capture, Calibration& result) {
  fit_launches(capture.dag, result);
  fit_copies(capture.dag, result);
}

}  // namespace stepsim
