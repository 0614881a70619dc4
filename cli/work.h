#ifndef STEPSIM_CLI_WORK_H
#define STEPSIM_CLI_WORK_H

#include "cli/command.h"
#include "cli/options.h"
#include "cli/provenance.h"
#include "model/recording.h"
#include "sim/timeline.h"

namespace stepsim::cli {

/// What every command on traces begins with.
struct Replayed {
  Capture capture;
  sim::Timeline timeline;  ///< of capture.dag, as recorded
};

/// Loads the traces and replays them as recorded, with progress on standard error. Refuses a
/// bad -o before it reads, so that nobody waits for a mistyped extension.
[[nodiscard]] Replayed load_and_replay(const CommonOptions& options, const Session& session);

/// Where the result comes from, if it is to be told: text reports do not say.
[[nodiscard]] Provenance provenance_if_needed(const CommonOptions& options, const Session& session,
                                              const Capture& capture);

/// Writes the replay to -o FILE, if that was given. Throws OutputError; UsageError if FILE is
/// one of the inputs.
void export_if_asked(const CommonOptions& options, const Replayed& replayed, const Provenance& provenance);

}  // namespace stepsim::cli

#endif
