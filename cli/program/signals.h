#ifndef STEPSIM_CLI_PROGRAM_SIGNALS_H
#define STEPSIM_CLI_PROGRAM_SIGNALS_H

#include <atomic>

namespace stepsim::cli {

/// SIGINT and SIGTERM set the returned flag, and long work stops at its next look at it. Should
/// something not look within 0.4 s, the program ends all the same, with the same message and
/// exit code 130; outputs are written beside and renamed, so none is left half done.
/// SIGXFSZ is ignored, so that a file-size limit is an error with a name. SIGPIPE keeps its
/// default: the reader of our output has gone and nobody needs to hear of it.
/// Call once, before any thread is started.
[[nodiscard]] const std::atomic<bool>& install_signal_handlers();

}  // namespace stepsim::cli

#endif
