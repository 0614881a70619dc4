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

/// Counts what is private in every file under `traces`, members of archives included; standard input and FIFOs are
/// passed over, because they can be read once. Names are found where a member names them, or a path holds them. One
/// pass over each file; of a damaged one what comes before the damage.
[[nodiscard]] std::vector<PrivateContent> find_private_content(const std::vector<std::string>& traces,
                                                               const LoadOptions& options);

/// Where one scrubbed file goes.
struct ScrubTarget {
  std::function<void(std::string_view text)> write;
  std::function<void()> commit;
};

struct ScrubbedFiles {
  std::vector<PrivateContent> replaced;
  Diagnostics diagnostics;  ///< what is wrong with the traces among the files
};

/// Where scrubbed files go. Their names are paths below the one that was named, themselves scrubbed; empty where one
/// file was named.
struct ScrubTargets {
  std::function<void(const std::vector<std::string>& names)> expect;  ///< called with all names before the first open()
  std::function<ScrubTarget(const std::string& name)> open;
};

/// Scrubs every file under `traces`, each after the other, the same names by the same substitutes in all of them.
/// Of a damaged trace, only what its reader delivers is written, as strict JSON. Throws InputError for an archive,
/// standard input, what is no text, and a trace of which nothing can be read.
[[nodiscard]] ScrubbedFiles scrub_files(const std::vector<std::string>& traces, const LoadOptions& options,
                                        const ScrubTargets& targets);

}  // namespace stepsim::ingest

#endif
