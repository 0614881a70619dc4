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
    kHalf,  ///< of a surrogate pair: `code` is U+FFFD
    kNone,  ///< a backslash that begins no escape
    kCut,   ///< the text ends before this is decided
  };
  Kind kind = Kind::kNone;
  char32_t code = 0;
  std::size_t length = 0;  ///< in characters of the text, of kWhole and kHalf
};

/// Precondition: `text` begins with a backslash.
[[nodiscard]] Escape decode_escape(std::string_view text) noexcept;

/// The content of a string, given without its quotes: escapes are replaced, half a surrogate
/// pair and bytes that are not UTF-8 become U+FFFD, a backslash that begins no escape is kept.
[[nodiscard]] std::string unescaped(std::string_view raw);

/// A value that Scanner read under lenient rules, as strict JSON: strings are escaped and UTF-8, a comma before a
/// closing bracket is left out, and NaN and Infinity become strings. Strict JSON comes back byte for byte, except that
/// half a surrogate pair in a string that is repaired becomes U+FFFD.
[[nodiscard]] std::string strict_json(std::string_view value);

}  // namespace stepsim::ingest::json

#endif
