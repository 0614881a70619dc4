#include "model/base/gml.h"

#include <fmt/format.h>

#include <cstdint>

#include "model/base/text.h"

namespace stepsim {

std::string gml_quoted(std::string_view text) {
  constexpr std::uint32_t kReplacement = 0xFFFD;
  std::string quoted = "\"";
  while (!text.empty()) {
    const Character character = decode_utf8(text);
    const bool plain = character.code >= ' ' && character.code < 0x7F && character.code != '"' && character.code != '&';
    if (plain) {
      quoted += static_cast<char>(character.code);
    } else {
      quoted += fmt::format("&#{};", character.valid ? std::uint32_t{character.code} : kReplacement);
    }
    text.remove_prefix(character.length);
  }
  return quoted + '"';
}

}  // namespace stepsim
