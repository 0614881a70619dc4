#ifndef STEPSIM_CLI_REPORT_TEXT_H
#define STEPSIM_CLI_REPORT_TEXT_H

#include <string>

#include "model/recording.h"
#include "sim/report/critical_path.h"
#include "sim/report/summary.h"

/// What the commands print for people. The first line is a sentence that says what was found
/// and how far to trust it; sections follow, each under its title. Safe for a terminal.
namespace stepsim::cli {

[[nodiscard]] std::string replay_text(const Capture& capture, const sim::Summary& summary,
                                      const sim::CriticalPath& path, const std::vector<sim::Straggler>& stragglers);

/// Below the path's first sentence, its classes and its longest tasks (at most `rows`).
[[nodiscard]] std::string critical_path_text(const Capture& capture, const sim::CriticalPath& path, std::size_t rows);

}  // namespace stepsim::cli

#endif
