#ifndef STEPSIM_INGEST_LOAD_PROFILES_H
#define STEPSIM_INGEST_LOAD_PROFILES_H

#include <string>
#include <vector>

#include "ingest/load/load.h"
#include "model/job/range_profile.h"

namespace stepsim::ingest {

/// What inline profilers measured in one run, and what was wrong with it.
struct LoadedRun {
  ProfiledRun run;
  Diagnostics diagnostics;
  std::vector<InputFile> inputs;
};

/// Whether every file under `traces` is in the format of an inline profiler. Looks at their first bytes; standard input
/// and pipes, of which that would take, are none. False where load() would find nothing that it can look at.
[[nodiscard]] bool are_profiles(const std::vector<std::string>& traces);

/// Reads every profile under `traces`, the processes of one run: files, folders and archives. Throws InputError if
/// nothing there can be used, CannotAnswer if it is a capture of another kind, Interrupted. Precondition: there is a
/// trace; the run is called as the first.
[[nodiscard]] LoadedRun load_run(const std::vector<std::string>& traces, const LoadOptions& options);

}  // namespace stepsim::ingest

#endif
