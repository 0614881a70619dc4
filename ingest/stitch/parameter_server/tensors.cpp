#include "ingest/stitch/parameter_server/gpu_passes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/parts/names.h"
#include "model/base/number.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

/// Returns i for "byteps.gradient_<i>"; nothing for other names.
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

namespace {

/// The largest number of inputs that dag.gml may give to all operator runs together. A real job has thousands.
constexpr std::size_t kMostGraphInputs = 10'000'000;

class TensorUses {
 public:
  TensorUses(RecordedGpu& gpu, const TensorNodes& nodes) : gpu_(gpu), nodes_(nodes) {}

  void read_graph(const OperatorGraph& graph) {
    std::vector<TextId> name_of;
    for (const OperatorGraph::Node& node : graph.nodes) {
      name_of.push_back(gpu_.names.intern(split_process(node.label).name));
      add_variables(node);
    }
    for (const OperatorGraph::Edge& edge : graph.edges) add_edge(name_of[edge.source], name_of[edge.target]);
    for (auto& [name, inputs] : graph_inputs_) sort_unique(inputs);
  }

  void complete_inputs() {
    std::size_t copied = 0;
    for (OperatorRun& run : gpu_.operators) {
      const auto known = graph_inputs_.find(run.name);
      if (run.inputs.empty() && known != graph_inputs_.end() && copied < kMostGraphInputs) run.inputs = known->second;
      copied += run.inputs.size();
      for (const TextId input : run.inputs) {
        if (const auto tensor = nodes_.find(input); tensor.has_value())
          gpu_.tensors[*tensor].consumers.push_back(run.name);
      }
    }
  }

  void complete_by_naming(Barrier barrier) {
    std::vector<TextId> updates;
    ran_.assign(gpu_.names.size(), false);
    for (const OperatorRun& run : gpu_.operators) {
      ran_[run.name.index()] = true;
      if (is_update(gpu_.name(run))) updates.push_back(run.name);
    }
    sort_unique(updates);
    for (RecordedTensor& tensor : gpu_.tensors) {
      const std::string operator_name = tensor.name.substr(0, tensor.name.rfind('_'));
      keep_ran(tensor.producers);
      keep_ran(tensor.consumers);
      if (tensor.producers.empty()) add_if_ran(tensor.producers, std::string(kBackward) + operator_name);
      if (!tensor.consumers.empty()) continue;
      if (barrier == Barrier::kGlobal && !updates.empty()) {
        tensor.consumers = updates;
      } else {
        add_if_ran(tensor.consumers, std::string(kForward) + operator_name);
      }
    }
  }

 private:
  /// Adds producers from the attributes `var` of a node. In graphs of ByteProfile's first generation, a node is a bare
  /// forward operator, and these attributes are its parameters.
  void add_variables(const OperatorGraph::Node& node) {
    for (const OperatorGraph::Attribute& attribute : node.attributes) {
      if (attribute.key != "var" || !attribute.value.starts_with(kComm)) continue;
      const auto tensor = nodes_.find(gpu_.names.intern(attribute.value));
      if (tensor.has_value())
        gpu_.tensors[*tensor].producers.push_back(gpu_.names.intern(std::string(kBackward) + node.label));
    }
  }

  void add_edge(TextId from, TextId to) {
    const auto source = nodes_.find(from);
    const auto target = nodes_.find(to);
    if (source.has_value() && !target.has_value()) gpu_.tensors[*source].consumers.push_back(to);
    if (target.has_value() && !source.has_value()) gpu_.tensors[*target].producers.push_back(from);
    graph_inputs_[to].push_back(from);
  }

  void keep_ran(std::vector<TextId>& names) const {
    sort_unique(names);
    std::erase_if(names, [this](TextId name) { return !ran_[name.index()]; });
  }

  void add_if_ran(std::vector<TextId>& names, const std::string& text) const {
    const TextId name = gpu_.names.find(text);
    if (name.valid() && ran_[name.index()]) names.push_back(name);
  }

  RecordedGpu& gpu_;
  const TensorNodes& nodes_;
  std::unordered_map<TextId, std::vector<TextId>> graph_inputs_;
  std::vector<bool> ran_;  // by name
};

}  // namespace

void find_tensor_uses(RecordedGpu& gpu, const TensorNodes& nodes, const OperatorGraph* graph, Barrier barrier) {
  TensorUses uses(gpu, nodes);
  if (graph != nullptr) uses.read_graph(*graph);
  uses.complete_inputs();
  uses.complete_by_naming(barrier);
}

}  // namespace stepsim::ingest
