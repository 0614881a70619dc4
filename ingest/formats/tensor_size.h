#ifndef STEPSIM_INGEST_FORMATS_TENSOR_SIZE_H
#define STEPSIM_INGEST_FORMATS_TENSOR_SIZE_H

#include <optional>
#include <string_view>

#include "model/base/units.h"

namespace stepsim::ingest {

/// Returns the size of a tensor. The shape is written as "(512, 1024)", "[64]" or "(512,)", the type as in numpy:
/// "float16", "torch.float16" or "<class 'numpy.float16'>". Returns nullopt if the shape contains anything but numbers,
/// if the type is unknown, or if the size does not fit.
[[nodiscard]] std::optional<Bytes> tensor_size(std::string_view shape, std::string_view dtype) noexcept;

}  // namespace stepsim::ingest

#endif
