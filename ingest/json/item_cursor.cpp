#include "ingest/json/item_cursor.h"

#include "ingest/json/scanner.h"

namespace stepsim::ingest {

namespace {

std::string padded(std::string_view text) {
  std::string copy;
  copy.reserve(text.size() + json::kPadding);
  return copy.append(text).append(json::kPadding, '\0');
}

}  // namespace

ItemCursor::ItemCursor(std::string_view container)
    : text_(container), padded_(padded(container)), at_(padded_.data()) {}

bool ItemCursor::at_item(char opening) {
  at_ = json::skip_blanks(at_, end());
  if (!inside_ && *at_ != opening) return false;
  // A comma too many is let pass.
  while (*at_ == ',' || !inside_) {
    inside_ = true;
    at_ = json::skip_blanks(at_ + 1, end());
  }
  return true;
}

std::string_view ItemCursor::original(const char* begin, const char* end) const noexcept {
  return text_.substr(static_cast<std::size_t>(begin - padded_.data()), static_cast<std::size_t>(end - begin));
}

bool ItemCursor::next(std::string_view& key, std::string_view& value) {
  if (!at_item('{')) return false;
  json::Scanner scanner{at_, end()};
  std::string_view name;
  json::Value ignored;
  if (!scanner.key(name)) return false;
  const char* const begin = scanner.at();
  if (!scanner.value(ignored)) return false;
  at_ = scanner.at();
  key = original(name.data(), name.data() + name.size());
  value = original(begin, at_);
  return true;
}

bool ItemCursor::next(std::string_view& value) {
  if (!at_item('[')) return false;
  json::Scanner scanner{at_, end()};
  json::Value ignored;
  if (!scanner.value(ignored)) return false;
  value = original(at_, scanner.at());
  at_ = scanner.at();
  return true;
}

}  // namespace stepsim::ingest
