#ifndef STEPSIM_CLI_WORK_TRACE_OUTPUT_H
#define STEPSIM_CLI_WORK_TRACE_OUTPUT_H

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/program/options.h"
#include "sim/output/write_file.h"

namespace stepsim::cli {

/// Whether the command may overwrite a file whose content begins with `head`.
using IsOurs = std::function<bool(std::string_view head)>;

/// Throws UsageError if there is a file at `path` that may not be overwritten.
void refuse_foreign_file(const std::string& path, const IsOurs& ours);

/// Where a command writes a Chrome trace that is its result: to -o, else to a file called `name` in the current folder.
class TraceOutput {
 public:
  /// Takes -o from `options`, so that nothing else is written there. Throws UsageError for another extension than .json
  /// or .json.gz, for standard output with --json, for a TRACE, and without -o if there is a file that is not `ours` or
  /// if the current folder is part of a TRACE; OutputError if it can be seen that nothing can be written.
  TraceOutput(CommonOptions& options, std::string_view name, const IsOurs& ours);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] bool is_standard_output() const;

 private:
  std::string path_;
};

}  // namespace stepsim::cli

#endif
