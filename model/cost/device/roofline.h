#ifndef STEPSIM_MODEL_COST_DEVICE_ROOFLINE_H
#define STEPSIM_MODEL_COST_DEVICE_ROOFLINE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "model/base/units.h"
#include "model/cost/device/accelerator.h"
#include "model/cost/device/device_work.h"
#include "model/job/kernel_class.h"
#include "model/job/operator_work.h"
#include "model/job/recording.h"

namespace stepsim {

/// By what a piece of device work was scaled.
enum class ScaledBy : std::uint8_t {
  kFlops,      ///< its operator's shapes: the matrix units bound it on the device it ran on
  kBytes,      ///< its operator's shapes: memory bounds it there
  kOverhead,   ///< its operator's shapes: it has so little to do that the fixed part is longer
  kClass,      ///< what its kind of kernel is bound by; no shapes
  kAmount,     ///< how much work there is; the device is not known
  kFactor,     ///< a factor that was given
  kUnchanged,  ///< the device does not decide it (collectives), or it is not selected
};
inline constexpr std::size_t kScaledByCount = 7;

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
  std::array<Part, kScaledByCount> by;          ///< by ScaledBy
  std::array<Part, kKernelClassCount> named{};  ///< by the class of their names (DeviceWork::named)
  [[nodiscard]] Part total() const noexcept;
};

/// Gives each of `pieces` the duration that `scale` returns, rounded, unless that leaves it unchanged.
/// `durations` is by TaskId. `side`, from -1 to 1, says where in the range of its error each duration that
/// changes lies: -1 makes all as short as they may be, 1 as long. What is scaled by its class stays within the factors
/// of pieces with shapes, where at least kFewestMembers of the same class, precision and length (within a factor of
/// four) have some. O(pieces log lengths).
ScaledShare rescale(const DevicePieces& pieces, const std::function<Scaled(TaskId, const DeviceWork&)>& scale,
                    std::vector<Duration>& durations, double side = 0);

inline constexpr std::size_t kFewestMembers = 5;

struct ScaledDurations {
  std::vector<Duration> duration;  ///< by TaskId; of host work and messages as recorded
  ScaledShare share;               ///< of device work: kernels, copies, memsets, operators
};

/// Durations of all tasks where each piece of device work takes what `scale` says.
/// O(tasks + names * their length).
[[nodiscard]] ScaledDurations scaled_durations(const Capture& capture,
                                               const std::function<Scaled(const DeviceWork&)>& scale);

/// Nanoseconds that the multiprocessors need for a product, memory aside: tiles of the result, each
/// processor working on one at a time, so that a last round with few tiles takes nearly as long as
/// a full one. (Utilisation by tile and wave: Lee et al., NeuSight, ASPLOS 2025; product.cpp has the
/// formula.) 0 for an empty product. Precondition: shape.count > 0 and the device says how many
/// processors it has.
[[nodiscard]] double product_time(const ProductShape& shape, Precision precision, const Accelerator& device) noexcept;

/// How long `work`, recorded on `from`, takes on `to`: each kernel scales by what bounds it, the rate of
/// products (by tiles, where its shape is known), the memory's bandwidth or the time to start (Williams, Waterman
/// and Patterson 2009; Lee et al. 2025; roofline.cpp has the formulas). The result says how far off it may be.
/// Leaves out another library's kernels, fusion, and what products find in caches. Collectives stay as recorded. O(1).
[[nodiscard]] Scaled roofline_scaled(const DeviceWork& work, const Accelerator& from, const Accelerator& to);

/// Nanoseconds that `work` takes on `device` at best: what a kernel takes of which nothing was recorded. What is
/// recorded of `work` is not looked at. Precondition: work.work is there.
[[nodiscard]] double roofline_time(const DeviceWork& work, const Accelerator& device);

/// The same where the work changes too: another precision, more samples. `before` took its recorded
/// time on `from`; `changed` is done on `to`.
[[nodiscard]] Scaled roofline_scaled(const DeviceWork& before, const Accelerator& from, const DeviceWork& changed,
                                     const Accelerator& to);

/// How long work takes on the device that it ran on, if nobody knows that device: in proportion to its amount. A kernel
/// that waits grows less and one that begins to fill the device more, so it may be off by the square root of the
/// factor. Precondition: both have the same precision.
[[nodiscard]] Scaled scaled_by_amount(const DeviceWork& before, const DeviceWork& changed);

}  // namespace stepsim

#endif
