#include "ingest/formats/kineto/arguments.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ingest/json/item_cursor.h"
#include "ingest/json/json_values.h"
#include "ingest/parts/recorded_launch.h"

namespace stepsim::ingest {

namespace {

// Nobody moves a pebibyte at once. A larger number is damage and counts as unknown, before it
// overflows some sum.
constexpr std::int64_t kMost = std::int64_t{1} << 50;

std::int64_t integer_or(std::string_view raw, std::int64_t otherwise) noexcept {
  return as_integer(raw).value_or(otherwise);
}

// Old Kineto prints "all streams" as an unsigned -1.
std::int64_t stream_of(std::string_view raw) noexcept {
  constexpr std::int64_t kAllStreams = 0xFFFFFFFF;
  const std::int64_t stream = integer_or(raw, -1);
  return stream == kAllStreams ? -1 : stream;
}

std::int64_t plausible(std::int64_t count) noexcept { return count < 0 || count > kMost ? 0 : count; }

/// 0 if the product is no plausible count.
std::int64_t product(std::int64_t a, std::int64_t b) noexcept { return a <= 0 || b <= 0 || a > kMost / b ? 0 : a * b; }

/// Elements of a tensor "[2, 3]", or of all tensors of a list "[[2, 3], [4]]".
std::int64_t elements_of(std::string_view dims) {
  ItemCursor sizes{dims};
  std::string_view size;
  std::int64_t one = 1;
  std::int64_t all = 0;
  bool is_list = false;
  while (sizes.next(size)) {
    if (size.front() == '[') {
      is_list = true;
      ItemCursor inner{size};
      std::string_view inner_size;
      std::int64_t tensor = 1;
      while (inner.next(inner_size)) tensor = product(tensor, integer_or(inner_size, 0));
      all = plausible(all + tensor);
    } else {
      one = product(one, integer_or(size, 0));
    }
  }
  return is_list ? all : one;
}

}  // namespace

KinetoArguments::KinetoArguments(const ChromeEvent& event) {
  event.for_each_argument([this](std::string_view key, std::string_view value) { take(key, value); });
}

void KinetoArguments::take(std::string_view key, std::string_view value) {
  switch (key.size()) {
    case 3:
      if (key == "Seq") sequence = integer_or(value, -1);
      break;
    case 4:
      if (key == "grid") grid = value;
      break;
    case 5:
      if (key == "block") block = value;
      if (key == "bytes") bytes = plausible(integer_or(value, 0));
      if (key == "dtype") dtype = value;
      break;
    case 6:
      if (key == "stream") stream = stream_of(value);
      if (key == "device") device = as_integer(value);
      break;
    case 8:
      if (key == "Src Rank") source_rank = integer_or(value, -1);
      if (key == "Dst Rank") destination_rank = integer_or(value, -1);
      break;
    case 10:
      if (key == "Input Dims") input_dims = value;
      if (key == "Input type") input_types = value;
      break;
    case 11:
      if (key == "correlation") correlation = integer_or(value, -1);
      break;
    case 13:
      if (key == "shared memory") shared_memory = integer_or(value, -1);
      if (key == "In msg nelems") in_elements = plausible(integer_or(value, 0));
      break;
    case 14:
      if (key == "Out msg nelems") out_elements = plausible(integer_or(value, 0));
      if (key == "wait_on_stream") wait_stream = stream_of(value);
      break;
    case 15:
      if (key == "Collective name") collective = value;
      if (key == "Concrete Inputs") concrete_inputs = value;
      break;
    case 18:
      if (key == "Process Group Name") group_name = value;
      break;
    case 19:
      if (key == "Process Group Ranks") group_ranks = value;
      break;
    case 20:
      if (key == "registers per thread") registers = integer_or(value, -1);
      break;
    case 33:
      if (key == "wait_on_cuda_event_record_corr_id") wait_correlation = integer_or(value, -1);
      break;
    default: break;
  }
}

std::int64_t element_size(std::string_view dtype) noexcept {
  static constexpr std::array<std::pair<std::string_view, std::int64_t>, 47> kSizes = {{
      {"Float", 4},
      {"float", 4},
      {"Double", 8},
      {"double", 8},
      {"Half", 2},
      {"c10::Half", 2},
      {"BFloat16", 2},
      {"c10::BFloat16", 2},
      {"Long", 8},
      {"long", 8},
      {"long int", 8},
      {"Int", 4},
      {"int", 4},
      {"Short", 2},
      {"short", 2},
      {"short int", 2},
      {"Char", 1},
      {"signed char", 1},
      {"char", 1},
      {"Byte", 1},
      {"unsigned char", 1},
      {"Bool", 1},
      {"bool", 1},
      {"long long", 8},
      {"long long int", 8},
      {"unsigned int", 4},
      {"unsigned long", 8},
      {"UInt16", 2},
      {"UInt32", 4},
      {"UInt64", 8},
      {"Float8_e4m3fn", 1},
      {"Float8_e5m2", 1},
      {"Float8_e4m3fnuz", 1},
      {"Float8_e5m2fnuz", 1},
      {"Float8_e8m0fnu", 1},
      {"c10::Float8_e4m3fn", 1},
      {"c10::Float8_e5m2", 1},
      {"c10::Float8_e4m3fnuz", 1},
      {"c10::Float8_e5m2fnuz", 1},
      {"ComplexHalf", 4},
      {"ComplexFloat", 8},
      {"ComplexDouble", 16},
      {"c10::complex<c10::Half>", 4},
      {"c10::complex<float>", 8},
      {"c10::complex<double>", 16},
      {"unsigned short", 2},
      {"unsigned long int", 8},
  }};
  const auto* const found =
      std::find_if(kSizes.begin(), kSizes.end(), [dtype](const auto& entry) { return entry.first == dtype; });
  return found == kSizes.end() ? 0 : found->second;
}

DataSize largest_input(const KinetoArguments& arguments) {
  constexpr std::int64_t kAssumedSize = 4;
  ItemCursor dims{arguments.input_dims};
  ItemCursor types{arguments.input_types};
  std::string_view shape;
  DataSize largest;
  while (dims.next(shape)) {
    std::string_view type;
    if (!types.next(type)) break;
    const std::string name = as_text(type);
    const bool is_list = name == "TensorList" || name == "GenericList";
    const std::int64_t size = is_list ? kAssumedSize : element_size(name);
    if (size == 0 || shape.front() != '[') continue;
    const std::int64_t elements = elements_of(shape);
    const std::int64_t bytes = product(elements, size);
    if (bytes > largest.bytes) largest = {elements, bytes, is_list};
  }
  return largest;
}

std::optional<KernelLaunch> launch_of(const KinetoArguments& arguments) {
  if (!arguments.grid.starts_with('[') || !arguments.block.starts_with('[')) return std::nullopt;
  return recorded_launch(elements_of(arguments.grid), elements_of(arguments.block), arguments.registers,
                         arguments.shared_memory);
}

}  // namespace stepsim::ingest
