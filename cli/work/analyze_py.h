#ifndef STEPSIM_CLI_WORK_ANALYZE_PY_H
#define STEPSIM_CLI_WORK_ANALYZE_PY_H

#include <optional>
#include <string>
#include <vector>

/// The command line of ByteProfile's analyze.py, and which of our commands stands for it.
namespace stepsim::cli {

/// What analyze.py was given.
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

/// What --option may be.
[[nodiscard]] std::vector<std::string> analyze_py_options();

/// The command's name and its arguments. Files are written beside the first path, as analyze.py did. Throws UsageError
/// for an option, a sub-option or a path that analyze.py did not take, and where such a file is there and not ours.
[[nodiscard]] std::vector<std::string> translated(const Analysis& analysis);

}  // namespace stepsim::cli

#endif
