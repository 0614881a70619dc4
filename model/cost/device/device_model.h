#ifndef STEPSIM_MODEL_COST_DEVICE_DEVICE_MODEL_H
#define STEPSIM_MODEL_COST_DEVICE_DEVICE_MODEL_H

#include <span>
#include <string_view>
#include <vector>

#include "model/base/units.h"
#include "model/cost/device/accelerator.h"
#include "model/cost/device/device_work.h"
#include "model/cost/device/rescale.h"
#include "model/job/kernel_class.h"
#include "model/job/recording.h"

namespace stepsim {

struct DeviceFit;  // model/cost/device/device_fit.h

/// Another device in place of the one that was captured.
struct DeviceChange {
  const Accelerator* from = nullptr;  ///< roofline: not null
  const Accelerator* to = nullptr;    ///< roofline: not null
  const DeviceFit* fit = nullptr;     ///< fitted: not null
  double factor = 1;                  ///< scaled: on durations; > 0
  std::vector<KernelClass> kinds;     ///< only these; empty: all
  std::vector<bool> selected;         ///< by TaskId, only these; empty: all

  [[nodiscard]] bool is_meant(TaskId task, KernelClass kind) const;
};

/// A way to say how long device work takes on another device. One .cpp in model/device/
/// defines one constant.
struct DeviceModel {
  std::string_view name;     ///< "roofline"
  std::string_view summary;  ///< one line for --help
  std::string_view formula;
  std::string_view source;     ///< the paper or document it comes from
  std::string_view ignores;    ///< what it leaves out
  std::string_view otherwise;  ///< when to take which other one
  bool needs_devices = false;  ///< DeviceChange::from and to
  bool needs_fit = false;      ///< DeviceChange::fit
  Scaled (*scale)(const DeviceWork& work, const DeviceChange& change) = nullptr;
};

/// All of them, in the order of model/device/CMakeLists.txt.
[[nodiscard]] std::span<const DeviceModel* const> device_models();

/// Null if there is no such model.
[[nodiscard]] const DeviceModel* find_device_model(std::string_view name) noexcept;

struct ScaledDurations {
  std::vector<Duration> duration;  ///< by TaskId; of host work and messages as recorded
  ScaledShare share;               ///< of device work: kernels, copies, memsets, operators
};

/// Durations of all tasks under `model`. Pure and deterministic. O(tasks + names * their length).
/// Preconditions: as DeviceModel and DeviceChange say.
[[nodiscard]] ScaledDurations scaled_durations(const Capture& capture, const DeviceModel& model,
                                               const DeviceChange& change);

}  // namespace stepsim

#endif
