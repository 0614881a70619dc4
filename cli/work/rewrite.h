#ifndef STEPSIM_CLI_WORK_REWRITE_H
#define STEPSIM_CLI_WORK_REWRITE_H

#include <optional>
#include <string>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "ingest/cut/cut.h"
#include "sim/check/written_documents.h"

/// The conversions of `stepsim convert` that write the content of the trace files, not that of a replay.
namespace stepsim::cli {

/// Writes the traces without private data. A single file is written to the file of -o; a folder or several files are
/// written into the folder of -o, which is created if necessary. Output whose name ends in .gz is compressed. Throws
/// UsageError for options that select or change other data, and what ingest::scrub_files() throws.
[[nodiscard]] sim::Scrubbed scrub(const CommonOptions& options, const Session& session);

/// True if every trace among the inputs is a file of PyTorch's profiler on disk. Only parts of such traces can be
/// written.
[[nodiscard]] bool can_be_cut(const CommonOptions& options);

/// One written part of a trace, for the report of `convert`.
struct CutAnswer {
  std::string input;
  std::string output;
  ingest::CutCounts counts;
};

struct CutAnswers {
  std::vector<CutAnswer> parts;
  std::vector<std::string> left_out;  ///< files in the folders of the inputs that are not traces, for example job.yaml
};

/// True if -o is a folder: an existing one, or a name that ends with a slash.
[[nodiscard]] bool names_folder(const std::string& output);

/// Creates the folder of `file` and its parents. Throws OutputError on failure.
void make_folder_of(const std::string& file);

/// Writes the part of each trace file that `what` and --steps select, for the ranks of --ranks or for all ranks. If -o
/// is a folder, it is created if necessary, and the files are written into it under their own names. Otherwise a single
/// file is written to the file of -o. Throws UsageError if there are several files and -o is not a folder, or if two
/// have the same name. Precondition: can_be_cut().
[[nodiscard]] CutAnswers cut(const CommonOptions& options, ingest::Cut what, const Session& session);

/// True if -o names a part of a job: OUT.stepsim.
[[nodiscard]] bool names_part(const CommonOptions& options);

/// Writes what was read from the traces as a part of a job (ingest/stored/stored_part.h), to the file of -o. Throws
/// UsageError for options that select or change data, and for formats that have no host and device events.
[[nodiscard]] sim::WrittenPart write_part(const CommonOptions& options, const Session& session);

/// True if -o has the extension of PyTorch's profiler (.pt.trace.json, .gz) and every input is a file of `stepsim
/// capture`.
[[nodiscard]] bool wants_profiler_trace(const CommonOptions& options);

/// Writes a file of `stepsim capture` in the format of PyTorch's profiler, to the file of -o. Throws UsageError if
/// there are several files, because a trace is for one rank.
[[nodiscard]] sim::ProfilerTrace write_profiler_trace(const CommonOptions& options, const Session& session);

/// True if -o names BytePS's timeline: "comm.json", or a name that ends in ".comm.json"; also with .gz.
[[nodiscard]] bool names_comm_json(const CommonOptions& options);

/// Writes the capture's communication in BytePS's format. A single rank is written to the file of -o. If -o is a
/// folder, writes a comm.json for each rank, and for a BytePS job the job.yaml. BytePS's own data is written as it was
/// recorded, other communication as defined by sim::communication_of(). Throws UsageError if -o is a file and there are
/// several ranks.
[[nodiscard]] sim::CommJson write_comm_json(const CommonOptions& options, const Session& session);

}  // namespace stepsim::cli

#endif
