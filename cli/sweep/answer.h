#ifndef STEPSIM_CLI_SWEEP_ANSWER_H
#define STEPSIM_CLI_SWEEP_ANSWER_H

#include <optional>
#include <string>
#include <vector>

#include "cli/program/provenance.h"
#include "scenarios/answer/sweep.h"
#include "scenarios/question/points.h"
#include "sim/report/document.h"

namespace stepsim::cli {

/// All that a sweep's reports say, but for what its points came to. Depends on what was asked
/// and of which inputs only, not on how the work was done: the parts of one sweep have equal ones.
struct SweepHead {
  Provenance provenance;
  std::string name;     ///< of the scenario; may be empty
  std::string network;  ///< the model's name
  std::vector<std::string> changes;
  Assumptions assumptions;
  Duration baseline{};               ///< the iteration of the job as captured, predicted
  std::optional<Duration> measured;  ///< and measured
  scenarios::Points points;
};

struct SweepAnswer {
  SweepHead head;
  std::vector<scenarios::Outcome> outcomes;  ///< by point
};

/// For terminal, files and --json ({"schema":"stepsim.sweep/1", ...}, design.md 9). Refers to
/// `answer`.
[[nodiscard]] sim::Document sweep_document(const SweepAnswer& answer);

}  // namespace stepsim::cli

#endif
