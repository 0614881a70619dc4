#ifndef STEPSIM_INGEST_LOAD_PROFILES_H
#define STEPSIM_INGEST_LOAD_PROFILES_H

#include <string>
#include <variant>
#include <vector>

#include "ingest/load/load.h"
#include "model/job/range_profile.h"

namespace stepsim::ingest {

/// One run as measured by inline profilers, with the diagnostics of reading it.
struct LoadedRun {
  ProfiledRun run;
  Diagnostics diagnostics;
  std::vector<InputFile> inputs;
};

/// Reads every profile under `traces` (files, folders and archives); each is a process of one run. Throws InputError if
/// nothing there is usable, CannotAnswer if it is a capture of another kind, and Interrupted on Ctrl-C. Precondition:
/// `traces` is not empty; the run is named after the first.
[[nodiscard]] LoadedRun load_run(const std::vector<std::string>& traces, const LoadOptions& options);

/// Returns what load_with_details() returns for captures, or, if the inputs are only profiles, what load_run() returns.
/// Each input is read once in either case.
[[nodiscard]] std::variant<LoadedRun, DetailedCapture> load_measured(const std::vector<std::string>& traces,
                                                                     const LoadOptions& options);

}  // namespace stepsim::ingest

#endif
