#include "ingest/stitch/trial/trial.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ingest/parts/names.h"
#include "model/base/known_diagnostics.h"
#include "model/base/text.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

constexpr std::string_view kUpdate = "UPDATE_.";

bool has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

/// Replaces dots by '_', as dPRO does.
std::string plain(std::string_view name) {
  std::string text{name};
  std::replace(text.begin(), text.end(), '.', '_');
  return text;
}

/// A node label of dag.gml, split into category and name: "FW.m/a" has the category "FW." and the name "m/a".
struct NodeName {
  std::string_view category;  ///< with the dot; empty if the node has none
  std::string_view name;
};

NodeName divided(std::string_view label) {
  constexpr std::array<std::string_view, 8> kCategories{kForward, kBackward, kUpdate, "UPDATE.",
                                                        kComm,    "OUTPUT.", "I/O.",  "COMP."};
  for (const std::string_view category : kCategories) {
    if (label.starts_with(category)) return {category, label.substr(category.size())};
  }
  return {{}, label};
}

/// Returns "m" for "a/b/m".
std::string_view last_part(std::string_view name) { return name.substr(name.rfind('/') + 1); }

/// Returns true for the TensorFlow operators of Horovod and BytePS that reduce over workers.
bool is_communication(std::string_view name, std::string_view type) {
  constexpr std::array<std::string_view, 3> kWords{"HorovodAllreduce", "HorovodGroupedAllreduce", "BytePSPushPull"};
  const std::string_view last = last_part(name);
  return std::any_of(kWords.begin(), kWords.end(), [&](auto word) { return has(type, word) || has(last, word); });
}

/// Returns true for operator types with which TensorFlow applies a gradient.
bool applies_gradient(std::string_view type) {
  return type.starts_with("Apply") || type.starts_with("ResourceApply") || type.starts_with("SparseApply") ||
         type.starts_with("ResourceSparseApply");
}

bool made_by_gradients(std::string_view name) {
  return name.starts_with("gradient") || has(name, "gradient_tape/") || has(name, "/gradients/");
}

std::string_view category_by_name(std::string_view name, std::string_view type) {
  return applies_gradient(type) ? kUpdate : made_by_gradients(name) ? kBackward : kForward;
}

/// Returns the number that a name consists of or ends in: "1" for "1" and for "HorovodAllreduce.1". Returns an empty
/// string if there is none.
std::string_view number_of(std::string_view name) {
  std::size_t digits = name.size();
  while (digits > 0 && is_digit(name[digits - 1])) --digits;
  const bool alone = digits == 0 || has("._/", name.substr(digits - 1, 1));
  return alone ? name.substr(digits) : std::string_view{};
}

class Naming {
 public:
  Naming(GpuParts& parts, const std::vector<std::string>& tensors, Diagnostics& diagnostics)
      : parts_(parts), diagnostics_(diagnostics) {
    for (const std::string& tensor : tensors) {
      tensors_.try_emplace(plain(tensor), tensor);
      tensors_.try_emplace(plain(last_part(tensor)), tensor);
      const std::string_view number = number_of(tensor);
      if (!number.empty() && !numbers_.try_emplace(std::string{number}, tensor).second)
        numbers_[std::string{number}].clear();
    }
    if (!parts_.tensors.has_value()) return;
    const auto& listed = parts_.tensors->tensors;
    for (std::size_t i = 0; i < listed.size(); ++i) listed_.try_emplace(plain(listed[i].name), i);
  }

  void run() {
    if (parts_.graph.has_value()) rename_graph(*parts_.graph);
    if (label_of_.empty() && parts_.metadata.has_value()) parts_.graph = graph_of(*parts_.metadata);
    if (parts_.tensorflow.has_value()) name_runs(*parts_.tensorflow);
  }

 private:
  /// Returns the tensor that a communication node called `name` reduces, under its name in the recorded communication;
  /// nothing if no tensor matches.
  [[nodiscard]] std::optional<std::string> tensor_called(std::string_view name) const {
    for (const std::string_view part : {name, last_part(name)}) {
      if (const auto same = tensors_.find(plain(part)); same != tensors_.end()) return same->second;
    }
    if (const auto place = listed_.find(plain(name)); place != listed_.end()) {
      if (auto numbered = tensor_numbered(std::to_string(place->second))) return numbered;
    }
    return tensor_numbered(std::string{number_of(name)});
  }

  /// Returns the tensor whose name ends in this number, if there is exactly one.
  [[nodiscard]] std::optional<std::string> tensor_numbered(const std::string& number) const {
    const auto found = numbers_.find(number);
    return found == numbers_.end() || found->second.empty() ? std::nullopt : std::optional{found->second};
  }

  void rename_graph(OperatorGraph& graph) {
    std::vector<bool> communicates;
    for (const OperatorGraph::Node& node : graph.nodes) {
      const NodeName name = divided(split_process(node.label).name);
      communicates.push_back(name.category == kComm || is_communication(name.name, {}));
    }
    const std::vector<bool> after = behind(communicates, graph.edges);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      const NodeName name = divided(split_process(graph.nodes[i].label).name);
      const std::string raw{name.name};
      graph.nodes[i].label = communicates[i] ? communication_label(raw) : operator_label(name, after[i]);
      label_of_.try_emplace(plain(raw), graph.nodes[i].label);
    }
  }

  [[nodiscard]] std::string communication_label(const std::string& raw) const {
    return std::string{kComm} + tensor_called(raw).value_or(raw);
  }

  /// Returns the label of an operator. A node without a category is an update if it comes `after` communication;
  /// otherwise its name decides.
  static std::string operator_label(const NodeName& node, bool after) {
    const std::string_view by_place = after ? kUpdate : category_by_name(node.name, {});
    return std::string{node.category.empty() ? by_place : node.category} + std::string{node.name};
  }

  [[nodiscard]] OperatorGraph graph_of(const OperatorMetadata& metadata) {
    std::unordered_map<std::string_view, std::uint32_t> places;
    const auto count = static_cast<std::uint32_t>(metadata.operators.size());
    for (std::uint32_t i = 0; i < count; ++i) places.try_emplace(metadata.operators[i].name, i);
    OperatorGraph graph;
    for (std::uint32_t i = 0; i < count; ++i) {
      for (const std::string& input : metadata.operators[i].inputs) {
        const auto source = places.find(input);
        if (source != places.end()) graph.edges.push_back({source->second, i});
      }
    }
    std::vector<bool> communicates;
    for (const OperatorMetadata::Operator& one : metadata.operators)
      communicates.push_back(is_communication(one.name, one.type));
    const std::vector<bool> after = behind(communicates, graph.edges);
    for (std::uint32_t i = 0; i < count; ++i) {
      const OperatorMetadata::Operator& one = metadata.operators[i];
      std::string label;
      if (communicates[i]) {
        label = communication_label(one.name);
      } else {
        label = std::string{after[i] ? kUpdate : category_by_name(one.name, one.type)} + one.name;
      }
      label_of_.try_emplace(plain(one.name), label);
      graph.nodes.push_back({std::move(label), {}});
    }
    return graph;
  }

  /// Returns for each node whether it depends on a communication node, directly or through others.
  static std::vector<bool> behind(const std::vector<bool>& communicates,
                                  const std::vector<OperatorGraph::Edge>& edges) {
    std::vector<std::vector<std::uint32_t>> readers(communicates.size());
    for (const OperatorGraph::Edge& edge : edges) readers[edge.source].push_back(edge.target);
    std::vector<bool> after(communicates.size(), false);
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < readers.size(); ++i) {
      if (communicates[i]) open.push_back(i);
    }
    while (!open.empty()) {
      const std::uint32_t one = open.back();
      open.pop_back();
      for (const std::uint32_t reader : readers[one]) {
        if (after[reader]) continue;
        after[reader] = true;
        open.push_back(reader);
      }
    }
    return after;
  }

  void name_runs(const TensorflowTrace& trace) {
    OperatorTrace named;
    for (const TensorflowTrace::Run& run : trace.runs) {
      const auto known = label_of_.find(plain(run.name));
      std::string label;
      if (known != label_of_.end()) {
        label = known->second;
      } else {
        label =
            std::string{is_communication(run.name, run.type) ? kComm : category_by_name(run.name, run.type)} + run.name;
        diagnostics_.count(diagnostic("operator_not_in_graph"), {parts_.folder, {}, {}}, run.name);
      }
      // Operators of communication are left out, because the recordings of Horovod or BytePS show the communication in
      // more detail.
      if (label.starts_with(kComm)) {
        diagnostics_.count_about(diagnostic("not used:"), "operators of communication", {parts_.folder, {}, {}}, {}, 1);
        continue;
      }
      named.events.push_back({std::move(label), {}, run.thread, run.step, run.start, run.duration, {}, false});
    }
    if (!named.events.empty()) parts_.operators = std::move(named);
  }

  GpuParts& parts_;
  Diagnostics& diagnostics_;
  std::unordered_map<std::string, std::string> tensors_;   // plain() name -> name in the recorded communication
  std::unordered_map<std::string, std::string> numbers_;   // number -> tensor; empty if several tensors have the number
  std::unordered_map<std::string, std::size_t> listed_;    // plain() name -> number of the gradient
  std::unordered_map<std::string, std::string> label_of_;  // plain() name of an operator -> label
};

}  // namespace

void name_operators(GpuParts& parts, const std::vector<std::string>& tensors, Diagnostics& diagnostics) {
  Naming(parts, tensors, diagnostics).run();
}

}  // namespace stepsim::ingest
