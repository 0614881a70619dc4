#include "ingest/stitch/operator_uses.h"

#include <algorithm>
#include <utility>

namespace stepsim::ingest {
namespace {

/// For each runtime call of the thread the event of the operator around it.
void walk(const RankEvents& events, const RankEvents::Thread& thread, const std::vector<std::uint32_t>& operator_of,
          std::vector<std::uint32_t>& caller) {
  std::vector<std::uint32_t> open;  // operators with shapes, the innermost last
  for (const std::uint32_t event : thread.events) {
    while (!open.empty() && events.end_of(open.back()) <= events.begin_of(event)) open.pop_back();
    if (operator_of[event] != kNoIndex) {
      open.push_back(event);
    } else if (events.trace->kind[event] == EventKind::kRuntimeCall && !open.empty()) {
      caller[event] = open.back();
    }
  }
}

/// Numbers the calls that launched something by their start.
std::vector<std::uint32_t> occurrences(const RankEvents& events, std::vector<std::uint32_t> callers) {
  std::sort(callers.begin(), callers.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair{events.begin_of(a), a} < std::pair{events.begin_of(b), b};
  });
  callers.erase(std::unique(callers.begin(), callers.end()), callers.end());
  std::vector<std::uint32_t> number(events.trace->size(), 0);
  for (std::uint32_t i = 0; i < callers.size(); ++i) number[callers[i]] = i;
  return number;
}

}  // namespace

std::vector<OperatorUse> find_operator_uses(const RankEvents& events) {
  if (events.trace->operator_of.empty()) return {};
  std::vector<std::uint32_t> operator_of(events.trace->size(), kNoIndex);
  for (const auto& [event, which] : events.trace->operator_of) operator_of[event] = which;
  std::vector<std::uint32_t> caller(events.trace->size(), kNoIndex);
  for (const RankEvents::Thread& thread : events.threads) {
    if (thread.launches) walk(events, thread, operator_of, caller);
  }

  std::vector<std::uint32_t> callers;
  for (const DeviceOp& op : events.ops) {
    if (op.call != kNoIndex && caller[op.call] != kNoIndex) callers.push_back(caller[op.call]);
  }
  const std::vector<std::uint32_t> number = occurrences(events, callers);
  std::vector<OperatorUse> uses(events.ops.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const std::uint32_t call = events.ops[i].call;
    if (call == kNoIndex || caller[call] == kNoIndex) continue;
    uses[i] = {operator_of[caller[call]], number[caller[call]]};
  }
  return uses;
}

}  // namespace stepsim::ingest
