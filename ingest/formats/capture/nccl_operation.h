#ifndef STEPSIM_INGEST_FORMATS_CAPTURE_NCCL_OPERATION_H
#define STEPSIM_INGEST_FORMATS_CAPTURE_NCCL_OPERATION_H

#include <cstdint>
#include <string_view>

#include "model/base/units.h"

namespace stepsim::ingest {

/// What NCCL says that it does.
struct NcclOperation {
  std::string_view function;      ///< "AllReduce", "Send"
  std::string_view element_type;  ///< "ncclFloat32"
  std::string_view algorithm;     ///< "RING"; empty for messages
  std::string_view protocol;
};

/// The parts of "AllReduce/ncclFloat32/RING/LL". What is missing is empty.
[[nodiscard]] NcclOperation nccl_operation(std::string_view text) noexcept;

/// The largest number that there is, where the sum is larger. Neither is negative.
[[nodiscard]] std::int64_t sum_or_most(std::int64_t a, std::int64_t b) noexcept;

struct NcclSize {
  std::int64_t elements = 0;
  Bytes bytes{};  ///< 0 if not known
  NcclSize& operator+=(const NcclSize& other) noexcept;
};

/// The size of the larger one of a rank's buffers, from the count that NCCL was called with. That is of one rank's part
/// where `ranks` parts make the other buffer: all-gather, reduce-scatter, all-to-all, gather and scatter, whose size is
/// unknown if `ranks` is 0. Source: NCCL's API reference, "Collective Communication Functions".
[[nodiscard]] NcclSize larger_side(const NcclOperation& operation, std::uint64_t count, std::int32_t ranks) noexcept;

}  // namespace stepsim::ingest

#endif
