#ifndef STEPSIM_SIM_OUTPUT_YAML_SCHEMA_H
#define STEPSIM_SIM_OUTPUT_YAML_SCHEMA_H

#include <string>
#include <string_view>

#include "model/base/yaml_keys.h"

namespace stepsim::sim {

/// Returns a JSON Schema (draft 2020-12) of a kind of YAML file, for editors and validators. It uses only keywords that
/// draft 7 has too, except `$defs`. Scalars are described as YAML 1.2 reads them: `2` is a number, `off` is text.
///
/// The schema accepts every file that the reader accepts, except for scalars in needless quotes ("true"). It does not
/// know what depends on several values or on a capture: names of hosts, the order of sizes, the steps that exist.
[[nodiscard]] std::string yaml_schema(const YamlType& file, std::string_view title);

}  // namespace stepsim::sim

#endif
