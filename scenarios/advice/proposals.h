#ifndef STEPSIM_SCENARIOS_ADVICE_PROPOSALS_H
#define STEPSIM_SCENARIOS_ADVICE_PROPOSALS_H

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/advice/candidates.h"
#include "scenarios/answer/factors.h"
#include "scenarios/answer/interval.h"
#include "scenarios/answer/predict.h"
#include "scenarios/question/points.h"

namespace stepsim::scenarios {

/// A sweep over these points, none of them empty.
[[nodiscard]] Scenario scenario_of(const std::vector<std::vector<Setting>>& points);

/// A sentence about a point of such a scenario, without the place that errors name first.
[[nodiscard]] std::string without_place(std::string_view problem);

/// How far a change is known: the range of `changed` divided by `captured`, as factors of that ratio of iterations.
///
/// It is mostly narrower than the range of the iteration, because both are predictions of the same steps. So sources
/// that are about the captured steps (IntervalSource::of_capture) are replaced by what the change does to them:
///
/// * steps: the ratio of each step that is whole in both replays, on the rank that is slowest as captured;
/// * repetition: the ratio of iterations in the long run;
/// * profiler: the ratio where both take as much less as the profiler may have cost;
/// * transient: cancels.
///
/// All other sources stay, the model's error on the captured iteration too: it may be in one of the two only. O(tasks).
[[nodiscard]] Factors change_range(const Prediction& captured, const Prediction& changed,
                                   const AnswerInterval& changed_range);

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
[[nodiscard]] Proposals more_loaders(const Situation& situation);
[[nodiscard]] Proposals half_waits_for_data(const Situation& situation);
[[nodiscard]] Proposals no_waits_for_data(const Situation& situation);
/// The rank that computes longest, at the pace of the middle one of the others.
[[nodiscard]] Proposals slowest_rank(const Situation& situation);
[[nodiscard]] Proposals free_network(const Situation& situation);
[[nodiscard]] Proposals no_copies(const Situation& situation);

}  // namespace stepsim::scenarios

#endif
