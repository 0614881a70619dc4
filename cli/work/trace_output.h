#ifndef STEPSIM_CLI_WORK_TRACE_OUTPUT_H
#define STEPSIM_CLI_WORK_TRACE_OUTPUT_H

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/program/options.h"
#include "sim/output/write_file.h"

namespace stepsim::cli {

/// Returns true if the command may overwrite a file whose content begins with `head`.
using IsOurs = std::function<bool(std::string_view head)>;

/// Throws UsageError if a file at `path` exists and may not be overwritten.
void refuse_foreign_file(const std::string& path, const IsOurs& ours);

/// The file to which a command writes a Chrome trace as its result: -o, or else `name` in the current folder.
class TraceOutput {
 public:
  /// Takes the value of -o and removes it from `options`, so that nothing else is written there. Throws UsageError if
  /// the extension of -o is not .json or .json.gz, if both -o and --json would write to standard output, or if -o is an
  /// input. Without -o, throws UsageError if the file exists and `ours` is false for it, or if the current folder is
  /// part of an input. Throws OutputError if the file clearly cannot be written.
  TraceOutput(CommonOptions& options, std::string_view name, const IsOurs& ours);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] bool is_standard_output() const;

 private:
  std::string path_;
};

}  // namespace stepsim::cli

#endif
