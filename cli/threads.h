#ifndef STEPSIM_CLI_THREADS_H
#define STEPSIM_CLI_THREADS_H

namespace stepsim::cli {

/// How many of `wanted` threads the program may really use, at least 1: where the system would
/// not start them all (a limit on memory or on threads), half of those it would. oneTBB ends
/// the program when it cannot start a thread, so the system is asked before.
[[nodiscard]] int startable_threads(int wanted);

}  // namespace stepsim::cli

#endif
