#ifndef STEPSIM_INGEST_LOAD_READ_H
#define STEPSIM_INGEST_LOAD_READ_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/formats/format.h"
#include "ingest/load/discover.h"
#include "ingest/load/load.h"
#include "ingest/parts/part.h"

namespace stepsim::ingest {

/// A file that is known to be no trace.
struct OtherFile {
  std::string name;
  const KnownOther* kind = nullptr;
};

/// What one input held, and where it lay.
struct ReadInput {
  std::string name;           ///< for messages
  std::string gpu_folder;     ///< the folder it lies in
  std::string worker_folder;  ///< the folder of that one
  std::string_view format;    ///< the name of the one that read it
  PartSink sink;
};

/// A job.yaml among the members of an archive.
struct JobMember {
  std::string name;
  std::string text;
};

struct ReadInputs {
  std::vector<ReadInput> inputs;   ///< those of a known format, in the order of the files
  std::vector<InputFile> files;    ///< from which they came, in the same order
  Diagnostics diagnostics;         ///< on files and members that were not used
  std::optional<JobMember> job;    ///< of the first archive that has one
  std::optional<OtherFile> other;  ///< the first one
};

/// Reads all files side by side, each by the format that recognises it, and archives member by
/// member, whose folders count as a folder's do. Files of no known format are counted where they lay
/// in a folder or an archive, and so is what stepsim itself wrote, even in a known format. An archive is read where it
/// was named, not where it lay in a folder, beside what was perhaps unpacked from it. Throws InputError for one that
/// was named, and if there is no trace at all; Interrupted. Of several errors the first file's is thrown, whichever
/// came first in time.
/// With `details` the formats deliver what only TraceDetails holds, too.
[[nodiscard]] ReadInputs read_inputs(const std::vector<FoundFile>& files, const LoadOptions& options,
                                     bool details = false);

}  // namespace stepsim::ingest

#endif
