#ifndef STEPSIM_MODEL_COST_DEVICE_PRODUCT_H
#define STEPSIM_MODEL_COST_DEVICE_PRODUCT_H

#include "model/cost/device/accelerator.h"
#include "model/job/operator_work.h"

namespace stepsim {

/// Nanoseconds that the multiprocessors need for a product, memory aside: tiles of the result, each
/// processor working on one at a time, so that a last round with few tiles takes nearly as long as
/// a full one. (Utilisation by tile and wave: Lee et al., NeuSight, ASPLOS 2025; product.cpp has the
/// formula.) 0 for an empty product. Precondition: shape.count > 0 and the device says how many
/// processors it has.
[[nodiscard]] double product_time(const ProductShape& shape, Precision precision, const Accelerator& device) noexcept;

}  // namespace stepsim

#endif
