#ifndef STEPSIM_SIM_ANALYSIS_JOB_KIND_H
#define STEPSIM_SIM_ANALYSIS_JOB_KIND_H

#include <set>
#include <string>

#include "model/job/recording.h"

namespace stepsim::sim {

/// What kind of job was captured, as far as iterations of jobs of different kinds do not compare.
struct JobKind {
  bool marks_steps = false;       ///< else all that was recorded counts as one iteration
  bool has_servers = false;       ///< parameter servers
  bool has_device_work = false;   ///< of accelerators
  std::set<std::string> devices;  ///< the names of the accelerators, where they are known
};

/// O(lanes + steps + ranks).
[[nodiscard]] JobKind job_kind(const Capture& capture);

}  // namespace stepsim::sim

#endif
