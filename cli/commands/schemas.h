#ifndef STEPSIM_CLI_COMMANDS_SCHEMAS_H
#define STEPSIM_CLI_COMMANDS_SCHEMAS_H

#include <string>
#include <string_view>

#include "sim/report/field.h"

namespace stepsim::cli {

/// Returns the JSON Schema for `stepsim --json-schema KIND`. "answers" is the --json output of all commands; the other
/// kinds are YAML files: scenario, job, cluster and ranges. Throws UsageError for another kind.
[[nodiscard]] std::string json_schema(std::string_view kind);

/// Returns the schema of the output of `combine`.
[[nodiscard]] sim::AnswerSchema combine_schema();

}  // namespace stepsim::cli

#endif
