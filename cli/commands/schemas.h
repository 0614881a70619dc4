#ifndef STEPSIM_CLI_COMMANDS_SCHEMAS_H
#define STEPSIM_CLI_COMMANDS_SCHEMAS_H

#include <string>
#include <string_view>

#include "sim/report/field.h"

namespace stepsim::cli {

/// Returns the JSON Schema for `stepsim --json-schema KIND`. "answers" is the --json output of all commands; the other
/// kinds are YAML files: scenario, job, cluster and ranges. Throws UsageError for another kind.
[[nodiscard]] std::string json_schema(std::string_view kind);

/// Return the schemas of the output of `combine` and `model`.
[[nodiscard]] sim::AnswerSchema combine_schema();
[[nodiscard]] sim::AnswerSchema model_schema();

}  // namespace stepsim::cli

#endif
