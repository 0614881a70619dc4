#ifndef STEPSIM_CLI_WORK_REWRITE_H
#define STEPSIM_CLI_WORK_REWRITE_H

#include <optional>
#include <string>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "ingest/cut/cut.h"
#include "sim/check/written_documents.h"

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
  std::string output;
  ingest::CutCounts counts;
};

/// Whether -o is a folder: one that is there, or a name that ends with a slash.
[[nodiscard]] bool names_folder(const std::string& output);

/// Makes the folder that `file` is to lie in, and those above it. Throws OutputError if it cannot be made.
void make_folder_of(const std::string& file);

/// Cuts the part of the ranks of --ranks, or of all, out of their files: of one into the file of -o, or of any number
/// into the folder of -o, which is made if it is not there, each under its own name. Throws UsageError if several are
/// left and -o is no folder, or if two have one name.
[[nodiscard]] std::vector<CutAnswer> cut(const CommonOptions& options, ingest::Cut what, const Session& session);

/// Whether -o asks for a trace as PyTorch's profiler names it (.pt.trace.json, .gz), and every input is a file of
/// `stepsim capture`.
[[nodiscard]] bool wants_profiler_trace(const CommonOptions& options);

/// Writes what such a file holds as PyTorch's profiler would have written it, to the file of -o. Throws UsageError if
/// there are several files: a trace is of one rank.
[[nodiscard]] sim::ProfilerTrace write_profiler_trace(const CommonOptions& options, const Session& session);

/// Whether -o names BytePS's timeline: "comm.json", or a name that ends in ".comm.json"; with .gz, too.
[[nodiscard]] bool names_comm_json(const CommonOptions& options);

/// Writes what the capture communicated as BytePS writes it: of one rank to the file of -o, else, where -o is a folder,
/// a comm.json for each rank and what job.yaml says of a BytePS job. What is BytePS's own already is written as it was
/// recorded, all else as sim::communication_of() says. Throws UsageError if -o is a file and there are several ranks.
[[nodiscard]] sim::CommJson write_comm_json(const CommonOptions& options, const Session& session);

}  // namespace stepsim::cli

#endif
