#ifndef STEPSIM_CLI_COMMANDS_SCHEMAS_H
#define STEPSIM_CLI_COMMANDS_SCHEMAS_H

#include <string>

#include "sim/report/field.h"

namespace stepsim::cli {

/// Returns the JSON Schema of the --json output of all commands, for `stepsim --json-schema`.
[[nodiscard]] std::string json_schemas();

/// Returns the schema of the output of `combine`.
[[nodiscard]] sim::AnswerSchema combine_schema();

}  // namespace stepsim::cli

#endif
