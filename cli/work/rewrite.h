#ifndef STEPSIM_CLI_WORK_REWRITE_H
#define STEPSIM_CLI_WORK_REWRITE_H

#include <optional>
#include <string>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "ingest/cut/cut.h"
#include "sim/check/scrub_document.h"

/// What `convert` writes of the traces' own text, and not of a replay.
namespace stepsim::cli {

/// Writes the traces without what is private: a file to the file of -o, a folder or several files into the folder of
/// -o, which is made if it is not there. `.gz` compresses. Throws UsageError for an option that would change more, and
/// what ingest::scrub_files() throws.
[[nodiscard]] sim::Scrubbed scrub(const CommonOptions& options, const Session& session);

/// Whether every input is a trace of PyTorch's profiler, of which a part can be cut out.
[[nodiscard]] bool can_be_cut(const CommonOptions& options);

/// What was cut, for the report.
struct CutAnswer {
  std::string input;
  ingest::CutCounts counts;
};

/// Cuts the part of the rank of --ranks, or of the only one, out of its file, into the file of -o. Throws UsageError if
/// more than one rank is left.
[[nodiscard]] CutAnswer cut(const CommonOptions& options, ingest::Cut what, const Session& session);

}  // namespace stepsim::cli

#endif
