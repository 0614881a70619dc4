#ifndef STEPSIM_SCENARIOS_ADVICE_PROPOSALS_H
#define STEPSIM_SCENARIOS_ADVICE_PROPOSALS_H

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/advice/candidates.h"
#include "scenarios/question/points.h"

namespace stepsim::scenarios {

/// Returns a scenario with a sweep over `points`. Precondition: no point is empty.
[[nodiscard]] Scenario scenario_of(const std::vector<std::vector<Setting>>& points);

/// Removes the location from the beginning of an error message about a scenario from scenario_of(), because the user
/// did not write this scenario.
[[nodiscard]] std::string without_place(std::string_view problem);

/// A proposed change. It belongs to an entry of the table in candidates.cpp.
struct Proposal {
  std::vector<Setting> settings;
  std::string what{};  ///< if empty, the entry's text is used
};

/// The changes that an entry of the table in candidates.cpp proposes for a job, or the reason why there are none. The
/// reason is a sentence without the period.
struct Proposals {
  std::vector<Proposal> list;
  std::string reason{};
};

// Proposals that depend on the job. Proposed sizes are 0.5, 2, 0.25, 4 and 0.125 times the job's current size, in this
// order, because the first of several equally good sizes is advised. Bucket sizes are rounded to whole MiB or KiB.

[[nodiscard]] Proposals partitions(const Situation& situation);
/// Proposes to send pushes in order of priority, with a limit on the pushes in flight. Without a limit, pushes would
/// wait in the queue of the network, which keeps the order of arrival.
[[nodiscard]] Proposals priority(const Situation& situation);
[[nodiscard]] Proposals cross_barrier(const Situation& situation);
[[nodiscard]] Proposals cross_barrier_with_priority(const Situation& situation);
[[nodiscard]] Proposals control_first(const Situation& situation);
[[nodiscard]] Proposals buckets(const Situation& situation);
[[nodiscard]] Proposals algorithms(const Situation& situation);
/// Proposes bf16 and fp16 separately, because a device may have units for only one of them.
[[nodiscard]] Proposals half_precision(const Situation& situation);
[[nodiscard]] Proposals more_servers(const Situation& situation);
/// Proposes to start reductions at their gradients if some start after the backward pass.
[[nodiscard]] Proposals early_reductions(const Situation& situation);
[[nodiscard]] Proposals no_barriers(const Situation& situation);
/// Proposes prefetching, but only for jobs whose task names contain FSDP or FullyShardedDataParallel. In other jobs,
/// all-gathers may carry activations.
[[nodiscard]] Proposals prefetch(const Situation& situation);
/// Proposes twice as fast kernels for each of up to three classes that take at least 5 % of the GPU work of their kind.
[[nodiscard]] Proposals longest_classes(const Situation& situation);
[[nodiscard]] Proposals faster_loading(const Situation& situation);
[[nodiscard]] Proposals loading_in_workers(const Situation& situation);
[[nodiscard]] Proposals more_loaders(const Situation& situation);
[[nodiscard]] Proposals half_waits_for_data(const Situation& situation);
[[nodiscard]] Proposals no_waits_for_data(const Situation& situation);
[[nodiscard]] Proposals no_pauses(const Situation& situation);
/// Proposes that the rank that computes longest becomes as fast as the median rank.
[[nodiscard]] Proposals slowest_rank(const Situation& situation);
[[nodiscard]] Proposals free_network(const Situation& situation);
[[nodiscard]] Proposals no_copies(const Situation& situation);
/// Proposes that each call of long_calls() takes no time.
[[nodiscard]] Proposals no_long_calls(const Situation& situation);

/// Returns the calls of the device's runtime that host.scale does not scale, because some of them take too long to be
/// CPU work (is_long_call()): by name, the longest total first, if they take at least 5 % of the CPU work.
[[nodiscard]] std::vector<sim::TaskGroup> long_calls(const sim::TaskList& tasks);

}  // namespace stepsim::scenarios

#endif
