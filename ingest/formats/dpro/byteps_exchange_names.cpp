#include "ingest/formats/dpro/byteps_exchange_names.h"

#include "model/base/number.h"

namespace stepsim::ingest {

std::optional<ExchangeName> exchange_name(std::string_view name) {
  constexpr std::string_view kPartition = "~PART";
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  ExchangeName divided{std::string{name.substr(0, dot)}, -1, name.substr(dot + 1)};
  const std::size_t mark = divided.tensor.rfind(kPartition);
  if (mark == std::string::npos) return divided;
  const auto number = parse_number<std::int32_t>(std::string_view{divided.tensor}.substr(mark + kPartition.size()));
  if (mark == 0 || !number.has_value() || *number < 0) return std::nullopt;
  divided.partition = *number;
  divided.tensor.resize(mark);
  return divided;
}

std::optional<std::int32_t> node_number(std::string_view node, std::string_view role) {
  if (!node.starts_with(role)) return std::nullopt;
  const auto number = parse_number<std::int32_t>(node.substr(role.size()));
  return number.has_value() && *number >= 0 ? number : std::nullopt;
}

}  // namespace stepsim::ingest
