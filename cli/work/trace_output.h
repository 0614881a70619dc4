#ifndef STEPSIM_CLI_WORK_TRACE_OUTPUT_H
#define STEPSIM_CLI_WORK_TRACE_OUTPUT_H

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/program/options.h"
#include "sim/output/write_file.h"

namespace stepsim::cli {

/// Where a command writes a Chrome trace that is its result: to -o, else to a file called `name` beside the first
/// TRACE.
class TraceOutput {
 public:
  /// Takes -o from `options`, so that nothing else is written there. Throws UsageError for another extension than .json
  /// or .json.gz, for standard output with --json, for a TRACE, and if without -o there is a file that by its first
  /// bytes is not `ours`; OutputError if it can be seen that nothing can be written.
  TraceOutput(CommonOptions& options, std::string_view name, const std::function<bool(std::string_view head)>& ours);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] bool is_standard_output() const;

 private:
  std::string path_;
};

}  // namespace stepsim::cli

#endif
