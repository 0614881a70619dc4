#ifndef STEPSIM_INGEST_STORED_STORED_PART_H
#define STEPSIM_INGEST_STORED_STORED_PART_H

#include <string>
#include <string_view>
#include <vector>

#include "ingest/bytes/byte_source.h"
#include "ingest/parts/part.h"
#include "model/base/diagnostics.h"
#include "model/base/error.h"

/// Parts of a job as files (OUT.stepsim): what was read from the traces of some ranks, before it is joined with that of
/// other ranks. A part has all that an answer needs, in a fraction of the traces' size, so that each node can make the
/// part of its own ranks.
///
/// A part begins with the line "stepsim part 4", where 4 is the version of the layout. Then follow columns
/// (ingest/bytes/columns.h) and, in the last 8 bytes, the checksum of everything before, least significant byte first.
/// A part of another version is refused: it is made again from the traces.
namespace stepsim::ingest {

/// The content of one trace, and the folders it was in.
struct StoredInput {
  std::string name;           ///< name for messages
  std::string gpu_folder;     ///< folder that contains it
  std::string worker_folder;  ///< folder that contains gpu_folder
  std::string format;         ///< name of the format that read it
  PartSink sink;              ///< with all details; each part is a HostDeviceTrace
};

struct StoredPart {
  std::vector<StoredInput> inputs;
  std::vector<InputFile> files;  ///< the files that they came from
  Diagnostics diagnostics;       ///< about files that were not used
  std::string job_name;          ///< job.yaml, for messages; empty if there was none
  std::string job_text;
};

/// Returns the part as bytes. Throws UsageError if an input is not a host and device trace. O(events).
[[nodiscard]] std::string to_bytes(const StoredPart& part);

/// Returns true if `head`, the beginning of a file, is that of a part.
[[nodiscard]] bool is_stored_part(std::string_view head);

/// Reads a part. Without `details`, data that only TraceDetails needs is left out. Throws InputError if the part is
/// damaged or of another version. O(events); holds the whole file in memory.
[[nodiscard]] StoredPart read_stored_part(ByteSource& source, bool details);

}  // namespace stepsim::ingest

#endif
