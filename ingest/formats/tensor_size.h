#ifndef STEPSIM_INGEST_FORMATS_TENSOR_SIZE_H
#define STEPSIM_INGEST_FORMATS_TENSOR_SIZE_H

#include <optional>
#include <string_view>

#include "model/base/units.h"

namespace stepsim::ingest {

/// The size of a tensor whose shape is written as "(512, 1024)", "[64]" or "(512,)" and whose type as numpy calls it:
/// "float16", "torch.float16" or "<class 'numpy.float16'>". Nothing if the shape holds anything but numbers, if the
/// type is unknown, or if the size does not fit.
[[nodiscard]] std::optional<Bytes> tensor_size(std::string_view shape, std::string_view dtype) noexcept;

}  // namespace stepsim::ingest

#endif
