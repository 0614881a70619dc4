#ifndef STEPSIM_INGEST_JSON_ITEM_CURSOR_H
#define STEPSIM_INGEST_JSON_ITEM_CURSOR_H

#include <string>
#include <string_view>

namespace stepsim::ingest {

/// Walks over the members of a JSON object, or the elements of an array, given its text. Keys
/// come without quotes, strings with them, both as written; the views are parts of that text.
/// Stops at the first thing that is not JSON. No recursion. The text is copied once, because a
/// Scanner needs padding behind it.
class ItemCursor {
 public:
  explicit ItemCursor(std::string_view container);
  ItemCursor(const ItemCursor&) = delete;
  ItemCursor& operator=(const ItemCursor&) = delete;

  /// The next member; false behind the last one, and if the text is no object.
  [[nodiscard]] bool next(std::string_view& key, std::string_view& value);
  /// The next element; false behind the last one, and if the text is no array.
  [[nodiscard]] bool next(std::string_view& value);

 private:
  [[nodiscard]] bool at_item(char opening);
  [[nodiscard]] const char* end() const noexcept { return padded_.data() + text_.size(); }
  [[nodiscard]] std::string_view original(const char* begin, const char* end) const noexcept;

  std::string_view text_;
  std::string padded_;  // text_ and zeros
  const char* at_;      // in padded_
  bool inside_ = false;
};

}  // namespace stepsim::ingest

#endif
