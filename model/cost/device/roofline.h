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

/// The basis on which the duration of a piece of device work was scaled.
enum class ScaledBy : std::uint8_t {
  kFlops,      ///< the shapes of its operator, which show that the matrix units limited it
  kBytes,      ///< the shapes of its operator, which show that memory limited it
  kOverhead,   ///< the shapes of its operator, which show so little work that the fixed part is longer
  kClass,      ///< what limits its class of kernels, because its shapes are not known
  kAmount,     ///< the amount of work, because the device is not known
  kFactor,     ///< a factor given by the user
  kUnchanged,  ///< not scaled: the device does not affect it (collectives), or it is not selected
};
inline constexpr std::size_t kScaledByCount = 7;

[[nodiscard]] std::string_view to_text(ScaledBy by) noexcept;

/// A new duration before rounding, and what it was scaled by.
struct Scaled {
  double nanoseconds = 0;
  ScaledBy by = ScaledBy::kUnchanged;
  double error = 0;  ///< relative error: the true duration is between 1 / (1 + error) and 1 + error times this one
};

/// Device time before and after scaling, by the basis on which it was scaled.
struct ScaledShare {
  struct Part {
    Duration before{};
    Duration after{};
    std::size_t pieces = 0;
  };
  std::array<Part, kScaledByCount> by;          ///< indexed by ScaledBy
  std::array<Part, kKernelClassCount> named{};  ///< parts indexed by the class of their names (DeviceWork::named)
  [[nodiscard]] Part total() const noexcept;
};

/// Replaces the duration of each piece by the rounded result of `scale`, unless that is kUnchanged. `durations` is
/// indexed by TaskId. `side` is a position in the error range of each changed duration: -1 makes all durations as short
/// as possible, 1 as long as possible.
///
/// For a piece scaled by its class, the factor is limited to the range of the factors of similar pieces whose shapes
/// are known, if there are at least kFewestMembers of them. Pieces are similar if they have the same class and
/// precision and their durations are within a factor of four. O(pieces log lengths).
ScaledShare rescale(const DevicePieces& pieces, const std::function<Scaled(TaskId, const DeviceWork&)>& scale,
                    std::vector<Duration>& durations, double side = 0);

inline constexpr std::size_t kFewestMembers = 5;

struct ScaledDurations {
  std::vector<Duration> duration;  ///< indexed by TaskId; host work and messages keep their recorded duration
  ScaledShare share;               ///< shares of device work only: kernels, copies, memsets, operators
};

/// Returns the durations of all tasks, with `scale` applied to each piece of device work. O(tasks + names * their
/// length).
[[nodiscard]] ScaledDurations scaled_durations(const Capture& capture,
                                               const std::function<Scaled(const DeviceWork&)>& scale);

/// Returns the nanoseconds that the multiprocessors need for a product, without memory. Each processor works on one
/// tile of the result at a time, so a last round with few tiles takes nearly as long as a full one. (Utilisation by
/// tile and wave: Lee et al., NeuSight, ASPLOS 2025; product.cpp has the formula.) 0 for an empty product.
/// Precondition: shape.count > 0 and the device's number of processors is known.
[[nodiscard]] double product_time(const ProductShape& shape, Precision precision, const Accelerator& device) noexcept;

/// Returns the duration on `to` of `work`, which was recorded on `from`, with its error. Each kernel scales by what
/// limits it: the rate of products (by tiles, if the shape is known), the memory bandwidth or the time to start
/// (Williams, Waterman and Patterson 2009; Lee et al. 2025; roofline.cpp has the formulas). Ignores other libraries'
/// kernels, fusion, and data that products find in caches. Collectives keep their recorded duration. O(1).
[[nodiscard]] Scaled roofline_scaled(const DeviceWork& work, const Accelerator& from, const Accelerator& to);

/// Returns the minimum nanoseconds of `work` on `device`, for kernels without a recorded time. Ignores the recorded
/// time of `work`. Precondition: work.work has a value.
[[nodiscard]] double roofline_time(const DeviceWork& work, const Accelerator& device);

/// Returns the duration on `to` if the work also changes, for example its precision or the number of samples.
/// `recorded` took its recorded time on `from`; `changed` runs on `to`.
[[nodiscard]] Scaled roofline_scaled(const DeviceWork& recorded, const Accelerator& from, const DeviceWork& changed,
                                     const Accelerator& to);

/// Returns the duration after a change of the work on an unknown device: it is proportional to the amount of work. The
/// duration of a kernel that mostly waits changes less than this, and that of a kernel that begins to fill the device
/// changes more. The result may therefore be too long or too short by the square root of the ratio of the two amounts.
/// Precondition: `before` and `changed` have the same precision.
[[nodiscard]] Scaled scaled_by_amount(const DeviceWork& before, const DeviceWork& changed);

}  // namespace stepsim

#endif
