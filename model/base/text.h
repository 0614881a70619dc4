#ifndef STEPSIM_MODEL_BASE_TEXT_H
#define STEPSIM_MODEL_BASE_TEXT_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepsim {

/// One UTF-8 character, or one byte that is not part of a valid character.
struct Character {
  char32_t code = 0;
  std::size_t length = 1;
  bool valid = false;
};

/// Decodes the first character according to RFC 3629, which excludes overlong forms, surrogates and code points above
/// U+10FFFF. Precondition: `text` is not empty.
[[nodiscard]] Character decode_utf8(std::string_view text) noexcept;

/// Appends a code point as UTF-8. Precondition: at most U+10FFFF and not a surrogate.
void append_utf8(std::string& out, char32_t code);

/// True for characters that move the cursor, end a line or change the writing direction: C0, DEL, C1, line separators
/// and all of Unicode's Bidi_Control.
[[nodiscard]] bool is_control(char32_t code) noexcept;

/// True for '0' to '9' in every locale.
[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Returns the letter in lower case if it is one of 'A' to 'Z', else the character itself, in every locale.
[[nodiscard]] constexpr char lower_case(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
/// Returns `text` with 'A' to 'Z' in lower case.
[[nodiscard]] std::string lower_case(std::string_view text);
/// Returns a name that several programs write differently, in lower case and without '_' and '-': "allgather" for
/// "all_gather", "all-gather" and "AllGather".
[[nodiscard]] std::string plain_name(std::string_view name);

/// Returns the last part of a path: "a.json" for "traces/a.json".
[[nodiscard]] constexpr std::string_view file_name_of(std::string_view path) noexcept {
  return path.substr(path.find_last_of('/') + 1);
}

/// Returns the parts of a text between the separators, empty ones included: one more than there are separators.
[[nodiscard]] std::vector<std::string_view> parts_of(std::string_view text, char separator);

[[nodiscard]] constexpr bool contains(std::string_view text, std::string_view word) noexcept {
  return text.find(word) != std::string_view::npos;
}
[[nodiscard]] bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) noexcept;
[[nodiscard]] bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) noexcept;

/// Returns external text in a form that is safe for a terminal and for one line. Bytes that are not UTF-8 and
/// characters for which is_control() is true are escaped as \n, \t, \x1b or \u202e. Text longer than `limit` bytes is
/// shortened in the middle with "...".
[[nodiscard]] std::string shown(std::string_view text, std::size_t limit = 200);

/// Returns at most `most` entries of `known` that may be meant by `word`, those with the smallest edit distance first.
/// At most one edit is allowed, or as many as a third of the longer word's characters if that is more.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string> known,
                                                     std::size_t most);
/// Returns the first of these entries, or nothing.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view word, std::span<const std::string> known);

/// Returns "a, b and c" for the conjunction "and".
[[nodiscard]] std::string enumerated(std::span<const std::string> words, std::string_view conjunction);

/// Returns "a, b or c", for error messages.
[[nodiscard]] inline std::string one_of(std::span<const std::string> words) { return enumerated(words, "or"); }

/// Appends an item to a list in words, after `separator` if it is not the first: "a, b, c".
void add_item(std::string& list, std::string_view item, std::string_view separator = ", ");

/// Returns "a, b, c", with text_of(item) for each item.
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

/// Returns "a, b, c", for items that are texts.
template <class Items>
[[nodiscard]] std::string joined(const Items& items) {
  return joined(items, [](std::string_view item) { return item; });
}

/// Returns numbers as ranges: "0-3, 7" for the separator ", ".
[[nodiscard]] std::string ranges_of(const std::set<std::int64_t>& numbers, std::string_view separator);

/// Returns the number with its digits in groups of three: "31,373".
[[nodiscard]] std::string grouped(std::uint64_t count);

/// Returns the number and the noun: "1 step", "31,373 steps", "2 dependencies". The noun must have a regular plural.
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun);

/// True if `a` is before `b` when digits in them are compared as numbers: "rank2" < "rank10".
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b) noexcept;

/// Functions that quote any text as a string of a file format.

/// Appends `text` as a JSON string that is safe to display. Bytes that are not UTF-8 become U+FFFD. '<', control
/// characters, line separators and bidirectional controls are escaped, so that the result can be placed in a <script>
/// element of an HTML page or printed in a terminal.
void append_json_string(std::string& out, std::string_view text);

/// Appends `text` as a JSON string that decodes to exactly `text`, including bytes that are not UTF-8. Used for traces,
/// because programs read them again.
void append_exact_json_string(std::string& out, std::string_view text);

/// Quotes a text for GML, which is ASCII: quotes, ampersands and all non-ASCII characters become entities (&#233;).
/// Bytes that are not UTF-8 become U+FFFD. Source: Himsolt, "GML: a portable graph file format", 1997.
[[nodiscard]] std::string gml_quoted(std::string_view text);

}  // namespace stepsim

#endif
