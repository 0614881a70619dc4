#include "ingest/formats/kineto_operators.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "ingest/formats/kineto_arguments.h"

namespace stepsim::ingest {
namespace {

/// Larger sizes are damage.
constexpr std::int64_t kLargestSize = std::int64_t{1} << 40;

struct RawCall {
  std::string_view dims;
  std::string_view types;
  std::string_view concrete;
};

RawCall raw_call(const ChromeEvent& event) {
  RawCall raw;
  for (const ChromeArgument& argument : event.argument_list) {
    if (argument.key.size() != 10 && argument.key.size() != 15) continue;
    if (argument.key == "Input Dims") raw.dims = argument.value;
    if (argument.key == "Input type") raw.types = argument.value;
    if (argument.key == "Concrete Inputs") raw.concrete = argument.value;
  }
  return raw;
}

/// Which of a convolution's inputs are its settings. Others take none from their inputs.
struct Settings {
  std::string_view name;
  std::size_t stride;
  std::size_t padding;
  std::size_t dilation;
};

const Settings* settings_of(std::string_view name) {
  static constexpr auto kSettings = std::to_array<Settings>({{"aten::convolution", 3, 4, 5},
                                                             {"aten::_convolution", 3, 4, 5},
                                                             {"aten::conv1d", 3, 4, 5},
                                                             {"aten::conv2d", 3, 4, 5},
                                                             {"aten::conv3d", 3, 4, 5},
                                                             {"aten::cudnn_convolution", 3, 2, 4},
                                                             {"aten::miopen_convolution", 4, 3, 5}});
  const auto* const found =
      std::find_if(kSettings.begin(), kSettings.end(), [name](const Settings& s) { return s.name == name; });
  return found == kSettings.end() ? nullptr : found;
}

Precision precision_of(std::string_view type) {
  const auto holds = [type](std::string_view word) { return type.find(word) != std::string_view::npos; };
  if (holds("Float8")) return Precision::kFloat8;
  if (holds("Half") || holds("BFloat16")) return Precision::kFloat16;
  return holds("ouble") ? Precision::kFloat64 : Precision::kFloat32;
}

std::vector<std::int64_t> sizes_in(std::string_view list) {
  std::vector<std::int64_t> sizes;
  ElementCursor elements{list};
  std::string_view element;
  while (elements.next(element)) {
    const std::int64_t size = as_integer(element).value_or(0);
    sizes.push_back(size < 0 || size > kLargestSize ? 0 : size);
  }
  return sizes;
}

/// One input: a tensor, a list of tensors "[[2, 3], [4]]", or something without a shape.
void add_input(std::string_view dims, std::string_view type, std::vector<TensorShape>& inputs) {
  constexpr std::int64_t kAssumedSize = 4;
  const std::int64_t size = element_size(type);
  TensorShape shape{{}, size > 0 ? size : kAssumedSize, precision_of(type)};
  ElementCursor elements{dims};
  std::string_view first;
  if (!elements.next(first) || first.front() != '[') {
    shape.sizes = sizes_in(dims);
    inputs.push_back(std::move(shape));
    return;
  }
  do {
    shape.sizes = sizes_in(first);
    inputs.push_back(shape);
  } while (elements.next(first));
}

void add_settings(const Settings& settings, std::string_view concrete, OperatorCall& call) {
  ElementCursor inputs{concrete};
  std::string_view input;
  for (std::size_t i = 0; inputs.next(input); ++i) {
    if (i == settings.stride) call.stride = sizes_in(as_text(input));
    if (i == settings.padding) call.padding = sizes_in(as_text(input));
    if (i == settings.dilation) call.dilation = sizes_in(as_text(input));
  }
}

OperatorTable::Operator described(std::string_view name, const RawCall& raw) {
  OperatorCall call{name, {}, {}, {}, {}};
  ElementCursor dims{raw.dims};
  ElementCursor types{raw.types};
  std::string_view shape;
  std::string_view type;
  while (dims.next(shape)) add_input(shape, types.next(type) ? as_text(type) : std::string{}, call.inputs);
  if (const Settings* const settings = settings_of(name)) add_settings(*settings, raw.concrete, call);
  return {std::string{name}, std::string{raw.dims}, work_of(call)};
}

}  // namespace

std::optional<std::uint32_t> KinetoOperators::number_of(const ChromeEvent& event) {
  const RawCall raw = raw_call(event);
  if (raw.dims.find_first_of("0123456789") == std::string_view::npos) return std::nullopt;
  key_.assign(event.name);
  key_ += '\n';
  key_ += raw.dims;
  key_ += raw.types;
  if (settings_of(event.name) != nullptr) key_ += raw.concrete;
  const TextId number = keys_.intern(key_);
  if (number.index() == operators_.size()) operators_.push_back(described(event.name, raw));
  return number.value();
}

}  // namespace stepsim::ingest
