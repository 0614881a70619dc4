#ifndef STEPSIM_INGEST_LOAD_PROFILES_H
#define STEPSIM_INGEST_LOAD_PROFILES_H

#include <string>
#include <variant>
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

/// Reads every profile under `traces`, the processes of one run: files, folders and archives. Throws InputError if
/// nothing there can be used, CannotAnswer if it is a capture of another kind, Interrupted. Precondition: there is a
/// trace; the run is called as the first.
[[nodiscard]] LoadedRun load_run(const std::vector<std::string>& traces, const LoadOptions& options);

/// What load_with_details() makes of captures, or of profiles and nothing else what load_run() does: whatever they come
/// from, each input is read once.
[[nodiscard]] std::variant<LoadedRun, DetailedCapture> load_measured(const std::vector<std::string>& traces,
                                                                     const LoadOptions& options);

}  // namespace stepsim::ingest

#endif
