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

/// Returns a scenario with a sweep over `points`. Precondition: no point is empty.
[[nodiscard]] Scenario scenario_of(const std::vector<std::vector<Setting>>& points);

/// Removes the location from the beginning of an error about a point of a scenario made by scenario_of().
[[nodiscard]] std::string without_place(std::string_view problem);

/// Returns the range of the ratio of the iterations of `changed` and `captured`, as factors of that ratio.
///
/// It is usually narrower than the range of the iteration, because both are predictions of the same steps. Sources of
/// uncertainty about the captured steps (IntervalSource::of_capture) are therefore replaced by the effect of the change
/// on them:
///
/// - steps: the ratio of each step that is whole in both replays, on the slowest captured rank;
/// - repetition: the ratio of the iterations in the long run;
/// - profiler: the ratio if both are shorter by the possible cost of the profiler;
/// - transient: cancels.
///
/// All other sources stay. This includes the model's error on the captured iteration, which may affect only one of the
/// two. O(tasks).
[[nodiscard]] Factors change_range(const Prediction& captured, const Prediction& changed,
                                   const AnswerInterval& changed_range);

/// A change for an entry of the table in candidates.cpp.
struct Proposal {
  std::vector<Setting> settings;
  std::string what{};  ///< if empty, the entry's text is used
};

/// The changes of an entry for a job, or the reason why there are none: a sentence without the period.
struct Proposals {
  std::vector<Proposal> list;
  std::string reason{};
};

// Proposals that depend on the job. Sizes are half, twice, a quarter, four times and an eighth of the job's own size,
// in this order: among equally good sizes, the nearest is advised.

[[nodiscard]] Proposals partitions(const Situation& situation);
/// Proposes priorities together with limits on the pushes under way. Without a limit, the network's queue keeps the
/// order of arrival.
[[nodiscard]] Proposals priority(const Situation& situation);
[[nodiscard]] Proposals cross_barrier(const Situation& situation);
[[nodiscard]] Proposals cross_barrier_with_priority(const Situation& situation);
[[nodiscard]] Proposals control_first(const Situation& situation);
[[nodiscard]] Proposals buckets(const Situation& situation);
[[nodiscard]] Proposals algorithms(const Situation& situation);
/// Proposes bf16 and fp16 separately, because a device may have units for only one of them.
[[nodiscard]] Proposals half_precision(const Situation& situation);
[[nodiscard]] Proposals more_servers(const Situation& situation);
[[nodiscard]] Proposals no_barriers(const Situation& situation);
/// Proposes prefetching, only for jobs that name FSDP: other all-gathers may carry activations.
[[nodiscard]] Proposals prefetch(const Situation& situation);
/// Proposes up to three classes of kernels, each with at least a twentieth of device work.
[[nodiscard]] Proposals longest_classes(const Situation& situation);
[[nodiscard]] Proposals faster_loading(const Situation& situation);
[[nodiscard]] Proposals free_loading(const Situation& situation);
[[nodiscard]] Proposals more_loaders(const Situation& situation);
[[nodiscard]] Proposals half_waits_for_data(const Situation& situation);
[[nodiscard]] Proposals no_waits_for_data(const Situation& situation);
/// Proposes to speed up the rank that computes longest, to the median of the others.
[[nodiscard]] Proposals slowest_rank(const Situation& situation);
[[nodiscard]] Proposals free_network(const Situation& situation);
[[nodiscard]] Proposals no_copies(const Situation& situation);

}  // namespace stepsim::scenarios

#endif
