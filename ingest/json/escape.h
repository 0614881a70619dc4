#ifndef STEPSIM_INGEST_JSON_ESCAPE_H
#define STEPSIM_INGEST_JSON_ESCAPE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepsim::ingest::json {

/// An escape in a JSON string: "\n", "\u00e9", or a surrogate pair "\ud83d\ude00".
struct Escape {
  enum class Kind : std::uint8_t {
    kWhole,
    kHalf,  ///< half a surrogate pair: `code` is U+FFFD
    kNone,  ///< a backslash that does not begin an escape
    kCut,   ///< the text ends before the kind is known
  };
  Kind kind = Kind::kNone;
  char32_t code = 0;
  std::size_t length = 0;  ///< length of the escape in the text, for kWhole and kHalf
};

/// Decodes the escape at the front of `text`. Precondition: `text` begins with a backslash.
[[nodiscard]] Escape decode_escape(std::string_view text) noexcept;

/// Returns the content of a JSON string, given its text without quotes. Escapes are replaced. Half a surrogate pair and
/// bytes that are not UTF-8 become U+FFFD. A backslash that does not begin an escape is kept.
[[nodiscard]] std::string unescaped(std::string_view raw);

/// Converts a value that Scanner accepted under lenient rules to strict JSON: strings are escaped and made UTF-8, a
/// comma before a closing bracket is dropped, and NaN and Infinity become strings. Strict JSON is returned byte for
/// byte. In a string that needs a repair, half a surrogate pair becomes U+FFFD.
[[nodiscard]] std::string strict_json(std::string_view value);

}  // namespace stepsim::ingest::json

#endif
