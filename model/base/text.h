#ifndef STEPSIM_MODEL_BASE_TEXT_H
#define STEPSIM_MODEL_BASE_TEXT_H

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stepsim {

/// One character of UTF-8, or one byte that is not part of any.
struct Character {
  char32_t code = 0;
  std::size_t length = 1;
  bool valid = false;
};

/// Decodes the first character after RFC 3629: no overlong forms, surrogates or code points
/// above U+10FFFF. Precondition: `text` is not empty.
[[nodiscard]] Character decode_utf8(std::string_view text) noexcept;

/// Appends a code point as UTF-8. Precondition: at most U+10FFFF and no surrogate.
void append_utf8(std::string& out, char32_t code);

/// True for what moves the cursor, ends a line or turns the direction of writing: C0, DEL, C1, line separators and
/// all of Unicode's Bidi_Control.
[[nodiscard]] bool is_control(char32_t code) noexcept;

/// '0' to '9', whatever the locale.
[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// `text` with 'A' to 'Z' in lower case, whatever the locale.
[[nodiscard]] std::string lower_case(std::string_view text);

[[nodiscard]] constexpr bool contains(std::string_view text, std::string_view word) noexcept {
  return text.find(word) != std::string_view::npos;
}
[[nodiscard]] bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) noexcept;

/// Text that came from outside, made safe for a terminal and for one line: what is_control() and
/// bytes that are not UTF-8 are shown as
/// \n, \t, \x1b or \u202e. A name longer than `limit` bytes is cut in the middle with "...".
[[nodiscard]] std::string shown(std::string_view text, std::size_t limit = 200);

/// The entry of `known` nearest to `word` by edit distance, if it is near enough to be meant:
/// at most a third of the longer one's length, or 1.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view word, std::span<const std::string> known);

/// "a, b or c": the words of an error message.
[[nodiscard]] std::string one_of(std::span<const std::string> words);

/// Appends an item to a list in words, after `separator` if it is not the first: "a, b, c".
void add_item(std::string& list, std::string_view item, std::string_view separator = ", ");

/// "a, b, c": what `text_of` makes of each item.
template <class Items, class TextOf>
[[nodiscard]] std::string joined(const Items& items, const TextOf& text_of, std::string_view separator = ", ") {
  std::string list;
  bool first = true;
  for (const auto& item : items) {
    if (!first) list += separator;
    first = false;
    list += text_of(item);
  }
  return list;
}

/// "a, b, c": texts as they are.
template <class Items>
[[nodiscard]] std::string joined(const Items& items) {
  return joined(items, [](std::string_view item) { return item; });
}

/// "1 step", "31,373 steps": for nouns that take an s.
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun);

/// Orders texts with numbers in them by the numbers: "rank2" < "rank10".
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b) noexcept;

}  // namespace stepsim

#endif
