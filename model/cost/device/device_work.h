#ifndef STEPSIM_MODEL_COST_DEVICE_DEVICE_WORK_H
#define STEPSIM_MODEL_COST_DEVICE_DEVICE_WORK_H

#include <cstdint>
#include <optional>
#include <vector>

#include "model/base/units.h"
#include "model/cost/device/accelerator.h"
#include "model/job/kernel_class.h"
#include "model/job/kernel_launch.h"
#include "model/job/operator_work.h"
#include "model/job/precision.h"
#include "model/job/recording.h"

namespace stepsim {

/// One piece of device work, as a model sees it.
struct DeviceWork {
  Duration recorded{};
  KernelClass kind = KernelClass::kUnknown;
  Precision precision = Precision::kFloat32;
  std::optional<Work> work;  ///< its part of its operator's work; absent where the trace does not say
  /// Where `work` is absent: how much there is of what its class is bound by, relative to the recording.
  double amount = 1;
  double row = 0;                      ///< of a norm over rows, the bytes of one: it is gone over twice; 0 for all else
  bool precision_known = false;        ///< from shapes or a kernel's name; else `precision` is a guess
  bool in_optimizer = false;           ///< launched in the optimizer's step, or named as its kernels are
  std::optional<KernelLaunch> launch;  ///< of a kernel, where the trace records it
  std::optional<std::uint32_t> which;  ///< the operator it belongs to: an index into OperatorTable::operators
  /// What the capture's shortest kernels take beyond the floor of their device, 0 where they do not: all its
  /// kernels take that longer, as under a profiler that waits for each, and wherever they run.
  Duration late_start{};
  const Accelerator* on = nullptr;  ///< the device its rank's trace names, else any rank's first; null: unknown

  [[nodiscard]] bool operator==(const DeviceWork& other) const = default;
};

/// The device work of a capture, ascending by task. Other tasks, most of a trace, take no room.
class DevicePieces {
 public:
  struct Piece {
    TaskId task;
    DeviceWork work;
  };

  /// Precondition: behind all that were added.
  void add(TaskId task, const DeviceWork& work) { pieces_.push_back({task, work}); }
  /// Null for a task that is no device work. O(log pieces).
  [[nodiscard]] const DeviceWork* operator[](std::size_t task) const noexcept;
  [[nodiscard]] DeviceWork* operator[](std::size_t task) noexcept;

  [[nodiscard]] auto begin() const noexcept { return pieces_.begin(); }
  [[nodiscard]] auto end() const noexcept { return pieces_.end(); }
  [[nodiscard]] auto begin() noexcept { return pieces_.begin(); }
  [[nodiscard]] auto end() noexcept { return pieces_.end(); }

 private:
  std::vector<Piece> pieces_;
};

/// The pieces of device work of a capture. What several pieces of one operator's call do of its
/// work goes by their durations. O(tasks + names * their length + uses * log pieces).
[[nodiscard]] DevicePieces device_work(const Capture& capture);

/// The device that the first rank whose trace names one ran on; null if none does, or the
/// library lacks it.
[[nodiscard]] const Accelerator* accelerator_of(const Capture& capture);

/// Whether it shows device work as such: kernels. A framework's own trace has operators instead.
[[nodiscard]] bool has_kernels(const Capture& capture) noexcept;

}  // namespace stepsim

#endif
