#ifndef STEPSIM_SIM_ANALYSIS_JOB_KIND_H
#define STEPSIM_SIM_ANALYSIS_JOB_KIND_H

#include <set>
#include <string>

#include "model/job/recording.h"

namespace stepsim::sim {

/// The properties of a captured job that decide whether its iteration can be compared with that of another job.
struct JobKind {
  bool marks_steps = false;  ///< true if the capture marks steps; otherwise the whole recording counts as one iteration
  bool has_servers = false;  ///< true if the job has parameter servers
  bool has_device_work = false;   ///< true if the capture has work on accelerators
  std::set<std::string> devices;  ///< the names of the accelerators, if known
};

/// Determines the kind of job. O(lanes + steps + ranks).
[[nodiscard]] JobKind job_kind(const Capture& capture);

}  // namespace stepsim::sim

#endif
