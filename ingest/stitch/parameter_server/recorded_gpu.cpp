#include "ingest/stitch/parameter_server/recorded_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "ingest/parts/byteps_names.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::string_view kComm = "Comm.";
/// Inputs that dag.gml gives to all runs of all operators together; a real job has thousands.
constexpr std::size_t kMostGraphInputs = 10'000'000;

void sort_unique(std::vector<std::uint32_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// The i of "byteps.gradient_<i>".
std::optional<std::size_t> gradient_number(std::string_view tensor) noexcept {
  constexpr std::string_view kWord = "gradient_";
  const std::size_t place = tensor.rfind(kWord);
  if (place == std::string_view::npos) return std::nullopt;
  const std::string_view digits = tensor.substr(place + kWord.size());
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc{} && end == digits.data() + digits.size() ? std::optional{number} : std::nullopt;
}

/// dPRO writes '_' for every '.' inside an operator's or tensor's name.
std::string without_dots(std::string_view name) {
  std::string plain(name);
  std::replace(plain.begin(), plain.end(), '.', '_');
  return plain;
}

class Planner {
 public:
  Planner(const GpuParts& parts, Barrier barrier, Diagnostics& diagnostics)
      : parts_(parts), barrier_(barrier), diagnostics_(diagnostics) {
    plan_.worker = parts.worker;
    plan_.local_rank = parts.local_rank;
    plan_.host = parts.host;
  }

  [[nodiscard]] GpuPlan run(const std::vector<std::int64_t>& number_of) {
    const StageTrace merged = parts_.stages.has_value() ? StageTrace{} : stages_of_operators();
    const StageTrace& stages = parts_.stages.has_value() ? *parts_.stages : merged;
    add_tensors(stages);
    plan_.chains = chains_of(stages, diagnostics_);
    if (parts_.operators.has_value()) add_operators();
    plan_.opaque = plan_.operators.empty();
    if (plan_.opaque) {
      number_by_occurrence(number_of);
      add_opaque_segments(stages);
      return std::move(plan_);
    }
    add_graph();
    complete_links();
    number_by_producer();
    return std::move(plan_);
  }

 private:
  std::uint32_t name_of(std::string_view text) {
    const auto [slot, added] = name_ids_.try_emplace(std::string(text), static_cast<std::uint32_t>(plan_.names.size()));
    if (added) plan_.names.emplace_back(text);
    return slot->second;
  }

  // ---- tensors

  /// The stages that a merged trace holds itself: Comm.<tensor>.<STAGE> events.
  [[nodiscard]] StageTrace stages_of_operators() const {
    StageTrace stages;
    if (!parts_.operators.has_value()) return stages;
    std::unordered_map<std::string, std::uint32_t> ids;
    for (const OperatorTrace::Event& event : parts_.operators->events) {
      if (!event.communication) continue;
      const StagedName name = split_stage(std::string_view(event.name).substr(kComm.size()));
      const auto key = partition_key(event.thread);
      const auto [slot, added] =
          ids.try_emplace(std::string(name.tensor), static_cast<std::uint32_t>(stages.tensors.size()));
      if (added) stages.tensors.emplace_back(name.tensor);
      const bool staged = name.stage != Stage::kTotal && key.has_value();
      stages.events.push_back(
          {slot->second, staged ? name.stage : Stage::kTotal, staged ? *key : -1, 0, event.start, event.duration});
    }
    return stages;
  }

  void add_tensors(const StageTrace& stages) {
    std::unordered_map<std::string, std::size_t> listed;
    if (parts_.tensors.has_value()) {
      const auto& tensors = parts_.tensors->tensors;
      for (std::size_t i = 0; i < tensors.size(); ++i) listed.try_emplace(tensors[i].name, i);
    }
    for (const std::string& recorded : stages.tensors) {
      TensorPlan tensor;
      tensor.name = recorded;
      if (const TensorTable::Tensor* const entry = listed_tensor(recorded, listed); entry != nullptr) {
        if (!entry->name.empty()) tensor.name = entry->name;
        tensor.bytes = entry->bytes;
      }
      tensor.node = name_of(std::string(kComm) + tensor.name);
      by_node_.try_emplace(tensor.node, static_cast<std::uint32_t>(plan_.tensors.size()));
      by_plain_name_.try_emplace(without_dots(tensor.name), static_cast<std::uint32_t>(plan_.tensors.size()));
      plan_.tensors.push_back(std::move(tensor));
    }
  }

  [[nodiscard]] const TensorTable::Tensor* listed_tensor(
      std::string_view recorded, const std::unordered_map<std::string, std::size_t>& listed) const {
    if (!parts_.tensors.has_value()) return nullptr;
    const auto& tensors = parts_.tensors->tensors;
    if (const auto number = gradient_number(recorded); number.has_value() && *number < tensors.size())
      return &tensors[*number];
    for (const std::string_view prefix : {"", "byteps.Gradient.", "byteps.Parameter.", "byteps."}) {
      if (!recorded.starts_with(prefix)) continue;
      const auto entry = listed.find(std::string(recorded.substr(prefix.size())));
      if (entry != listed.end()) return &tensors[entry->second];
    }
    return nullptr;
  }

  /// The tensor that a node "Comm.<name>" stands for; nothing for other nodes.
  [[nodiscard]] std::optional<std::uint32_t> tensor_of(std::uint32_t node) const {
    const auto exact = by_node_.find(node);
    if (exact != by_node_.end()) return exact->second;
    const std::string_view text = plan_.names[node];
    if (!text.starts_with(kComm)) return std::nullopt;
    const auto plain = by_plain_name_.find(without_dots(text.substr(kComm.size())));
    return plain == by_plain_name_.end() ? std::nullopt : std::optional{plain->second};
  }

  // ---- operators

  void add_operators() {
    std::map<std::pair<std::string, std::string>, std::uint32_t> rows;
    bool numbered = false;
    for (const OperatorTrace::Event& event : parts_.operators->events) {
      if (event.communication) {
        add_communication_inputs(event);
        continue;
      }
      const auto row =
          rows.try_emplace({event.process, event.thread}, static_cast<std::uint32_t>(rows.size())).first->second;
      OperatorSpan span{name_of(event.name), row, event.step, event.start, event.start + event.duration, {}};
      for (const std::string& input : event.inputs) span.inputs.push_back(name_of(input));
      sort_unique(span.inputs);
      numbered = numbered || event.step >= 0;
      plan_.operators.push_back(std::move(span));
    }
    std::stable_sort(plan_.operators.begin(), plan_.operators.end(), [](const OperatorSpan& a, const OperatorSpan& b) {
      return std::tuple{a.start, a.finish} < std::tuple{b.start, b.finish};
    });
    numbered ? fill_in_steps() : split_steps();
  }

  void add_communication_inputs(const OperatorTrace::Event& event) {
    const StagedName name = split_stage(std::string_view(event.name).substr(kComm.size()));
    const auto tensor = tensor_of(name_of(std::string(kComm) + std::string(name.tensor)));
    if (!tensor.has_value()) return;
    for (const std::string& input : event.inputs) {
      if (!input.starts_with(kComm)) plan_.tensors[*tensor].producers.push_back(name_of(input));
    }
  }

  /// Operators without args.step belong to the step of the one before them.
  void fill_in_steps() {
    std::int64_t step = Chain::kNoStep;
    for (OperatorSpan& span : plan_.operators) {
      if (span.step < 0) {
        span.step = step;
        diagnostics_.count("operator_without_step", Severity::kNotice,
                           "it is taken to belong to the step of the operator before it");
      }
      step = span.step;
    }
  }

  /// Without args.step a step begins at every run of the first forward operator.
  void split_steps() {
    const auto is_forward = [&](const OperatorSpan& span) { return plan_.names[span.name].starts_with("FW."); };
    auto mark = std::find_if(plan_.operators.begin(), plan_.operators.end(), is_forward);
    if (mark == plan_.operators.end()) mark = plan_.operators.begin();
    if (mark == plan_.operators.end()) return;
    const std::uint32_t first = mark->name;
    std::int64_t step = Chain::kNoStep;
    for (OperatorSpan& span : plan_.operators) {
      if (span.name == first) ++step;
      span.step = step;
    }
  }

  // ---- what waits for what, by name

  void add_graph() {
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> inputs;
    if (parts_.graph.has_value()) {
      std::vector<std::uint32_t> node_name;
      for (const OperatorGraph::Node& node : parts_.graph->nodes) {
        node_name.push_back(name_of(split_process(node.label).name));
        add_variables(node);
      }
      for (const OperatorGraph::Edge& edge : parts_.graph->edges)
        add_edge(node_name[edge.source], node_name[edge.target], inputs);
    }
    for (auto& [name, list] : inputs) sort_unique(list);
    std::size_t copied = 0;
    for (OperatorSpan& span : plan_.operators) {
      const auto known = inputs.find(span.name);
      if (span.inputs.empty() && known != inputs.end() && copied < kMostGraphInputs) span.inputs = known->second;
      copied += span.inputs.size();
      for (const std::uint32_t input : span.inputs) {
        if (const auto tensor = tensor_of(input); tensor.has_value())
          plan_.tensors[*tensor].consumers.push_back(span.name);
      }
    }
  }

  /// In G1 a node is a bare operator, forward only, with its parameters as attributes `var`.
  void add_variables(const OperatorGraph::Node& node) {
    for (const OperatorGraph::Attribute& attribute : node.attributes) {
      if (attribute.key != "var" || !attribute.value.starts_with(kComm)) continue;
      const auto tensor = tensor_of(name_of(attribute.value));
      if (tensor.has_value()) plan_.tensors[*tensor].producers.push_back(name_of("BW." + node.label));
    }
  }

  void add_edge(std::uint32_t from, std::uint32_t to,
                std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>& inputs) {
    const auto source = tensor_of(from);
    const auto target = tensor_of(to);
    if (source.has_value() && !target.has_value()) plan_.tensors[*source].consumers.push_back(to);
    if (target.has_value() && !source.has_value()) plan_.tensors[*target].producers.push_back(from);
    inputs[to].push_back(from);
  }

  /// Fills in producers and consumers that neither inputs nor dag.gml name.
  void complete_links() {
    std::vector<std::uint32_t> updates;
    std::vector<bool> ran(plan_.names.size(), false);
    for (const OperatorSpan& span : plan_.operators) {
      ran[span.name] = true;
      if (is_update(plan_.names[span.name])) updates.push_back(span.name);
    }
    sort_unique(updates);
    for (TensorPlan& tensor : plan_.tensors) {
      const std::string operator_name = tensor.name.substr(0, tensor.name.rfind('_'));
      keep_ran(tensor.producers, ran);
      keep_ran(tensor.consumers, ran);
      if (tensor.producers.empty()) add_if_ran(tensor.producers, "BW." + operator_name, ran);
      if (!tensor.consumers.empty()) continue;
      if (barrier_ == Barrier::kGlobal && !updates.empty()) {
        tensor.consumers = updates;
      } else {
        add_if_ran(tensor.consumers, "FW." + operator_name, ran);
      }
    }
  }

  static void keep_ran(std::vector<std::uint32_t>& names, const std::vector<bool>& ran) {
    sort_unique(names);
    std::erase_if(names, [&](std::uint32_t name) { return name >= ran.size() || !ran[name]; });
  }

  void add_if_ran(std::vector<std::uint32_t>& names, const std::string& text, const std::vector<bool>& ran) const {
    const auto known = name_ids_.find(text);
    if (known != name_ids_.end() && known->second < ran.size() && ran[known->second]) names.push_back(known->second);
  }

  // ---- steps of chains

  /// A chain belongs to the step of the last run of its producer that began before it.
  void number_by_producer() {
    std::vector<std::vector<std::uint32_t>> runs(plan_.names.size());  // of each name, by start
    for (std::uint32_t i = 0; i < plan_.operators.size(); ++i) runs[plan_.operators[i].name].push_back(i);
    std::vector<std::uint32_t> all(plan_.operators.size());
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    std::map<std::pair<std::int64_t, std::int64_t>, bool> taken;  // key and step
    for (Chain& chain : plan_.chains) {
      const TensorPlan& tensor = plan_.tensors[chain.tensor];
      const auto& candidates = tensor.producers.empty() ? all : runs[tensor.producers.front()];
      const Time begin = chain.stages.front().start;
      const auto next =
          std::upper_bound(candidates.begin(), candidates.end(), begin,
                           [&](Time time, std::uint32_t run) { return time < plan_.operators[run].start; });
      if (next == candidates.begin()) continue;
      const std::int64_t step = plan_.operators[*(next - 1)].step;
      if (step >= 0 && taken.try_emplace({chain.key, step}, true).second) chain.step = step;
    }
    leave_out_chains();
  }

  void number_by_occurrence(const std::vector<std::int64_t>& number_of) {
    for (Chain& chain : plan_.chains) {
      const bool known = chain.occurrence < number_of.size();
      chain.step = known ? number_of[chain.occurrence] : number_of.empty() ? chain.occurrence : Chain::kNoStep;
    }
    leave_out_chains();
  }

  void leave_out_chains() {
    const auto outside = static_cast<std::uint64_t>(
        std::count_if(plan_.chains.begin(), plan_.chains.end(), [](const Chain& chain) { return chain.step < 0; }));
    if (outside == 0) return;
    diagnostics_.count("partition_outside_steps", Severity::kDataLoss,
                       "record operators and communication over the same steps", {parts_.folder, {}, {}},
                       "partitions without a step of their own are left out", outside);
    std::erase_if(plan_.chains, [](const Chain& chain) { return chain.step < 0; });
  }

  // ---- a GPU without operators

  /// A gradient is released when its `total` begins, else when its first partition does. What
  /// the GPU did between two releases is one opaque segment.
  void add_opaque_segments(const StageTrace& stages) {
    std::map<std::int64_t, std::map<std::uint32_t, Time>> releases;  // by step, tensor
    std::map<std::int64_t, Time> done;                               // end of a step's last stage
    for (const Chain& chain : plan_.chains) {
      auto& release = releases[chain.step].try_emplace(chain.tensor, chain.stages.front().start).first->second;
      release = std::min(release, chain.stages.front().start);
      Time& end = done.try_emplace(chain.step, chain.stages.back().finish).first->second;
      end = std::max(end, chain.stages.back().finish);
    }
    move_to_totals(stages, releases);
    Time last = Time::min();
    std::vector<std::uint32_t> waits_for;  // the tensors of the step before
    for (const auto& [step, tensors] : releases) {
      last = add_segments(step, tensors, last, waits_for);
      if (barrier_ == Barrier::kGlobal) last = std::max(last, done.at(step));
      waits_for.clear();
      for (const auto& [tensor, release] : tensors) waits_for.push_back(tensor);
    }
  }

  void move_to_totals(const StageTrace& stages, std::map<std::int64_t, std::map<std::uint32_t, Time>>& releases) const {
    std::vector<std::vector<Time>> totals(plan_.tensors.size());
    for (const StageTrace::Event& event : stages.events) {
      if (event.stage == Stage::kTotal) totals[event.tensor].push_back(event.start);
    }
    for (auto& starts : totals) std::sort(starts.begin(), starts.end());
    for (auto& [step, tensors] : releases) {
      for (auto& [tensor, release] : tensors) {
        const auto next = std::upper_bound(totals[tensor].begin(), totals[tensor].end(), release);
        if (next != totals[tensor].begin()) release = *(next - 1);
      }
    }
  }

  /// One segment up to each release of a step; the first of them begins at `begin`.
  Time add_segments(std::int64_t step, const std::map<std::uint32_t, Time>& tensors, Time begin,
                    const std::vector<std::uint32_t>& waits_for) {
    std::vector<std::pair<Time, std::uint32_t>> order;
    order.reserve(tensors.size());
    for (const auto& [tensor, release] : tensors) order.emplace_back(release, tensor);
    std::sort(order.begin(), order.end());
    for (const auto& [release, tensor] : order) {
      const bool first = release == order.front().first && tensor == order.front().second;
      const std::uint32_t name = name_of((first ? "opaque before " : "opaque up to ") + plan_.tensors[tensor].name);
      const Time start = begin == Time::min() || begin > release ? release : begin;
      plan_.operators.push_back({name, 0, step, start, release, {}});
      if (first) add_consumer(name, waits_for);
      plan_.tensors[tensor].producers.push_back(name);
      sort_unique(plan_.tensors[tensor].producers);
      begin = std::max(begin, release);
    }
    return begin;
  }

  /// Behind a global barrier the next step's first segment waits for every tensor of this one.
  void add_consumer(std::uint32_t name, const std::vector<std::uint32_t>& tensors) {
    if (barrier_ != Barrier::kGlobal) return;
    for (const std::uint32_t tensor : tensors) {
      plan_.tensors[tensor].consumers.push_back(name);
      sort_unique(plan_.tensors[tensor].consumers);
    }
  }

  const GpuParts& parts_;
  Barrier barrier_;
  Diagnostics& diagnostics_;
  GpuPlan plan_;
  std::unordered_map<std::string, std::uint32_t> name_ids_;
  std::unordered_map<std::uint32_t, std::uint32_t> by_node_;
  std::unordered_map<std::string, std::uint32_t> by_plain_name_;
};

}  // namespace

bool is_update(std::string_view operator_name) noexcept {
  return operator_name.starts_with("UPDATE") || operator_name == "STEP" || operator_name.starts_with("STEP.");
}

GpuPlan plan_gpu(const GpuParts& parts, Barrier barrier, const std::vector<std::int64_t>& number_of,
                 Diagnostics& diagnostics) {
  return Planner(parts, barrier, diagnostics).run(number_of);
}

std::vector<std::int64_t> step_numbers(const GpuPlan& plan) {
  std::vector<std::int64_t> numbers;
  for (const OperatorSpan& span : plan.operators) {
    if (span.step >= 0) numbers.push_back(span.step);
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace stepsim::ingest
