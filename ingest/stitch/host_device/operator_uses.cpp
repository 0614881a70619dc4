#include "ingest/stitch/host_device/operator_uses.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/base/sort_runs.h"

namespace stepsim::ingest {
namespace {

/// The operator whose call had a piece of device work launched.
struct OperatorUse {
  std::uint32_t which = kNoIndex;  ///< index into HostDeviceTrace::operators; kNoIndex if no shape was recorded
  std::uint32_t occurrence = 0;    ///< number of the call, in order of its start
  bool in_optimizer = false;       ///< an "Optimizer." annotation is around the call
};

/// The operator around a runtime call.
struct Caller {
  std::uint32_t event = kNoIndex;
  bool in_optimizer = false;
};

/// Enters in `caller`, by event, the innermost operator with shapes around each runtime call of a thread.
void find_callers(const RankEvents& events, const RankEvents::Thread& thread,
                  const std::vector<std::uint32_t>& operator_of, std::vector<Caller>& caller) {
  std::vector<Caller> open;  // operators with shapes, the innermost last
  Time optimizer_end{Duration::min()};
  for (const std::uint32_t event : thread.events) {
    while (!open.empty() && events.end_of(open.back().event) <= events.begin_of(event)) open.pop_back();
    const bool in_optimizer = events.begin_of(event) < optimizer_end;
    if (operator_of[event] != kNoIndex) {
      open.push_back({event, in_optimizer});
    } else if (events.trace->kind[event] == EventKind::kRuntimeCall && !open.empty()) {
      caller[event] = open.back();
    } else if (events.name_of(event).starts_with("Optimizer.")) {
      optimizer_end = std::max(optimizer_end, events.end_of(event));
    }
  }
}

/// Numbers the operators that launched something by their start. Returns the numbers by event.
std::vector<std::uint32_t> occurrences(const RankEvents& events, std::vector<std::uint32_t> callers) {
  sort_runs(callers, [&](std::uint32_t a, std::uint32_t b) {
    return std::pair{events.begin_of(a), a} < std::pair{events.begin_of(b), b};
  });
  callers.erase(std::unique(callers.begin(), callers.end()), callers.end());
  std::vector<std::uint32_t> number(events.trace->size(), 0);
  for (std::uint32_t i = 0; i < callers.size(); ++i) number[callers[i]] = i;
  return number;
}

/// By op. Empty where no shapes were recorded.
std::vector<OperatorUse> find_operator_uses(const RankEvents& events) {
  if (events.trace->operator_of.empty()) return {};
  std::vector<std::uint32_t> operator_of(events.trace->size(), kNoIndex);
  for (const auto& [event, which] : events.trace->operator_of) operator_of[event] = which;
  std::vector<Caller> caller(events.trace->size());
  for (const RankEvents::Thread& thread : events.threads) {
    if (thread.launches) find_callers(events, thread, operator_of, caller);
  }

  std::vector<std::uint32_t> callers;
  for (const DeviceOp& op : events.ops) {
    if (op.call != kNoIndex && caller[op.call].event != kNoIndex) callers.push_back(caller[op.call].event);
  }
  const std::vector<std::uint32_t> number = occurrences(events, callers);
  std::vector<OperatorUse> uses(events.ops.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const std::uint32_t call = events.ops[i].call;
    if (call == kNoIndex || caller[call].event == kNoIndex) continue;
    uses[i] = {operator_of[caller[call].event], number[caller[call].event], caller[call].in_optimizer};
  }
  return uses;
}

}  // namespace

void add_operator_uses(const RankEvents& events, const DeviceTasks& tasks, Assembly& assembly) {
  OperatorTable& table = assembly.operators;
  const auto first = static_cast<std::uint32_t>(table.operators.size());
  const std::uint32_t occurrence = table.occurrences;
  const std::vector<OperatorUse> uses = find_operator_uses(events);
  for (std::uint32_t i = 0; i < uses.size(); ++i) {
    if (uses[i].which == kNoIndex) continue;
    tasks.for_each_task(i, [&](TaskId task) {
      table.uses.push_back({task, first + uses[i].which, occurrence + uses[i].occurrence, uses[i].in_optimizer});
      table.occurrences = std::max(table.occurrences, table.uses.back().occurrence + 1);
    });
  }
  if (table.uses.empty()) return;
  const auto& operators = events.trace->operators;
  table.operators.insert(table.operators.end(), operators.begin(), operators.end());
}

}  // namespace stepsim::ingest
