#ifndef STEPSIM_SIM_CHECK_KNOWN_FINDINGS_H
#define STEPSIM_SIM_CHECK_KNOWN_FINDINGS_H

#include <vector>

#include "sim/check/checkup.h"

/// Where findings come from, a function a source.
namespace stepsim::sim {

/// What reading and joining the files had to report, each diagnostic with its cost. Those that say that nothing is lost
/// are left out, and so are those that a finding of another source sums up.
[[nodiscard]] std::vector<Finding> diagnostic_findings(const Examined& examined);

/// What host and device events would have shown, had they been recorded: steps, shapes, waits, sizes, ranks.
[[nodiscard]] std::vector<Finding> recording_findings(const Examined& examined);

/// The same of BytePS jobs and of task graphs.
[[nodiscard]] std::vector<Finding> other_job_findings(const Examined& examined);

/// What the replay shows: how far it is off, and how much of it rests on no known dependency.
[[nodiscard]] std::vector<Finding> replay_findings(const Examined& examined);

/// What in the files says who made them, or lets others act in their name.
[[nodiscard]] std::vector<Finding> privacy_findings(const Examined& examined);

}  // namespace stepsim::sim

#endif
