#include "ingest/parts/element_types.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

using enum ElementKind;

constexpr ElementType kFloat32{"Float", 4, Precision::kFloat32, kFloat};
constexpr ElementType kFloat64{"Double", 8, Precision::kFloat64, kFloat};
constexpr ElementType kFloat16{"Half", 2, Precision::kFloat16, kFloat};
constexpr ElementType kBFloat16{"BFloat16", 2, Precision::kFloat16, kFloat};
constexpr ElementType kInt64{"Long", 8};
constexpr ElementType kInt32{"Int", 4};
constexpr ElementType kInt16{"Short", 2};
constexpr ElementType kInt8{"Char", 1};
constexpr ElementType kUInt64{"UInt64", 8};
constexpr ElementType kUInt32{"UInt32", 4};
constexpr ElementType kUInt16{"UInt16", 2};
constexpr ElementType kUInt8{"Byte", 1};
constexpr ElementType kBool{"Bool", 1};
constexpr ElementType kFloat8E4m3{"Float8_e4m3fn", 1, Precision::kFloat8, kFloat};
constexpr ElementType kFloat8E5m2{"Float8_e5m2", 1, Precision::kFloat8, kFloat};
constexpr ElementType kFloat8E4m3Fnuz{"Float8_e4m3fnuz", 1, Precision::kFloat8, kFloat};
constexpr ElementType kFloat8E5m2Fnuz{"Float8_e5m2fnuz", 1, Precision::kFloat8, kFloat};
constexpr ElementType kFloat8E8m0{"Float8_e8m0fnu", 1, Precision::kFloat8, kFloat};
constexpr ElementType kComplex32{"ComplexHalf", 4, Precision::kFloat16, kFloat};
constexpr ElementType kComplex64{"ComplexFloat", 8, Precision::kFloat32, kFloat};
constexpr ElementType kComplex128{"ComplexDouble", 16, Precision::kFloat64, kFloat};

struct Spelling {
  std::string_view text;  ///< in lower case, without the prefixes that bare_name() removes
  const ElementType* type;
};

constexpr auto kByLength = [](const Spelling& a, const Spelling& b) {
  return a.text.size() != b.text.size() ? a.text.size() < b.text.size() : a.text < b.text;
};

template <std::size_t n>
constexpr std::array<Spelling, n> sorted(std::array<Spelling, n> spellings) {
  std::sort(spellings.begin(), spellings.end(), kByLength);
  return spellings;
}

constexpr auto kSpellings = sorted(std::to_array<Spelling>({
    {"float", &kFloat32},
    {"float32", &kFloat32},
    {"fp32", &kFloat32},
    {"double", &kFloat64},
    {"float64", &kFloat64},
    {"fp64", &kFloat64},
    {"half", &kFloat16},
    {"float16", &kFloat16},
    {"fp16", &kFloat16},
    {"bfloat16", &kBFloat16},
    {"bf16", &kBFloat16},
    {"bfp16", &kBFloat16},  // HCCL
    {"long", &kInt64},
    {"long int", &kInt64},
    {"long long", &kInt64},
    {"long long int", &kInt64},
    {"int64", &kInt64},
    {"int", &kInt32},
    {"int32", &kInt32},
    {"short", &kInt16},
    {"short int", &kInt16},
    {"int16", &kInt16},
    {"char", &kInt8},
    {"signed char", &kInt8},
    {"int8", &kInt8},
    {"unsigned long", &kUInt64},
    {"unsigned long int", &kUInt64},
    {"uint64", &kUInt64},
    {"unsigned int", &kUInt32},
    {"uint32", &kUInt32},
    {"unsigned short", &kUInt16},
    {"uint16", &kUInt16},
    {"byte", &kUInt8},
    {"unsigned char", &kUInt8},
    {"uint8", &kUInt8},
    {"bool", &kBool},
    {"float8_e4m3fn", &kFloat8E4m3},
    {"float8e4m3", &kFloat8E4m3},  // NCCL
    {"float8_e5m2", &kFloat8E5m2},
    {"float8e5m2", &kFloat8E5m2},  // NCCL
    {"float8_e4m3fnuz", &kFloat8E4m3Fnuz},
    {"float8_e5m2fnuz", &kFloat8E5m2Fnuz},
    {"float8_e8m0fnu", &kFloat8E8m0},
    {"complexhalf", &kComplex32},
    {"complex<c10::half>", &kComplex32},
    {"complex32", &kComplex32},
    {"complexfloat", &kComplex64},
    {"complex<float>", &kComplex64},
    {"complex64", &kComplex64},
    {"complexdouble", &kComplex128},
    {"complex<double>", &kComplex128},
    {"complex128", &kComplex128},
}));
constexpr std::size_t kLongestSpelling = kSpellings.back().text.size();

/// Returns the name without what precedes it in c10, NCCL and Python: "Half" for "c10::Half", "float16" for
/// "torch.float16", "<class 'numpy.float16'>" and "<dtype: 'float16'>".
std::string_view bare_name(std::string_view name) noexcept {
  if (name.ends_with("'>")) name.remove_suffix(2);
  if (const std::size_t end = name.find_last_of(".'"); end != std::string_view::npos) name.remove_prefix(end + 1);
  for (const std::string_view prefix : {"c10::", "nccl"}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  const std::size_t end = name.find_last_not_of(' ');
  name = name.substr(0, end == std::string_view::npos ? 0 : end + 1);
  return name.substr(std::min(name.find_first_not_of(' '), name.size()));
}

}  // namespace

const ElementType* find_element_type(std::string_view name) noexcept {
  const std::string_view bare = bare_name(name);
  if (bare.empty() || bare.size() > kLongestSpelling) return nullptr;
  std::array<char, kLongestSpelling> lower{};
  std::transform(bare.begin(), bare.end(), lower.begin(), [](char c) { return lower_case(c); });
  const Spelling wanted{{lower.data(), bare.size()}, nullptr};
  const auto* const found = std::lower_bound(kSpellings.begin(), kSpellings.end(), wanted, kByLength);
  return found == kSpellings.end() || found->text != wanted.text ? nullptr : found->type;
}

std::int64_t element_size(std::string_view name) noexcept {
  const ElementType* const type = find_element_type(name);
  return type == nullptr ? 0 : type->bytes;
}

}  // namespace stepsim::ingest
