#ifndef STEPSIM_MODEL_COST_DEVICE_RESCALE_H
#define STEPSIM_MODEL_COST_DEVICE_RESCALE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "model/base/units.h"
#include "model/cost/device/device_work.h"
#include "model/job/kernel_class.h"
#include "model/job/recording.h"

namespace stepsim {

/// By what a piece of device work was scaled.
enum class ScaledBy : std::uint8_t {
  kFlops,      ///< its operator's shapes: the matrix units bound it on the device it ran on
  kBytes,      ///< its operator's shapes: memory bounds it there
  kOverhead,   ///< its operator's shapes: it has so little to do that the fixed part is longer
  kClass,      ///< what its kind of kernel is bound by; no shapes
  kFactor,     ///< a factor that was given
  kUnchanged,  ///< the device does not decide it (collectives), or it is not selected
};
inline constexpr std::size_t kScaledByCount = 6;

[[nodiscard]] std::string_view to_text(ScaledBy by) noexcept;

/// A new duration, before rounding, and what it was scaled by.
struct Scaled {
  double nanoseconds = 0;
  ScaledBy by = ScaledBy::kUnchanged;
  double error = 0;  ///< how far off the duration may be: to 1 / (1 + error) or 1 + error of it
};

/// How much of the device time was scaled by what.
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

/// Gives each of `pieces` the duration that `scale` returns, rounded, unless that leaves it unchanged.
/// `durations` is by TaskId. `side`, from -1 to 1, says where in the range of its error each duration that
/// changes lies: -1 makes all as short as they may be, 1 as long.
ScaledShare rescale(const DevicePieces& pieces, const std::function<Scaled(TaskId, const DeviceWork&)>& scale,
                    std::vector<Duration>& durations, double side = 0);

struct ScaledDurations {
  std::vector<Duration> duration;  ///< by TaskId; of host work and messages as recorded
  ScaledShare share;               ///< of device work: kernels, copies, memsets, operators
};

/// Durations of all tasks where each piece of device work takes what `scale` says.
/// O(tasks + names * their length).
[[nodiscard]] ScaledDurations scaled_durations(const Capture& capture,
                                               const std::function<Scaled(const DeviceWork&)>& scale);

}  // namespace stepsim

#endif
