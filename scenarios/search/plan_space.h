#ifndef STEPSIM_SCENARIOS_SEARCH_PLAN_SPACE_H
#define STEPSIM_SCENARIOS_SEARCH_PLAN_SPACE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/rewrite/parallel/divided_step.h"
#include "scenarios/question/scenario.h"

namespace stepsim::scenarios {

/// What the search for a plan may try.
struct PlanSpace {
  std::vector<std::uint32_t> devices;  ///< numbers of devices, not empty, each above 0
  std::uint32_t gpus_per_host = 8;     ///< the devices that divide a layer are on one host
  /// Samples of all replicas per step, divided by those of the captured step. It is the same for all plans, so that
  /// their step times can be compared.
  double batches = 1;
};

/// What a capture of one device allows.
struct PlanLimits {
  std::size_t layers = 1;                ///< largest number of stages, or parts of stages, of a pipeline
  bool divides_layers = false;           ///< true if devices can divide the layers
  std::int64_t key_heads = 0;            ///< the devices that divide a layer are a divisor of these; 0 if not known
  std::uint32_t experts = 0;             ///< experts of a layer, if replicas can divide them; else 0
  bool has_replicas = false;             ///< true if the job can have several replicas
  std::optional<std::uint32_t> samples;  ///< of a captured step, if job.yaml gives them
  std::vector<std::string> reasons;      ///< why something is not possible, as clauses
};

/// Returns what the capture allows. O(tasks log tasks + edges).
[[nodiscard]] PlanLimits plan_limits(DividedStep& step);

/// Returns the scenario with a list of points, one for each plan in the space: all divisions of the devices into
/// replicas (`parallel.data`), devices that divide each layer (`parallel.tensor`) and stages (`parallel.pipeline`), and
/// of experts among replicas (`parallel.expert`), with numbers of microbatches and of parts of each stage, and sizes of
/// gradient buckets. Microbatches are powers of two that divide the samples of a replica; if the number of samples is
/// not known, a microbatch has whole captured batches.
///
/// If the scenario sets one of these parameters, only its values are tried. Other axes of its sweep are tried with
/// every plan. Throws UsageError if the scenario sets what the search decides (`batch.scale`), and if there are more
/// than kMostPoints plans.
[[nodiscard]] Scenario with_plans(Scenario scenario, const PlanSpace& space, const PlanLimits& limits);

}  // namespace stepsim::scenarios

#endif
