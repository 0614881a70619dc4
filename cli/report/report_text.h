#ifndef STEPSIM_CLI_REPORT_REPORT_TEXT_H
#define STEPSIM_CLI_REPORT_REPORT_TEXT_H

#include <string>

#include "cli/work/work.h"

/// What the commands print for people. The first line is a sentence that says what was found
/// and how far to trust it; sections follow, each under its title. Safe for a terminal.
namespace stepsim::cli {

[[nodiscard]] std::string replay_text(const Replayed& replayed, const sim::Summary& summary, const NamedPath& path);

/// Below the path's first sentence, its classes and its longest tasks (at most `rows`).
[[nodiscard]] std::string critical_path_text(const Replayed& replayed, const NamedPath& path, std::size_t rows);

/// What calibration found: its fits, the cluster.yaml, what it assumed.
[[nodiscard]] std::string calibration_text(const Capture& capture, const Calibration& calibration);

}  // namespace stepsim::cli

#endif
