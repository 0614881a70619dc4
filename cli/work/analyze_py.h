#ifndef STEPSIM_CLI_WORK_ANALYZE_PY_H
#define STEPSIM_CLI_WORK_ANALYZE_PY_H

#include <optional>
#include <string>
#include <vector>

/// Translates the command line of ByteProfile's analyze.py into commands of stepsim.
namespace stepsim::cli {

/// The arguments of analyze.py.
struct Analysis {
  std::string option;
  std::vector<std::string> paths;
  std::string sub_option;
  std::optional<std::string> head;
  std::string filter;
  std::string step_num = "1";
  std::string delay_ratio = "1.1";
  bool sort = false;
  bool xlsx = false;
  bool del_queue = false;
  bool pretty = false;
};

/// Returns the possible values of --option.
[[nodiscard]] std::vector<std::string> analyze_py_options();

/// Returns the name and the arguments of the stepsim command that does the same. It writes files next to the first
/// input path, as analyze.py did. Throws UsageError for an option, a sub-option or a path that analyze.py did not
/// accept, and if a file would be overwritten that stepsim did not write.
[[nodiscard]] std::vector<std::string> translated(const Analysis& analysis);

}  // namespace stepsim::cli

#endif
