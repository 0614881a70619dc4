#ifndef STEPSIM_INGEST_PRIVACY_SCRUBBED_FILES_H
#define STEPSIM_INGEST_PRIVACY_SCRUBBED_FILES_H

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/load/load.h"
#include "ingest/privacy/scrubber.h"
#include "model/base/diagnostics.h"

namespace stepsim::ingest {

/// Counts the private content of every file under `traces`, including archive members. Skips standard input and FIFOs,
/// because they can be read only once. User and host names are found only in members that name them and in paths. Reads
/// each file once; a damaged file is read up to the damage.
[[nodiscard]] std::vector<PrivateContent> find_private_content(const std::vector<std::string>& traces,
                                                               const LoadOptions& options);

/// The destination of one scrubbed file.
struct ScrubTarget {
  std::function<void(std::string_view text)> write;
  std::function<void()> commit;
};

struct ScrubbedFiles {
  std::vector<PrivateContent> replaced;
  Diagnostics diagnostics;  ///< about defects of the traces among the files
};

/// The destination of the scrubbed files. Their names are scrubbed paths relative to the folder that the user named;
/// the name is empty if the user named a single file.
struct ScrubTargets {
  std::function<void(const std::vector<std::string>& names)> expect;  ///< called with all names before the first open()
  std::function<ScrubTarget(const std::string& name)> open;
};

/// Scrubs every file under `traces`, one after another. The same private text gets the same substitute in all files.
/// From a damaged trace, only the part that its reader delivers is written, as strict JSON. Throws InputError for an
/// archive, for standard input, for a file that is not text, and for a trace without any readable part.
[[nodiscard]] ScrubbedFiles scrub_files(const std::vector<std::string>& traces, const LoadOptions& options,
                                        const ScrubTargets& targets);

}  // namespace stepsim::ingest

#endif
