#include "ingest/stitch/parameter_server/tensor_uses.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ingest/parts/byteps_names.h"

namespace stepsim::ingest {
namespace {

/// Inputs that dag.gml may give to all runs of all operators together. A real job has thousands.
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
      if (tensor.producers.empty()) add_if_ran(tensor.producers, "BW." + operator_name);
      if (!tensor.consumers.empty()) continue;
      if (barrier == Barrier::kGlobal && !updates.empty()) {
        tensor.consumers = updates;
      } else {
        add_if_ran(tensor.consumers, "FW." + operator_name);
      }
    }
  }

 private:
  /// In graphs of ByteProfile's first generation a node is a bare forward operator, with its
  /// parameters as attributes `var`.
  void add_variables(const OperatorGraph::Node& node) {
    for (const OperatorGraph::Attribute& attribute : node.attributes) {
      if (attribute.key != "var" || !attribute.value.starts_with(kComm)) continue;
      const auto tensor = nodes_.find(gpu_.names.intern(attribute.value));
      if (tensor.has_value()) gpu_.tensors[*tensor].producers.push_back(gpu_.names.intern("BW." + node.label));
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
