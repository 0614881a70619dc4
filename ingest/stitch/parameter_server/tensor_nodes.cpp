#include "ingest/stitch/parameter_server/tensor_nodes.h"

#include <algorithm>
#include <utility>

#include "model/base/number.h"

namespace stepsim::ingest {
namespace {

/// The i of "byteps.gradient_<i>".
std::optional<std::size_t> gradient_number(std::string_view tensor) noexcept {
  constexpr std::string_view kWord = "gradient_";
  const std::size_t place = tensor.rfind(kWord);
  if (place == std::string_view::npos) return std::nullopt;
  return parse_number<std::size_t>(tensor.substr(place + kWord.size()));
}

std::string without_dots(std::string_view name) {
  std::string plain(name);
  std::replace(plain.begin(), plain.end(), '.', '_');
  return plain;
}

std::vector<std::string> names_of(const TensorTable* list) {
  std::vector<std::string> names;
  if (list == nullptr) return names;
  for (const TensorTable::Tensor& tensor : list->tensors) names.push_back(tensor.name);
  return names;
}

}  // namespace

TensorNames::TensorNames(const std::vector<std::string>& names) : size_(names.size()) {
  for (std::size_t i = 0; i < names.size(); ++i) places_.try_emplace(names[i], i);
}

std::optional<std::size_t> TensorNames::find(std::string_view recorded) const {
  if (const auto number = gradient_number(recorded); number.has_value() && *number < size_) return number;
  for (const std::string_view prefix : {"", "byteps.Gradient.", "byteps.Parameter.", "byteps."}) {
    if (!recorded.starts_with(prefix)) continue;
    const auto entry = places_.find(std::string(recorded.substr(prefix.size())));
    if (entry != places_.end()) return entry->second;
  }
  return std::nullopt;
}

void add_tensors(RecordedGpu& gpu, const StageTrace& stages, const TensorTable* list) {
  const TensorNames names(names_of(list));
  for (const std::string& recorded : stages.tensors) {
    RecordedTensor tensor;
    tensor.name = recorded;
    if (const auto number = names.find(recorded)) {
      const TensorTable::Tensor& entry = list->tensors[*number];
      if (!entry.name.empty()) tensor.name = entry.name;
      tensor.bytes = entry.bytes;
    }
    tensor.node = gpu.names.intern(std::string(kComm) + tensor.name);
    gpu.tensors.push_back(std::move(tensor));
  }
}

TensorNodes::TensorNodes(const RecordedGpu& gpu) : gpu_(gpu) {
  for (std::uint32_t i = 0; i < gpu.tensors.size(); ++i) {
    by_node_.try_emplace(gpu.tensors[i].node, i);
    by_plain_name_.try_emplace(without_dots(gpu.tensors[i].name), i);
  }
}

std::optional<std::uint32_t> TensorNodes::find(TextId name) const {
  const auto exact = by_node_.find(name);
  if (exact != by_node_.end()) return exact->second;
  const std::string_view text = gpu_.names.text(name);
  if (!text.starts_with(kComm)) return std::nullopt;
  const auto plain = by_plain_name_.find(without_dots(text.substr(kComm.size())));
  return plain == by_plain_name_.end() ? std::nullopt : std::optional{plain->second};
}

}  // namespace stepsim::ingest
