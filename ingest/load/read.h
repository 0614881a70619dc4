#ifndef STEPSIM_INGEST_LOAD_READ_H
#define STEPSIM_INGEST_LOAD_READ_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/formats/format.h"
#include "ingest/load/discover.h"
#include "ingest/load/load.h"
#include "ingest/parts/like_traces.h"
#include "ingest/parts/part.h"
#include "model/job/capture_contents.h"

namespace stepsim::ingest {

/// A file of a known kind that is not a trace.
struct OtherFile {
  std::string name;
  const KnownOther* kind = nullptr;
};

/// The content of one input, and the folders it was in.
struct ReadInput {
  std::string name;           ///< name for messages
  std::string gpu_folder;     ///< folder that contains it
  std::string worker_folder;  ///< folder that contains gpu_folder
  std::string_view format;    ///< name of the format that read it
  PartSink sink;
  SourceContents contents{};  ///< counts of what was read
  SharedEvents events{};      ///< those of its host and device trace, if like traces share them
};

/// A job.yaml among the members of an archive.
struct JobMember {
  std::string name;
  std::string text;
};

struct ReadInputs {
  std::vector<ReadInput> inputs;   ///< inputs of a known format, in the order of the files
  std::vector<InputFile> files;    ///< the files they came from, in the same order
  Diagnostics diagnostics;         ///< about files and members that were not used
  std::optional<JobMember> job;    ///< from the first archive that has one
  std::optional<OtherFile> other;  ///< the first file of a known kind that is not a trace
};

/// Reads all files in parallel, each with the format that recognises it. Archives are read member by member; folders
/// inside them count like folders on disk. Two kinds of files are skipped and counted if they are in a folder or an
/// archive: files of unknown format, and files that stepsim itself wrote, even in a known format. An archive is read
/// only if the user named it; in a folder it may lie next to its own unpacked content. A part of a job
/// (ingest/stored/stored_part.h) gives the inputs and files that it was made from.
///
/// Throws InputError for an unusable file that the user named, and if there is no trace at all. Throws Interrupted on
/// Ctrl-C. If several files fail, the error of the first one in order is thrown. With `details`, the formats also read
/// data that only TraceDetails needs. If `like` is not null, it shares the events of like traces while files are read.
[[nodiscard]] ReadInputs read_inputs(const std::vector<FoundFile>& files, const LoadOptions& options,
                                     bool details = false, LikeTraces* like = nullptr);

/// Throws InputError if `read`, from files under `traces`, has no input, and says what was found instead.
void refuse_empty(const ReadInputs& read, const std::vector<std::string>& traces);

}  // namespace stepsim::ingest

#endif
