#include "model/base/quoted.h"

#include <fmt/format.h>

#include <cstdint>

#include "model/base/text.h"

namespace stepsim {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD, the replacement character

/// Returns how many bytes at the front of `text` need no escape in a JSON string.
std::size_t plain_prefix(std::string_view text) noexcept {
  std::size_t length = 0;
  while (length < text.size()) {
    const char c = text[length];
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7F || c == '"' || c == '\\' || c == '<') break;
    ++length;
  }
  return length;
}

std::string escaped(char32_t code) {
  switch (code) {
    case U'"': return "\\\"";
    case U'\\': return "\\\\";
    case U'\n': return "\\n";
    case U'\r': return "\\r";
    case U'\t': return "\\t";
    default: return fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (true) {
    const std::size_t plain = plain_prefix(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Character next = decode_utf8(text);
    if (!next.valid) {
      out += kReplacement;
    } else if (next.code < 0x80 || is_control(next.code)) {
      out += escaped(next.code);
    } else {
      out += text.substr(0, next.length);
    }
    text.remove_prefix(next.length);
  }
  out += '"';
}

void append_exact_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr unsigned char kFirstPrintable = 0x20;
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < kFirstPrintable) {
      out += "\\u00";
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 0xFU];
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

std::string gml_quoted(std::string_view text) {
  constexpr std::uint32_t kReplacementCode = 0xFFFD;
  std::string quoted = "\"";
  while (!text.empty()) {
    const Character character = decode_utf8(text);
    const bool plain = character.code >= ' ' && character.code < 0x7F && character.code != '"' && character.code != '&';
    if (plain) {
      quoted += static_cast<char>(character.code);
    } else {
      quoted += fmt::format("&#{};", character.valid ? std::uint32_t{character.code} : kReplacementCode);
    }
    text.remove_prefix(character.length);
  }
  return quoted + '"';
}

}  // namespace stepsim
