#include "ingest/formats/tensor_size.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>

namespace stepsim::ingest {
namespace {

/// Returns the size of one element in bytes; nullopt if the type is unknown. "float16", "torch.float16" and "<class
/// 'numpy.float16'>" are the same type.
std::optional<std::int64_t> numpy_element_size(std::string_view dtype) noexcept {
  constexpr std::pair<std::string_view, std::int64_t> kSizes[] = {
      {"float16", 2}, {"bfloat16", 2}, {"half", 2},   {"float32", 4}, {"float", 4},    {"float64", 8},
      {"double", 8},  {"int8", 1},     {"uint8", 1},  {"bool", 1},    {"int16", 2},    {"int32", 4},
      {"int64", 8},   {"uint16", 2},   {"uint32", 4}, {"uint64", 8},  {"complex64", 8}};
  while (!dtype.empty() && (dtype.back() == '\'' || dtype.back() == '>' || dtype.back() == ' ')) dtype.remove_suffix(1);
  const std::size_t prefix = dtype.find_last_of(".' ");
  if (prefix != std::string_view::npos) dtype.remove_prefix(prefix + 1);
  const auto* const known =
      std::find_if(std::begin(kSizes), std::end(kSizes), [&](const auto& entry) { return entry.first == dtype; });
  return known == std::end(kSizes) ? std::nullopt : std::optional{known->second};
}

/// Returns the product of the numbers in "(512, 1024)" or "(512,)"; nullopt if the text contains anything else or a
/// negative number, or if the product exceeds 2^62.
std::optional<std::int64_t> element_count(std::string_view shape) noexcept {
  constexpr std::int64_t kMost = std::int64_t{1} << 62U;
  std::int64_t count = 1;
  while (!shape.empty()) {
    const char c = shape.front();
    if (c < '0' || c > '9') {
      if (std::string_view{"()[], L"}.find(c) == std::string_view::npos) return std::nullopt;
      shape.remove_prefix(1);
      continue;
    }
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(shape.data(), shape.data() + shape.size(), extent);
    if (error != std::errc{} || (extent != 0 && count > kMost / extent)) return std::nullopt;
    count *= extent;
    shape.remove_prefix(static_cast<std::size_t>(end - shape.data()));
  }
  return count;
}

}  // namespace

std::optional<Bytes> tensor_size(std::string_view shape, std::string_view dtype) noexcept {
  const auto count = element_count(shape);
  const auto size = numpy_element_size(dtype);
  const bool fits = count.has_value() && size.has_value() && *count <= std::numeric_limits<std::int64_t>::max() / *size;
  return fits ? std::optional{Bytes{*count * *size}} : std::nullopt;
}

}  // namespace stepsim::ingest
