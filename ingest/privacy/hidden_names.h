#ifndef STEPSIM_INGEST_PRIVACY_HIDDEN_NAMES_H
#define STEPSIM_INGEST_PRIVACY_HIDDEN_NAMES_H

#include <cstdint>
#include <optional>
#include <string>

#include "ingest/load/load.h"
#include "ingest/load/profiles.h"
#include "model/job/cluster.h"

namespace stepsim::ingest {

/// What an answer does not say about the people and machines that made a capture.
enum class Hidden : std::uint8_t {
  kNothing,
  kHosts,          ///< hosts are called host001, host002, ... in the natural order of their names
  kHostsAndPaths,  ///< also, files are named without their folders, and paths in names of Python functions are replaced
};

// Each of these functions replaces names in what was loaded, so that no answer made of it contains them: names of hosts
// in lanes, clocks, names of files, diagnostics and assumptions. Names that do not identify a host ("3", "worker 0",
// "localhost") stay. Names of kernels, operators, annotations and threads stay too. O(size of the texts).

void hide_names(Capture& capture, Hidden hidden);
void hide_names(DetailedCapture& detailed, Hidden hidden);
void hide_names(SourcedCapture& sourced, Hidden hidden);
void hide_names(LoadedRun& run, Hidden hidden);
/// The parts of a survey (ingest/survey/survey.h).
void hide_names(std::optional<Capture>& capture, CaptureContents& contents, Diagnostics& diagnostics,
                std::string& problem, Hidden hidden);

/// Gives the hosts of a cluster file the names that `capture` has for them, and the next numbers to other hosts. Does
/// nothing if the capture's hosts have their recorded names.
void hide_names(Cluster& cluster, const Capture& capture);

}  // namespace stepsim::ingest

#endif
