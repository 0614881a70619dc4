#include "ingest/formats/kineto/arguments.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <system_error>
#include <utility>

#include "ingest/json/json_bytes.h"
#include "ingest/json/json_values.h"
#include "ingest/parts/element_types.h"
#include "ingest/parts/host_device_builder.h"
#include "model/base/limits.h"

namespace stepsim::ingest {

const KinetoCategory* find_kineto_category(std::string_view name) noexcept {
  using enum EventKind;
  // The current names come first, then those of 2021. In both groups the most frequent names come first.
  static constexpr std::array<KinetoCategory, 46> kCategories = {{
      {"cpu_op", kOp, true},
      {"cuda_runtime", kRuntimeCall, true},
      {"kernel", kKernel, true},
      {"python_function", kOp, false},
      {"user_annotation", kAnnotation, true},
      {"cuda_driver", kRuntimeCall, true},
      {"gpu_memcpy", kMemcpy, true},
      {"gpu_memset", kMemset, true},
      {"gpu_user_annotation", kDeviceAnnotation, true},
      {"cuda_sync", kSync, true},
      {"mtia_ccp_events", kKernel, true},
      {"mtia_runtime", kRuntimeCall, true},
      {"xpu_runtime", kRuntimeCall, true},
      {"xpu_driver", kRuntimeCall, true},
      {"xpu_sync", kSync, true},
      {"hpu_op", kRuntimeCall, true},
      {"glow_runtime", kRuntimeCall, true},
      {"privateuse1_runtime", kRuntimeCall, true},
      {"privateuse1_driver", kRuntimeCall, true},
      {"collective_comm", kAnnotation, true},
      {"Operator", kOp, true},
      {"Runtime", kRuntimeCall, true},
      {"Kernel", kKernel, true},
      {"Memcpy", kMemcpy, true},
      {"Memset", kMemset, true},
      {"hip_runtime", kRuntimeCall, true},
      {"hip_driver", kRuntimeCall, true},
      {"runtime", kRuntimeCall, true},
      {"enqueue", kOp, true},  // written by torch_npu
      {"dequeue", kOp, true},
      {"cpu_instant_event", kOp, false},
      {"cuda_event", kOp, false},
      {"overhead", kOp, false},
      {"Trace", kOp, false},
      {"external_correlation", kOp, false},
      {"mtia_insight", kOp, false},
      {"mtia_counters", kOp, false},
      {"cuda_profiler_range", kOp, false},
      {"xpu_scope_profiler", kOp, false},
      {"hardware_counters", kOp, false},
      {"ac2g", kOp, false},
      {"fwdbwd", kOp, false},
      {"async", kOp, false},
      {"async_gpu", kOp, false},
      {"async_cpu_to_gpu", kOp, false},
      {"critical_path", kOp, false},
  }};
  if (name.empty()) return nullptr;
  const auto* const found = std::find_if(kCategories.begin(), kCategories.end(), [name](const KinetoCategory& known) {
    return known.name.size() == name.size() && known.name.front() == name.front() && known.name == name;
  });
  return found == kCategories.end() ? nullptr : found;
}

namespace {

std::int64_t integer_or(std::string_view raw, std::int64_t otherwise) noexcept {
  return as_integer(raw).value_or(otherwise);
}

// Old versions of Kineto print "all streams" as an unsigned -1.
std::int64_t stream_of(std::string_view raw) noexcept {
  constexpr std::int64_t kAllStreams = 0xFFFFFFFF;
  const std::int64_t stream = integer_or(raw, -1);
  return stream == kAllStreams ? -1 : stream;
}

std::int64_t plausible(std::int64_t count) noexcept { return is_size(count) ? count : 0; }

/// Returns a * b; 0 if the product is not a plausible count.
std::int64_t product(std::int64_t a, std::int64_t b) noexcept {
  return a <= 0 || b <= 0 || a > kMostRecordedBytes / b ? 0 : a * b;
}

/// Returns the number of elements of a tensor "[2, 3]", or of all tensors of a list "[[2, 3], [4]]". Makes no copy of
/// the text, because every kernel has two such lists: grid and block.
std::int64_t elements_of(std::string_view dims) {
  std::int64_t tensor = 1;
  std::int64_t all = 0;
  bool is_list = false;
  int depth = 0;
  for (std::size_t at = 0; at < dims.size();) {
    const char c = dims[at];
    if (c == '[') {
      is_list = ++depth > 1;
      tensor = 1;
    } else if (c == ']') {
      if (--depth == 1) all = plausible(all + tensor);
    } else if (c != ',' && c != '"' && !json::is_blank(c)) {
      std::int64_t size = 0;
      const char* const number = dims.data() + at;
      const auto [end, error] = std::from_chars(number, dims.data() + dims.size(), size);
      tensor = product(tensor, error == std::errc{} ? size : 0);
      at += std::max<std::size_t>(1, static_cast<std::size_t>(end - number));
      continue;
    }
    ++at;
  }
  return is_list ? all : tensor;
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
      if (key == "External id" || key == "external id") external_id = value;
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

namespace {

/// The largest accepted extent of a tensor; a larger one is corrupt and counts as 0.
constexpr std::int64_t kLargestSize = std::int64_t{1} << 40;

/// The positions of stride, padding and dilation among the inputs of a convolution. Other operators have no entry.
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

std::vector<std::int64_t> sizes_in(std::string_view list) {
  std::vector<std::int64_t> sizes;
  ItemCursor elements{list};
  std::string_view element;
  while (elements.next(element)) {
    const std::int64_t size = as_integer(element).value_or(0);
    sizes.push_back(size < 0 || size > kLargestSize ? 0 : size);
  }
  return sizes;
}

/// Adds one input: a tensor, a list of tensors "[[2, 3], [4]]", or something without a shape.
void add_input(std::string_view dims, std::string_view type, std::vector<TensorShape>& inputs) {
  constexpr std::int64_t kAssumedSize = 4;
  // For a list of tensors, a trace does not state the type.
  const ElementType* const known = find_element_type(type);
  TensorShape shape{{}, kAssumedSize, Precision::kFloat32, ElementKind::kUnknown};
  if (known != nullptr) shape = {{}, known->bytes, known->precision, known->kind};
  ItemCursor elements{dims};
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
  ItemCursor inputs{concrete};
  std::string_view input;
  for (std::size_t i = 0; inputs.next(input); ++i) {
    if (i == settings.stride) call.stride = sizes_in(as_text(input));
    if (i == settings.padding) call.padding = sizes_in(as_text(input));
    if (i == settings.dilation) call.dilation = sizes_in(as_text(input));
  }
}

/// True for operators that only make another view of a tensor or allocate one. Half of all calls are of this kind.
bool is_view(std::string_view name) {
  static constexpr auto kViews =
      std::to_array<std::string_view>({"aten::as_strided",     "aten::transpose", "aten::t",
                                       "aten::view",           "aten::slice",     "aten::narrow",
                                       "aten::detach",         "aten::detach_",   "detach",
                                       "aten::empty_like",     "aten::reshape",   "aten::expand",
                                       "aten::_reshape_alias", "aten::select",    "aten::unsqueeze",
                                       "aten::squeeze",        "aten::permute",   "aten::_unsafe_view",
                                       "aten::record_stream",  "aten::split",     "aten::chunk",
                                       "aten::unbind",         "aten::expand_as", "aten::view_as",
                                       "aten::flatten",        "aten::alias",     "aten::unfold",
                                       "aten::resize_",        "aten::set_",      "aten::requires_grad_"});
  return std::find(kViews.begin(), kViews.end(), name) != kViews.end();
}

/// True for a convolution. Calls of other operators are kept only if the trace has the shapes of their tensors. Calls
/// of convolutions are always kept: their kernels are often named after matrix products, so only the operator's name
/// shows that a kernel belongs to a convolution.
bool is_convolution(std::string_view name) { return name.find("convolution") != std::string_view::npos; }

/// True if `key` consists of these texts, one per line.
bool equals_joined_lines(std::string_view key, std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) {
    if (!key.starts_with(text)) return false;
    key.remove_prefix(text.size());
    if (key.empty() || key.front() != '\n') return false;
    key.remove_prefix(1);
  }
  return key.empty();
}

/// Returns the last eight characters, or all if there are fewer, as a number.
std::uint64_t tail_of(std::string_view text) noexcept {
  std::uint64_t word = 0;
  const std::size_t size = std::min<std::size_t>(8, text.size());
  if (size > 0) std::memcpy(&word, text.data() + text.size() - size, size);
  return word;
}

}  // namespace

KinetoOperators::RawCall KinetoOperators::raw_call(const ChromeEvent& event) {
  RawCall raw{event.name, {}, {}, {}};
  for (const ChromeArgument& argument : event.argument_list) {
    // "Input Dims" and "Input type" have the same length; checking key[6] first avoids most comparisons.
    if (argument.key.size() == 10 && argument.key[6] == 'D' && argument.key == "Input Dims") {
      raw.dims = argument.value;
    } else if (argument.key.size() == 10 && argument.key[6] == 't' && argument.key == "Input type") {
      raw.types = argument.value;
    } else if (argument.key.size() == 15 && argument.key == "Concrete Inputs" && settings_of(event.name) != nullptr) {
      raw.settings = argument.value;
    }
  }
  return raw;
}

OperatorTable::Operator KinetoOperators::described(const RawCall& raw) {
  OperatorCall call{raw.name, {}, {}, {}, {}};
  ItemCursor dims{raw.dims};
  ItemCursor types{raw.types};
  std::string_view shape;
  std::string_view type;
  while (dims.next(shape)) add_input(shape, types.next(type) ? as_text(type) : std::string{}, call.inputs);
  if (const Settings* const settings = settings_of(raw.name)) add_settings(*settings, raw.settings, call);
  const Work work = work_of(call);
  return {std::string{raw.name}, std::string{raw.dims}, work, std::move(call.inputs)};
}

/// A cheap hash, good enough for a cache: the texts of calls mostly differ at their ends.
std::size_t KinetoOperators::place_of(const RawCall& raw) noexcept {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15U;
  const std::string_view half = raw.dims.substr(0, raw.dims.size() / 2);
  std::uint64_t hash = (tail_of(raw.name) ^ raw.dims.size()) * kMultiplier;
  hash = (hash ^ tail_of(raw.dims) ^ raw.types.size() << 32U) * kMultiplier;
  hash = ((hash ^ hash >> 32U) ^ tail_of(half)) * kMultiplier;
  return hash >> 54U;
}

std::uint32_t KinetoOperators::look_up(const RawCall& raw) {
  key_.clear();
  for (const std::string_view text : {raw.name, raw.dims, raw.types, raw.settings}) (key_ += text) += '\n';
  const TextId number = keys_.intern(key_);
  if (number.index() == operators_.size()) operators_.push_back(described(raw));
  return number.value();
}

bool KinetoOperators::launches_nothing(std::string_view name, TextId id) {
  if (id.index() >= launches_.size()) launches_.resize(id.index() + 1, Launches::kUnknown);
  Launches& launches = launches_[id.index()];
  if (launches == Launches::kUnknown) launches = is_view(name) ? Launches::kNothing : Launches::kSomething;
  return launches == Launches::kNothing;
}

std::optional<std::uint32_t> KinetoOperators::number_of(const ChromeEvent& event, TextId name) {
  if (launches_nothing(event.name, name)) return std::nullopt;
  return number_of(raw_call(event));
}

std::optional<std::uint32_t> KinetoOperators::number_of(std::string_view operator_name, TextId name,
                                                        std::string_view dims, std::string_view types,
                                                        std::string_view settings) {
  if (launches_nothing(operator_name, name)) return std::nullopt;
  return number_of({operator_name, dims, types, settings_of(operator_name) == nullptr ? std::string_view{} : settings});
}

std::optional<std::uint32_t> KinetoOperators::number_of(const RawCall& raw) {
  const bool has_size = std::any_of(raw.dims.begin(), raw.dims.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!has_size && !is_convolution(raw.name)) return std::nullopt;
  if (cache_.empty()) cache_.resize(kCached);
  std::uint32_t& cached = cache_[place_of(raw)];
  const bool known =
      !operators_.empty() && equals_joined_lines(keys_.texts()[cached], {raw.name, raw.dims, raw.types, raw.settings});
  if (!known) cached = look_up(raw);
  return cached;
}

}  // namespace stepsim::ingest
