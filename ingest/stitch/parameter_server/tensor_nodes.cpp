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

using Places = std::unordered_map<std::string, std::size_t>;

/// The entry of `list` for a recorded tensor; null if it has none.
const TensorTable::Tensor* listed_tensor(std::string_view recorded, const TensorTable& list, const Places& by_name) {
  if (const auto number = gradient_number(recorded); number.has_value() && *number < list.tensors.size())
    return &list.tensors[*number];
  for (const std::string_view prefix : {"", "byteps.Gradient.", "byteps.Parameter.", "byteps."}) {
    if (!recorded.starts_with(prefix)) continue;
    const auto entry = by_name.find(std::string(recorded.substr(prefix.size())));
    if (entry != by_name.end()) return &list.tensors[entry->second];
  }
  return nullptr;
}

}  // namespace

void add_tensors(RecordedGpu& gpu, const StageTrace& stages, const TensorTable* list) {
  Places by_name;
  for (std::size_t i = 0; list != nullptr && i < list->tensors.size(); ++i)
    by_name.try_emplace(list->tensors[i].name, i);
  for (const std::string& recorded : stages.tensors) {
    RecordedTensor tensor;
    tensor.name = recorded;
    const TensorTable::Tensor* const entry = list == nullptr ? nullptr : listed_tensor(recorded, *list, by_name);
    if (entry != nullptr) {
      if (!entry->name.empty()) tensor.name = entry->name;
      tensor.bytes = entry->bytes;
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
