#include "ingest/parts/names.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

#include "ingest/parts/element_types.h"
#include "model/base/limits.h"
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

/// Returns the number at the front of `text`; nullopt if there is none.
std::optional<std::int64_t> number_in_front(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  return parse_number<std::int64_t>(text.substr(0, digits));
}

}  // namespace

std::optional<std::int64_t> rank_named_in(std::string_view path) {
  constexpr std::string_view kWord = "rank";
  const std::string name = lower_case(file_name_of(path));
  std::optional<std::int64_t> last;
  for (std::size_t at = name.find(kWord); at != std::string::npos; at = name.find(kWord, at + 1)) {
    const std::string_view before = std::string_view(name).substr(0, at);
    std::string_view number = std::string_view(name).substr(at + kWord.size());
    if (number.starts_with('-') || number.starts_with('_') || number.starts_with('.')) number.remove_prefix(1);
    const bool is_word = before.empty() || before.back() < 'a' || before.back() > 'z';
    const bool is_local = before.ends_with("local_") || before.ends_with("local-");
    const std::optional<std::int64_t> rank = number_in_front(number);
    if (rank && is_word && !is_local) last = rank;
  }
  return last;
}

std::optional<std::int64_t> rank_of_execution_trace(std::string_view path) {
  if (const auto rank = rank_named_in(path)) return rank;
  std::string_view name = file_name_of(path);
  for (const std::string_view extension : {".gz", ".zst", ".json", ".et"}) {
    if (name.ends_with(extension)) name.remove_suffix(extension.size());
  }
  std::size_t begin = name.size();
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  return parse_number<std::int64_t>(name.substr(begin));
}

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

std::string_view stage_name(Stage stage) noexcept {
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

namespace {

/// Returns the product of the numbers in "(512, 1024)" or "(512,)"; nullopt if the text contains anything else or a
/// negative number, or if the product exceeds kMostRecordedBytes.
std::optional<std::int64_t> element_count(std::string_view shape) noexcept {
  std::int64_t count = 1;
  while (!shape.empty()) {
    const char c = shape.front();
    if (c < '0' || c > '9') {
      if (std::string_view{"()[], L"}.find(c) == std::string_view::npos) return std::nullopt;
      shape.remove_prefix(1);
      continue;
    }
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(shape.data(), shape.data() + shape.size(), extent);
    if (error != std::errc{} || (extent != 0 && count > kMostRecordedBytes / extent)) return std::nullopt;
    count *= extent;
    shape.remove_prefix(static_cast<std::size_t>(end - shape.data()));
  }
  return count;
}

}  // namespace

std::optional<Bytes> tensor_size(std::string_view shape, std::string_view dtype) noexcept {
  const auto count = element_count(shape);
  const std::int64_t size = element_size(dtype);
  const bool fits = count.has_value() && size > 0 && *count <= kMostRecordedBytes / size;
  return fits ? std::optional{Bytes{*count * size}} : std::nullopt;
}

}  // namespace stepsim::ingest
