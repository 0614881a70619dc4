#ifndef STEPSIM_MODEL_BASE_YAML_PARSE_H
#define STEPSIM_MODEL_BASE_YAML_PARSE_H

#include <string>
#include <string_view>

#include "model/base/yaml_value.h"

namespace stepsim {

/// Reads YAML text of one document; `name` stands for the path in messages. Throws InputError for
/// text that is not UTF-8, has control characters, is indented by tabs, is not YAML or holds a second document; for
/// more than form.largest bytes and for nesting beyond yaml-cpp's bound; and for an alias within what it stands for, or
/// aliases that stand for more than a million values.
[[nodiscard]] YamlValue parse_yaml(std::string_view text, const std::string& name, const YamlForm& form);

}  // namespace stepsim

#endif
