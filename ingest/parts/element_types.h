#ifndef STEPSIM_INGEST_PARTS_ELEMENT_TYPES_H
#define STEPSIM_INGEST_PARTS_ELEMENT_TYPES_H

#include <cstdint>
#include <string_view>

#include "model/job/operator_work.h"

/// The element types of tensors, under the names that all formats use for them.
namespace stepsim::ingest {

struct ElementType {
  std::string_view name;   ///< name in c10: "BFloat16"
  std::int64_t bytes = 0;  ///< size of one element; above 0
  Precision precision = Precision::kFloat32;
  ElementKind kind = ElementKind::kOther;
};

/// Finds an element type by its name in c10 ("BFloat16", "c10::BFloat16"), C++ ("long int"), numpy and similar
/// libraries ("float16", "torch.float16", "<class 'numpy.float16'>"), NCCL ("ncclFloat16") or HCCL ("FP16"), in upper
/// or lower case. Returns null if the type is unknown.
[[nodiscard]] const ElementType* find_element_type(std::string_view name) noexcept;

/// Returns the size of one element in bytes; 0 if the type is unknown.
[[nodiscard]] std::int64_t element_size(std::string_view name) noexcept;

}  // namespace stepsim::ingest

#endif
