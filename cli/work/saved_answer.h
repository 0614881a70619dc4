#ifndef STEPSIM_CLI_WORK_SAVED_ANSWER_H
#define STEPSIM_CLI_WORK_SAVED_ANSWER_H

#include <string>
#include <vector>

#include "model/base/error.h"
#include "sim/compare/side.h"

namespace stepsim::cli {

/// Whether `path` is a file that begins as what --json prints. Pipes are none: looking would take from them.
[[nodiscard]] bool is_saved_answer(const std::string& path);

/// What a saved answer says of an iteration, and of the tasks in it where it lists any:
///
///   replay         the measured iteration, its steps, where it goes, classes of the critical path
///   whatif         the scenario's iteration with its range, where it goes, classes of the critical path
///   critical-path  the path's length and classes, its tasks by name
///   tasks          names and operators, over the whole capture
///   sweep          the iteration of each point, which takes the place of a name
///
/// Adds the file to `inputs`. Throws InputError if it is none of these, is damaged, or lacks what each of them has.
[[nodiscard]] sim::Side read_saved_answer(const std::string& path, std::vector<InputFile>& inputs);

/// The same of a text; `name` is that of its file.
[[nodiscard]] sim::Side parse_saved_answer(const std::string& text, const std::string& name);

}  // namespace stepsim::cli

#endif
