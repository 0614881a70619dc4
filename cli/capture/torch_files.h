#ifndef STEPSIM_CLI_CAPTURE_TORCH_FILES_H
#define STEPSIM_CLI_CAPTURE_TORCH_FILES_H

#include <filesystem>
#include <map>
#include <string>

namespace stepsim::cli {

/// The traces that `stepsim capture --torch` finds in its folder: make one before COMMAND runs.
class TorchFiles {
 public:
  explicit TorchFiles(std::string directory);

  /// What came into the folder since then, what a step took before the profiler started, what lies there from before,
  /// and the command that comes next, a line each. Never throws for what it cannot read.
  ///
  ///   stepsim: captured 2 traces, 44.1 kB in traces; a step took 101.2 ms before the profiler started
  ///   stepsim: next: stepsim replay traces
  [[nodiscard]] std::string summary() const;

 private:
  using Times = std::map<std::string, std::filesystem::file_time_type>;

  [[nodiscard]] Times traces() const;

  std::string directory_;
  Times before_;
};

}  // namespace stepsim::cli

#endif
