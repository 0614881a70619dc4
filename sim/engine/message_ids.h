#ifndef STEPSIM_SIM_ENGINE_MESSAGE_IDS_H
#define STEPSIM_SIM_ENGINE_MESSAGE_IDS_H

#include <cstdint>

#include "model/base/id.h"
#include "model/cost/network/network.h"
#include "model/job/dag.h"

/// How the engine numbers messages: that of a task has the task's number, those that collectives
/// send have the numbers from kFirstOfCollectives on. A dag has fewer tasks than that.
namespace stepsim::sim {

inline constexpr std::uint32_t kFirstOfCollectives = 0x80000000U;
static_assert(kFirstOfCollectives > Dag::kMostTasks);

[[nodiscard]] constexpr bool is_of_collective(MessageId message) noexcept {
  return message.value() >= kFirstOfCollectives;
}
[[nodiscard]] constexpr MessageId message_of(TaskId task) noexcept { return MessageId{task.value()}; }
/// Precondition: not is_of_collective(message).
[[nodiscard]] constexpr TaskId task_of(MessageId message) noexcept { return TaskId{message.value()}; }

}  // namespace stepsim::sim

#endif
