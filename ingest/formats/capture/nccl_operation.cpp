#include "ingest/formats/capture/nccl_operation.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace stepsim::ingest {
namespace {

constexpr std::array<std::pair<std::string_view, std::int64_t>, 12> kTypes{{{"ncclInt8", 1},
                                                                            {"ncclUint8", 1},
                                                                            {"ncclFloat8e4m3", 1},
                                                                            {"ncclFloat8e5m2", 1},
                                                                            {"ncclFloat16", 2},
                                                                            {"ncclBfloat16", 2},
                                                                            {"ncclInt32", 4},
                                                                            {"ncclUint32", 4},
                                                                            {"ncclFloat32", 4},
                                                                            {"ncclInt64", 8},
                                                                            {"ncclUint64", 8},
                                                                            {"ncclFloat64", 8}}};

constexpr std::array<std::string_view, 5> kOfParts{"AllGather", "ReduceScatter", "AlltoAll", "Gather", "Scatter"};

/// 0 for a type that is not known.
std::int64_t bytes_of_element(std::string_view type) noexcept {
  const auto* const found =
      std::find_if(kTypes.begin(), kTypes.end(), [type](const auto& known) { return known.first == type; });
  return found == kTypes.end() ? 0 : found->second;
}

std::string_view take_part(std::string_view& text) noexcept {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view part = text.substr(0, slash);
  text.remove_prefix(std::min(slash + 1, text.size()));
  return part;
}

}  // namespace

NcclOperation nccl_operation(std::string_view text) noexcept {
  NcclOperation made;
  made.function = take_part(text);
  made.element_type = take_part(text);
  made.algorithm = take_part(text);
  made.protocol = take_part(text);
  return made;
}

std::int64_t sum_or_most(std::int64_t a, std::int64_t b) noexcept {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return a > kMost - b ? kMost : a + b;
}

NcclSize& NcclSize::operator+=(const NcclSize& other) noexcept {
  elements = sum_or_most(elements, other.elements);
  bytes = Bytes{sum_or_most(bytes.count(), other.bytes.count())};
  return *this;
}

NcclSize larger_side(const NcclOperation& operation, std::uint64_t count, std::int32_t ranks) noexcept {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 50U;  // nobody moves a pebibyte at once
  constexpr std::int32_t kMostRanks = 1'000'000;
  const bool of_parts = std::find(kOfParts.begin(), kOfParts.end(), operation.function) != kOfParts.end();
  if (count > kMost || ranks < 0 || ranks > kMostRanks || (of_parts && ranks == 0)) return {};
  const std::uint64_t parts = of_parts ? static_cast<std::uint64_t>(ranks) : 1;
  if (count > kMost / parts) return {};
  const auto elements = static_cast<std::int64_t>(count * parts);
  return {elements, Bytes{elements * bytes_of_element(operation.element_type)}};
}

}  // namespace stepsim::ingest
