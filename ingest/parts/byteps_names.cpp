#include "ingest/parts/byteps_names.h"

#include <algorithm>
#include <array>

#include "model/base/number.h"
#include "model/base/text.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

/// Returns the length of "<word><digits>." at the front of `text`; 0 if `text` does not begin like this.
std::size_t numbered_prefix(std::string_view text, std::string_view word) noexcept {
  if (!text.starts_with(word)) return 0;
  std::size_t end = word.size();
  while (end < text.size() && is_digit(text[end])) ++end;
  return end > word.size() && end < text.size() && text[end] == '.' ? end + 1 : 0;
}

}  // namespace

QualifiedName split_process(std::string_view text) noexcept {
  const std::size_t arrow = text.find("->");
  if (arrow != std::string_view::npos) return {text.substr(0, arrow), text.substr(arrow + 2)};
  std::size_t end = numbered_prefix(text, "wk");
  end += numbered_prefix(text.substr(end), "rank");
  return {text.substr(0, end == 0 ? 0 : end - 1), text.substr(end)};
}

StagedName split_stage(std::string_view name) noexcept {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {name, Stage::kTotal};
  const auto* const stage = std::find(kPipeline.begin(), kPipeline.end(), name.substr(dot + 1));
  if (stage == kPipeline.end()) return {name, Stage::kTotal};
  return {name.substr(0, dot), static_cast<Stage>(stage - kPipeline.begin() + 1)};
}

std::string_view to_text(Stage stage) noexcept {
  return stage == Stage::kTotal ? "total" : kPipeline[static_cast<std::size_t>(stage) - 1];
}

std::optional<std::int64_t> partition_key(std::string_view thread) noexcept {
  constexpr std::int64_t kKeys = std::int64_t{1} << 32U;
  const auto key = parse_number<std::int64_t>(thread);
  if (!key || *key == -1 || *key >= kKeys || *key < -kKeys / 2) return std::nullopt;
  return *key < 0 ? *key + kKeys : *key;
}

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
