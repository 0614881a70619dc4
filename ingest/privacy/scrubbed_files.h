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

/// Counts what is private in every file under `traces`, members of archives included; standard input is passed over,
/// because it can be read once. Names are found where a member names them, or a path holds them. One pass over each
/// file; of a damaged one what comes before the damage.
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

/// Scrubs every file under `traces`, each after the other, the same names by the same substitutes in all of them.
/// Of a damaged trace, only what its reader delivers is written, as strict JSON. `open` is called for each file with
/// its path below the one that was named, itself scrubbed; empty where `traces` is one file. Throws InputError for an
/// archive, standard input, what is no text, and a trace of which nothing can be read.
[[nodiscard]] ScrubbedFiles scrub_files(const std::vector<std::string>& traces, const LoadOptions& options,
                                        const std::function<ScrubTarget(const std::string& name)>& open);

}  // namespace stepsim::ingest

#endif
