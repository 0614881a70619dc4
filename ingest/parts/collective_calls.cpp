#include "ingest/parts/collective_calls.h"

#include <algorithm>
#include <string_view>

#include "model/job/collective.h"
#include "model/job/kernel_class.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

/// How likely work is to move the bytes of the collective whose call launched it.
enum class Moves : std::uint8_t { kNothing, kMaybe, kLikely, kSurely };

Moves moves(const LaunchedWork& launched, std::uint32_t call, const HostDeviceTrace& trace) {
  const std::string_view name = trace.text(trace.name[launched.event]);
  switch (trace.kind[launched.event]) {
    case EventKind::kKernel:
      if (names_collective(trace, launched.event) || communication_kernel(name)) return Moves::kSurely;
      return launched.directly ? Moves::kLikely : Moves::kNothing;
    case EventKind::kMemcpy: {
      const ProcessGroupId group = trace.detail_of(call)->group;
      const bool alone = group.valid() && trace.groups[group.index()].ranks.size() == 1;
      return launched.directly && !alone && copy_direction(name) == CopyDirection::kNone ? Moves::kMaybe
                                                                                         : Moves::kNothing;
    }
    default: return Moves::kNothing;
  }
}

}  // namespace

bool is_collective_call(const HostDeviceTrace& trace, std::size_t event) {
  const EventKind kind = trace.kind[event];
  return (kind == EventKind::kOp || kind == EventKind::kAnnotation) && names_collective(trace, event) &&
         find_operation(trace.text(trace.detail_of(event)->collective)) != nullptr;
}

void join_collective(std::uint32_t call, const std::vector<LaunchedWork>& launched, HostDeviceTrace& trace) {
  Moves most = Moves::kMaybe;
  for (const LaunchedWork& work : launched) most = std::max(most, moves(work, call, trace));
  std::vector<std::uint32_t> moving;
  for (const LaunchedWork& work : launched) {
    if (moves(work, call, trace) == most) moving.push_back(work.event);
  }
  for (const std::uint32_t event : moving) trace.detail.set(event, trace.detail[call]);
}

}  // namespace stepsim::ingest
