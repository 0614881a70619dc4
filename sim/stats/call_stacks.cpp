#include "sim/stats/call_stacks.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "sim/analysis/intervals.h"

namespace stepsim::sim {
namespace {

constexpr std::uint32_t kNoCall = TraceDetails::kNone;

/// Returns the length of the part of a call that is inside the call around it.
Duration inside(const TraceDetails::Call& call, const TraceDetails::Call& around) {
  return std::max(Duration{}, std::min(call.start + call.duration, around.start + around.duration) - call.start);
}

}  // namespace

std::vector<CallStack> call_stacks(const MeasuredWork& work) {
  const TraceDetails& details = work.details;
  const std::vector<std::uint32_t> caller =
      nearest_callers(details, [](const TraceDetails::Call& call) { return call.kind == CallKind::kPython; });
  std::vector<CallStack> stacks;
  std::vector<std::uint32_t> node_of(details.calls.size(), CallStack::kNone);
  std::map<std::tuple<std::uint32_t, std::uint32_t, Rank>, std::uint32_t> nodes;  // indexed by (parent, name, rank)
  for (std::size_t i = 0; i < details.calls.size(); ++i) {
    const TraceDetails::Call& call = details.calls[i];
    if (call.kind != CallKind::kPython || !work.counts(i)) continue;
    const Rank rank = details.threads[call.thread].rank;
    const std::uint32_t parent = caller[i] == kNoCall ? CallStack::kNone : node_of[caller[i]];
    const auto number = static_cast<std::uint32_t>(stacks.size());
    const auto [node, is_new] = nodes.try_emplace({parent, call.name, rank}, number);
    if (is_new) {
      const std::uint32_t around = parent == CallStack::kNone ? CallStack::kNone : stacks[parent].module;
      stacks.push_back({.name = details.names[call.name],
                        .parent = parent,
                        .module = is_module_call(details, call) ? number : around,
                        .rank = rank});
    }
    node_of[i] = node->second;
    CallStack& stack = stacks[node->second];
    ++stack.calls;
    stack.total = saturated_sum(stack.total, call.duration);
    stack.self = saturated_sum(stack.self, call.duration);
    if (parent != CallStack::kNone) stacks[parent].self -= inside(call, details.calls[caller[i]]);
  }
  return stacks;
}

std::vector<ModuleUse> module_use(const MeasuredWork& work) {
  const TraceDetails& details = work.details;
  const std::vector<std::uint32_t> module =
      nearest_callers(details, [&details](const TraceDetails::Call& call) { return is_module_call(details, call); });
  std::map<std::string, ModuleUse, std::less<>> modules;
  const auto use_of = [&modules](std::string_view name) -> ModuleUse& {
    name.remove_prefix(kModulePrefix.size());
    const auto known = modules.find(name);
    if (known != modules.end()) return known->second;
    return modules.try_emplace(std::string(name), ModuleUse{.name = std::string(name)}).first->second;
  };
  std::vector<double> flops(details.calls.size());        // indexed by call, for calls of modules
  for (std::size_t i = details.calls.size(); i-- > 0;) {  // visit callees before their callers
    const TraceDetails::Call& call = details.calls[i];
    const std::uint32_t around = module[i];
    if (!work.counts(i)) continue;
    if (around != kNoCall) flops[around] += call.flops + flops[i];
    if (!is_module_call(details, call)) continue;
    ModuleUse& use = use_of(details.names[call.name]);
    ++use.calls;
    use.flops += flops[i];
    use.host = saturated_sum(use.host, call.duration);
    use.host_self = saturated_sum(use.host_self, call.duration);
    if (around == kNoCall || !work.counts(around)) continue;
    use_of(details.names[details.calls[around].name]).host_self -= inside(call, details.calls[around]);
  }
  const AnnotationTable& table = work.capture.annotations;
  auto used = table.uses.begin();
  for (const Piece& piece : work.pieces) {
    if (piece.is_call) break;
    while (used != table.uses.end() && used->task < TaskId{piece.index}) ++used;
    for (; used != table.uses.end() && used->task == TaskId{piece.index}; ++used) {
      const std::string& name = table.names[used->which];
      if (!name.starts_with(kModulePrefix)) continue;
      ModuleUse& use = use_of(name);
      use.device = saturated_sum(use.device, piece.length);
    }
  }
  std::vector<ModuleUse> made;
  made.reserve(modules.size());
  for (auto& [name, use] : modules) made.push_back(std::move(use));
  std::stable_sort(made.begin(), made.end(), [](const ModuleUse& a, const ModuleUse& b) {
    return std::tie(a.device, a.host) > std::tie(b.device, b.host);
  });
  return made;
}

}  // namespace stepsim::sim
