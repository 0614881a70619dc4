#ifndef STEPSIM_MODEL_DEVICE_DEVICE_MODEL_H
#define STEPSIM_MODEL_DEVICE_DEVICE_MODEL_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/device/accelerator.h"
#include "model/device/kernel_class.h"
#include "model/device/operator_work.h"
#include "model/recording.h"
#include "model/units.h"

namespace stepsim {

struct DeviceFit;  // model/device/device_fit.h

/// By what a piece of device work was scaled.
enum class ScaledBy : std::uint8_t {
  kFlops,      ///< its operator's shapes: the matrix units bound it on the device it ran on
  kBytes,      ///< its operator's shapes: memory bounds it there
  kOverhead,   ///< its operator's shapes: it has so little to do that the fixed part is longer
  kClass,      ///< what its kind of kernel is bound by; no shapes
  kFactor,     ///< a factor that was given
  kUnchanged,  ///< not the device's to say (collectives), or not selected
};
inline constexpr std::size_t kScaledByCount = 6;

[[nodiscard]] std::string_view to_text(ScaledBy by) noexcept;

/// One piece of device work, as a model sees it.
struct DeviceWork {
  Duration recorded{};
  KernelClass kind = KernelClass::kUnknown;
  Precision precision = Precision::kFloat32;
  std::optional<Work> work;  ///< its part of its operator's; absent where the trace does not tell
};

/// Another device in place of the one that was captured.
struct DeviceChange {
  const Accelerator* from = nullptr;  ///< roofline: not null
  const Accelerator* to = nullptr;    ///< roofline: not null
  const DeviceFit* fit = nullptr;     ///< fitted: not null
  double factor = 1;                  ///< scaled: on durations; > 0
  std::vector<KernelClass> kinds;     ///< only these; empty: all
  std::vector<bool> selected;         ///< by TaskId, only these; empty: all
};

/// A new duration, before rounding, and what it rests on.
struct Scaled {
  double nanoseconds = 0;
  ScaledBy by = ScaledBy::kUnchanged;
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

/// Which share of the device time was scaled how.
struct ScaledShare {
  struct Part {
    Duration before{};
    Duration after{};
    std::size_t pieces = 0;
  };
  std::array<Part, kScaledByCount> by;         ///< by ScaledBy
  std::array<Part, kKernelClassCount> kind{};  ///< by KernelClass
  [[nodiscard]] Part total() const noexcept;
};

struct ScaledDurations {
  std::vector<Duration> duration;  ///< by TaskId; of host work and messages as recorded
  ScaledShare share;               ///< of device work: kernels, copies, memsets, operators
};

/// Durations of all tasks under `model`. Pure and deterministic. O(tasks + names * their length).
/// Preconditions: as DeviceModel and DeviceChange say.
[[nodiscard]] ScaledDurations scaled_durations(const Capture& capture, const DeviceModel& model,
                                               const DeviceChange& change);

/// The device that the first rank whose trace names one ran on; null if none does, or the
/// library lacks it.
[[nodiscard]] const Accelerator* accelerator_of(const Capture& capture);

/// The pieces of device work of a capture, by TaskId; absent for other tasks. What several pieces
/// of one operator's call do of its work goes by their durations.
[[nodiscard]] std::vector<std::optional<DeviceWork>> device_work(const Capture& capture);

}  // namespace stepsim

#endif
