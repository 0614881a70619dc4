#ifndef STEPSIM_CLI_CAPTURE_CHILD_H
#define STEPSIM_CLI_CAPTURE_CHILD_H

#include <string>
#include <utility>
#include <vector>

namespace stepsim::cli {

/// How a program ended.
struct Ending {
  int code = 0;
  int signal = 0;  ///< what killed it; 0: it ended by itself
  bool started = true;
};

/// Runs `words` as a program, found as a shell finds it, with these variables besides our own, and waits for its end.
/// Its streams are ours. Ctrl-C reaches it from the terminal; what others send us goes on to it. Where it cannot be
/// started, one line on standard error says so, and its code is 127, or 126 if it is there, as in a shell. Call once.
[[nodiscard]] Ending run_child(const std::vector<std::string>& words,
                               const std::vector<std::pair<std::string, std::string>>& variables);

/// Ends this process as the child ended, by the same signal too.
[[noreturn]] void end_as(const Ending& ending);

/// What the files of a run in a folder hold, a line each, with a line for each thing that is wrong and what to do about
/// it; and the command that comes next. Never throws for a file that cannot be read: it says so.
///
///   stepsim: captured 3 steps of rank 0: 105 kernels, 17.5 kB in traces/host_4711.capture
///   stepsim: next: stepsim replay traces
[[nodiscard]] std::string capture_summary(const std::string& directory, const std::string& run);

}  // namespace stepsim::cli

#endif
