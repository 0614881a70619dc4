#ifndef STEPSIM_CLI_CAPTURE_CHILD_H
#define STEPSIM_CLI_CAPTURE_CHILD_H

#include <string>
#include <utility>
#include <vector>

namespace stepsim::cli {

/// The exit status of a program.
struct Ending {
  int code = 0;
  int signal = 0;  ///< the signal that killed it; 0 if it exited normally
  bool started = true;
};

/// Runs a program and waits for its end. `words` are the program, found as a shell finds it, and its arguments.
/// `variables` are added to our environment, which the program inherits. The program shares our standard streams. It
/// gets Ctrl-C from the terminal directly; signals that other processes send to us are forwarded. If it cannot be
/// started, writes one line to standard error and returns the code of a shell: 127 if it was not found, else 126. The
/// program begins with the signal `ignored` ignored, unless it is 0, and so do we: it is not forwarded. Call this only
/// once.
[[nodiscard]] Ending run_child(const std::vector<std::string>& words,
                               const std::vector<std::pair<std::string, std::string>>& variables, int ignored = 0);

/// Ends this process with the exit code of the child, or with the signal that killed the child.
[[noreturn]] void end_as(const Ending& ending);

/// Returns a summary of the files of a run in a folder: a line for each file's content, a line for each problem with
/// its remedy, and the next command. Reports a file that cannot be read instead of throwing. Empty if there is no file.
///
///   stepsim: captured 3 steps of rank 0: 105 kernels, 17.5 kB in traces/host_4711.capture
///   stepsim: next: stepsim replay traces
[[nodiscard]] std::string capture_summary(const std::string& directory, const std::string& run);

/// Returns a line about the summaries of NCCL's collectives of a run in a folder; a line that says what to do if there
/// are none.
[[nodiscard]] std::string nccl_summary_line(const std::string& directory, const std::string& run);

}  // namespace stepsim::cli

#endif
