#ifndef STEPSIM_SCENARIOS_ANSWER_SWEEP_ANSWER_H
#define STEPSIM_SCENARIOS_ANSWER_SWEEP_ANSWER_H

#include <optional>
#include <string>
#include <vector>

#include "scenarios/answer/sweep.h"
#include "scenarios/question/points.h"
#include "sim/analysis/throughput.h"
#include "sim/output/provenance.h"

namespace stepsim::scenarios {

/// All that a sweep's reports say, except the outcomes of its points. It depends only on the question
/// and the inputs, not on how the work was done: all parts of one sweep have the same head.
struct SweepHead {
  sim::Provenance provenance;
  std::string name;     ///< of the scenario; may be empty
  std::string network;  ///< the model's name
  std::string warning;  ///< that the capture is not what it looks like; may be empty
  std::vector<std::string> changes;
  Assumptions assumptions;
  Duration baseline{};               ///< the iteration of the job as captured, predicted
  std::optional<Duration> measured;  ///< and measured; job.yaml's measured_step where the profiler was taken out
  sim::StepWork work;                ///< of a captured step
  Points points;
};

struct SweepAnswer {
  SweepHead head;
  std::vector<Outcome> outcomes;  ///< by point
};

}  // namespace stepsim::scenarios

#endif
