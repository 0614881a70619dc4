#ifndef STEPSIM_CLI_CAPTURE_ATTACH_H
#define STEPSIM_CLI_CAPTURE_ATTACH_H

#include <atomic>
#include <string>
#include <vector>

#include "cli/capture/plan.h"

namespace stepsim::cli {

/// Processes that `stepsim capture --idle` started and that wait to be recorded.
struct IdleProcesses {
  std::string folder;              ///< of the requests; absolute
  std::vector<std::string> names;  ///< as in the names of their files: "HOST_PID"; not empty
};

/// Finds the processes that `target` means: the idle ones among a process and its descendants, if it is a number, else
/// all in a folder, of any host. Writes warnings to standard error about files that no idle process has made. Throws
/// InputError if there are none; the message says why.
///
/// If we are root and the processes belong to another user, this process is that user's afterwards, for good: what it
/// creates belongs to that user, and no link in the user's folders can lead it to files of root.
[[nodiscard]] IdleProcesses find_idle(const std::string& target);

/// Creates `attach-1`, or the next number that is free, in `folder` and returns its path. Throws InputError.
[[nodiscard]] std::string new_attach_folder(const std::string& folder);

/// Asks the processes to record as `plan` says, and waits until all have written their files. If `stop` is set, asks
/// them to end their recordings. Writes warnings to standard error about processes that do not do so; unless `quiet`
/// also a line when the recording begins. Throws InputError if none of them records.
void record_idle(const IdleProcesses& processes, const CapturePlan& plan, const std::string& run, bool quiet,
                 const std::atomic<bool>& stop);

}  // namespace stepsim::cli

#endif
