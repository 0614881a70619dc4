#include "ingest/formats/format.h"

#include <algorithm>

namespace stepsim::ingest {
namespace {

bool is_named(std::string_view name, std::string_view pattern) {
  const bool any_begin = pattern.starts_with('*');
  if (any_begin) pattern.remove_prefix(1);
  const bool any_end = pattern.ends_with('*');
  if (any_end) pattern.remove_suffix(1);
  if (any_begin && any_end) return name.find(pattern) != std::string_view::npos;
  return any_begin ? name.ends_with(pattern) : any_end ? name.starts_with(pattern) : name == pattern;
}

bool holds(const Sign& sign, std::string_view file_name, std::string_view head) {
  const auto is_given = [](std::string_view text) { return !text.empty(); };
  const auto has = [head](std::string_view text) { return !text.empty() && head.find(text) != std::string_view::npos; };
  const auto one_of = [&](const auto& texts, const auto& matches) {
    return std::none_of(texts.begin(), texts.end(), is_given) || std::any_of(texts.begin(), texts.end(), matches);
  };
  if (!one_of(sign.named, [&](auto pattern) { return is_given(pattern) && is_named(file_name, pattern); }))
    return false;
  if (!head.starts_with(sign.begins)) return false;
  const std::size_t first = sign.opens.empty() ? 0 : first_character(head);
  if (!sign.opens.empty() &&
      (first == std::string_view::npos || sign.opens.find(head[first]) == std::string_view::npos))
    return false;
  return std::all_of(sign.all.begin(), sign.all.end(), [&](auto text) { return text.empty() || has(text); }) &&
         one_of(sign.any, has) && std::none_of(sign.without.begin(), sign.without.end(), has);
}

}  // namespace

std::size_t first_character(std::string_view text) noexcept { return text.find_first_not_of(" \t\r\n\xEF\xBB\xBF"); }

const Format* find_format(std::string_view name) {
  const auto all = formats();
  const auto found = std::find_if(all.begin(), all.end(), [name](const Format* one) { return one->name == name; });
  return found == all.end() ? nullptr : *found;
}

int Recogniser::operator()(std::string_view file_name, std::string_view head) const {
  if (function_ != nullptr) return function_(file_name, head);
  const auto sign =
      std::find_if(signs_.begin(), signs_.end(), [&](const Sign& one) { return holds(one, file_name, head); });
  return sign == signs_.end() ? 0 : sign->sure;
}

}  // namespace stepsim::ingest
