#ifndef STEPSIM_CLI_PROGRAM_THREADS_H
#define STEPSIM_CLI_PROGRAM_THREADS_H

namespace stepsim::cli {

/// How many of `wanted` threads the program can use, at least 1. If a limit on memory or threads keeps
/// the system from starting all of them, half of those that it can start. oneTBB ends the program if it
/// cannot start a thread, so this tries first.
[[nodiscard]] int startable_threads(int wanted);

/// Sets `threads` to startable_threads(threads) and limits oneTBB to that for the rest of the program. (Without
/// it oneTBB warns about more threads than cores.) Later calls try nothing: they give no more than the first.
void limit_threads(int& threads);

}  // namespace stepsim::cli

#endif
