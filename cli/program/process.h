#ifndef STEPSIM_CLI_PROGRAM_PROCESS_H
#define STEPSIM_CLI_PROGRAM_PROCESS_H

#include <atomic>
#include <string>
#include <vector>

namespace stepsim::cli {

/// Makes SIGINT and SIGTERM set the returned flag, which long work checks often. If the program is still running 0.4 s
/// after the signal, a timer ends it with the same message and exit code 130. No file is left half-written, because
/// files are written under temporary names and renamed. A signal that was already ignored when the program started
/// (nohup, a shell's background job) stays ignored.
///
/// SIGXFSZ is ignored, so that a file-size limit becomes an ordinary write error. SIGPIPE keeps its default, because a
/// reader that closed our output needs no message. Call this once, before any thread is started.
[[nodiscard]] const std::atomic<bool>& install_signal_handlers();

/// Turns off the timer that ends the program after a signal, because something outside it must be ended first.
void stop_without_haste() noexcept;

/// Returns the path with which this program can be started again, and next to which its files lie. In the archive that
/// brings its own C library this is the script that starts the program.
[[nodiscard]] std::string own_program();

/// Returns the words that start this program again, before its arguments: own_program(), unless set_own_command() was
/// called.
[[nodiscard]] std::vector<std::string> own_command();
/// Sets own_command(), for a process that was started as another program. Call it before any thread is started.
void set_own_command(std::vector<std::string> words);

/// Returns how many of `wanted` threads the program can use, at least 1. If the system cannot start all of them, the
/// result is half of the number that it can start. This function tries, because oneTBB ends the program if it cannot
/// start a thread.
[[nodiscard]] int startable_threads(int wanted);

/// Sets `threads` to startable_threads(threads) and limits oneTBB to that number for the rest of the program. Without
/// the limit, oneTBB would warn if there are more threads than cores. Later calls do not test again: if `threads` is
/// larger than the result of the first call, they reduce `threads` to that result.
void limit_threads(int& threads);

/// Reduces `threads` to the number that oneTBB and the system allow, for one call in a process that others use too.
/// Nothing is limited for the rest of the process.
void fit_threads(int& threads);

}  // namespace stepsim::cli

#endif
