#ifndef STEPSIM_INGEST_CONFIG_JSON_FILE_H
#define STEPSIM_INGEST_CONFIG_JSON_FILE_H

#include <string>
#include <string_view>

#include "model/base/yaml.h"

namespace stepsim::ingest {

/// True if a file begins like an object of JSON, after blanks and a byte-order mark.
[[nodiscard]] bool begins_like_json(std::string_view text) noexcept;

/// Parses a file of JSON into the form of one of YAML: scalars are text as written, null is nothing. Throws InputError
/// with file and line if the text is not strict JSON, or if an object has a key twice. A byte-order mark is skipped.
/// O(bytes).
[[nodiscard]] YamlValue parse_json(std::string_view text, const std::string& name);

/// Parses JSON if the file begins like that, else YAML of this form.
[[nodiscard]] YamlValue parse_json_or_yaml(std::string_view text, const std::string& name, const YamlForm& form);

}  // namespace stepsim::ingest

#endif
