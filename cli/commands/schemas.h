#ifndef STEPSIM_CLI_COMMANDS_SCHEMAS_H
#define STEPSIM_CLI_COMMANDS_SCHEMAS_H

#include <string>

#include "sim/report/field.h"

namespace stepsim::cli {

/// The JSON Schema of what every command prints for --json: `stepsim --json-schema`.
[[nodiscard]] std::string json_schemas();

/// That of `combine`, which no library makes.
[[nodiscard]] sim::AnswerSchema combine_schema();

}  // namespace stepsim::cli

#endif
