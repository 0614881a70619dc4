#ifndef STEPSIM_CLI_WORK_SAVED_ANSWER_H
#define STEPSIM_CLI_WORK_SAVED_ANSWER_H

#include <string>
#include <vector>

#include "model/base/error.h"
#include "sim/compare/side.h"

namespace stepsim::cli {

/// True if `path` is a file that begins like the output of --json. False for pipes, because reading would consume their
/// data.
[[nodiscard]] bool is_saved_answer(const std::string& path);

/// Reads a saved answer: what it contains about an iteration, and the tasks if it lists any. By command:
///
///   replay         the measured iteration, its steps, where its time goes, classes of the critical path
///   whatif         the scenario's iteration with its range, where its time goes, classes of the critical path
///   critical-path  the path's length and classes, its tasks by name
///   tasks          names and operators, over the whole capture
///   sweep          the iteration of each point; the point's settings are used as a name
///
/// Adds the file to `inputs`. Throws InputError if it is none of these, is damaged, or lacks required members.
[[nodiscard]] sim::Side read_saved_answer(const std::string& path, std::vector<InputFile>& inputs);

/// Parses the text of a saved answer in the same way as read_saved_answer(). `name` is its file's name in messages.
[[nodiscard]] sim::Side parse_saved_answer(const std::string& text, const std::string& name);

}  // namespace stepsim::cli

#endif
