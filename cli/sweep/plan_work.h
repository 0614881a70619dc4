#ifndef STEPSIM_CLI_SWEEP_PLAN_WORK_H
#define STEPSIM_CLI_SWEEP_PLAN_WORK_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "scenarios/question/scenario.h"

namespace stepsim::cli {

/// The definition of a search for a plan, and how to run it.
struct PlanRequest {
  CommonOptions common;
  scenarios::Scenario scenario;
  std::vector<std::string> arguments;      ///< for the provenance, without options that do not influence the result
  std::vector<std::uint32_t> devices;      ///< --devices, ascending
  std::optional<std::string> device;       ///< --device
  std::optional<std::string> samples;      ///< --global-batch
  bool front = false;                      ///< --front
  bool resume = false;                     ///< --resume
  std::optional<std::string> resume_file;  ///< the FILE of --resume
};

/// Searches for the best plan and reports it. Simulated plans are stored in a file as the points of a sweep are: FILE
/// of
/// --resume, or else OUT.points for -o OUT, which is removed after OUT is written.
void run_plan(PlanRequest request, const Session& session);

}  // namespace stepsim::cli

#endif
