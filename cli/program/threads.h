#ifndef STEPSIM_CLI_PROGRAM_THREADS_H
#define STEPSIM_CLI_PROGRAM_THREADS_H

#include <memory>

namespace stepsim::cli {

/// How many of `wanted` threads the program may really use, at least 1: where the system would
/// not start them all (a limit on memory or on threads), half of those it would. oneTBB ends
/// the program when it cannot start a thread, so the system is asked before.
[[nodiscard]] int startable_threads(int wanted);

/// Lets oneTBB have as many of `threads` as can be started, and sets `threads` to that, for as
/// long as the result lives. (Without it oneTBB warns when more than cores are asked for.)
[[nodiscard]] std::shared_ptr<void> limit_threads(int& threads);

}  // namespace stepsim::cli

#endif
