#ifndef STEPSIM_SCENARIOS_ADVICE_PROPOSALS_H
#define STEPSIM_SCENARIOS_ADVICE_PROPOSALS_H

#include <string>
#include <vector>

#include "scenarios/advice/candidates.h"

namespace stepsim::scenarios {

/// One change of an entry of the table in candidates.cpp.
struct Proposal {
  std::vector<Setting> settings;
  std::string what{};  ///< empty: what the entry says
};

/// The changes of an entry for a job, or the reason why there are none: a sentence without its full stop.
struct Proposals {
  std::vector<Proposal> list;
  std::string reason{};
};

// What depends on the job. Sizes are half, twice, a quarter, four times and an eighth of the job's own, in this order:
// of sizes that do as well, the nearest is advised.

[[nodiscard]] Proposals partitions(const Situation& situation);
/// Priority with bounds on the pushes under way; without a bound the network's queue keeps the order in which they
/// came.
[[nodiscard]] Proposals priority(const Situation& situation);
[[nodiscard]] Proposals cross_barrier(const Situation& situation);
[[nodiscard]] Proposals cross_barrier_with_priority(const Situation& situation);
[[nodiscard]] Proposals control_first(const Situation& situation);
[[nodiscard]] Proposals buckets(const Situation& situation);
[[nodiscard]] Proposals algorithms(const Situation& situation);
/// A device may have units for one of the two forms only.
[[nodiscard]] Proposals half_precision(const Situation& situation);
[[nodiscard]] Proposals more_servers(const Situation& situation);
[[nodiscard]] Proposals no_barriers(const Situation& situation);
/// Of jobs that name FSDP: other all-gathers may be of activations.
[[nodiscard]] Proposals prefetch(const Situation& situation);
/// Up to three classes of kernels, each a twentieth of device work or more.
[[nodiscard]] Proposals longest_classes(const Situation& situation);
[[nodiscard]] Proposals faster_loading(const Situation& situation);
[[nodiscard]] Proposals free_loading(const Situation& situation);
/// The rank that computes longest, at the pace of the middle one of the others.
[[nodiscard]] Proposals slowest_rank(const Situation& situation);
[[nodiscard]] Proposals free_network(const Situation& situation);
[[nodiscard]] Proposals no_copies(const Situation& situation);

}  // namespace stepsim::scenarios

#endif
