#include "model/job/parameter_server/server_rules/server_rule.h"

#include <algorithm>

namespace stepsim {

std::vector<std::string> server_rule_names(bool computable) {
  std::vector<std::string> names;
  for (const ServerRule* const rule : server_rules()) {
    if (rule->server_of != nullptr || !computable) names.emplace_back(rule->name);
  }
  return names;
}

const ServerRule* find_server_rule(std::string_view name) noexcept {
  const std::span<const ServerRule* const> rules = server_rules();
  const auto found =
      std::find_if(rules.begin(), rules.end(), [name](const ServerRule* rule) { return rule->name == name; });
  return found == rules.end() ? nullptr : *found;
}

std::uint64_t djb2(std::string_view digits) noexcept {
  std::uint64_t hash = 5381;
  for (const char digit : digits) hash = hash * 33 + static_cast<unsigned char>(digit);
  return hash;
}

}  // namespace stepsim
