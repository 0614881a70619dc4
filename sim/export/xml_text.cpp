#include "sim/export/xml_text.h"

#include "model/base/text.h"

namespace stepsim::sim {
namespace {

bool is_of_xml(const Character& character) {
  if (character.code < 0x20) return character.valid && (character.code == '\t' || character.code == '\n');
  return character.valid && character.code != 0xFFFE && character.code != 0xFFFF;
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character next = decode_utf8(text);
    const std::string_view bytes = text.substr(0, next.length);
    text.remove_prefix(next.length);
    switch (next.code) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += is_of_xml(next) ? bytes : "\xEF\xBF\xBD";
    }
  }
  return out;
}

}  // namespace stepsim::sim
