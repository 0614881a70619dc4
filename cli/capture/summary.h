#ifndef STEPSIM_CLI_CAPTURE_SUMMARY_H
#define STEPSIM_CLI_CAPTURE_SUMMARY_H

#include <string>

namespace stepsim::cli {

/// What the files of a run in a folder hold, a line each, with a line for each thing that is wrong and what to do about
/// it; and the command that comes next. Never throws for a file that cannot be read: it says so.
///
///   stepsim: captured 3 steps of rank 0: 105 kernels, 17.5 kB in traces/host_4711.capture
///   stepsim: next: stepsim replay traces
[[nodiscard]] std::string capture_summary(const std::string& directory, const std::string& run);

}  // namespace stepsim::cli

#endif
