#ifndef STEPSIM_CLI_PROGRAM_PROCESS_H
#define STEPSIM_CLI_PROGRAM_PROCESS_H

#include <atomic>

namespace stepsim::cli {

/// SIGINT and SIGTERM set the returned flag, which long work checks often; whichever of them the caller ignores
/// (nohup, a shell's background job) stays ignored. If nothing has ended the
/// program 0.4 s later, a timer does, with the same message and exit code 130. Files are written beside
/// their targets and renamed, so none is left half written. SIGXFSZ is ignored, so that a file-size limit
/// becomes an ordinary write error. SIGPIPE keeps its default: a reader that has closed our output needs
/// no message. Call once, before any thread is started.
[[nodiscard]] const std::atomic<bool>& install_signal_handlers();

/// How many of `wanted` threads the program can use, at least 1. If a limit on memory or threads keeps
/// the system from starting all of them, half of those that it can start. oneTBB ends the program if it
/// cannot start a thread, so this tries first.
[[nodiscard]] int startable_threads(int wanted);

/// Sets `threads` to startable_threads(threads) and limits oneTBB to that for the rest of the program. (Without
/// it oneTBB warns about more threads than cores.) Later calls try nothing: they give no more than the first.
void limit_threads(int& threads);

}  // namespace stepsim::cli

#endif
