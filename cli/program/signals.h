#ifndef STEPSIM_CLI_PROGRAM_SIGNALS_H
#define STEPSIM_CLI_PROGRAM_SIGNALS_H

#include <atomic>

namespace stepsim::cli {

/// SIGINT and SIGTERM set the returned flag, which long work checks often; whichever of them the caller ignores
/// (nohup, a shell's background job) stays ignored. If nothing has ended the
/// program 0.4 s later, a timer does, with the same message and exit code 130. Files are written beside
/// their targets and renamed, so none is left half written. SIGXFSZ is ignored, so that a file-size limit
/// becomes an ordinary write error. SIGPIPE keeps its default: a reader that has closed our output needs
/// no message. Call once, before any thread is started.
[[nodiscard]] const std::atomic<bool>& install_signal_handlers();

}  // namespace stepsim::cli

#endif
