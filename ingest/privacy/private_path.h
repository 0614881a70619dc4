#ifndef STEPSIM_INGEST_PRIVACY_PRIVATE_PATH_H
#define STEPSIM_INGEST_PRIVACY_PRIVATE_PATH_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "ingest/privacy/private_text.h"

/// Recognises file paths, and the characters that occur in paths and other private texts.
namespace stepsim::ingest {

/// True for an ASCII letter or digit.
constexpr bool is_word(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_digit_char(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_word_character(char c) { return is_word(c) || c == '_'; }
constexpr bool is_token(char c) { return is_word_character(c) || c == '-'; }

/// Returns the end of the run of characters from `at` for which `belongs` is true.
template <class Belongs>
std::size_t end_of(std::string_view text, std::size_t at, Belongs belongs) {
  while (at < text.size() && belongs(text[at])) ++at;
  return at;
}

template <std::size_t Size>
bool is_one_of(const std::array<std::string_view, Size>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Returns the length of the private part at the beginning of a file path. The rest is a path inside a public package
/// or inside Python's standard library, or that of a schema of stepsim.
[[nodiscard]] std::size_t private_part(std::string_view path);

/// Returns the user name in a path: "/home/NAME/", "/Users/NAME/", "C:\Users\NAME\". Empty if there is none, or only a
/// common one (root, ubuntu).
[[nodiscard]] std::string_view user_in_path(std::string_view path) noexcept;

}  // namespace stepsim::ingest

#endif
