#include "ingest/bytes/text_input.h"

namespace stepsim::ingest {

void append_utf8(std::string& out, char32_t code) {
  const auto push = [&](char32_t byte) { out.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  const auto continuation = [](char32_t bits) { return 0x80U | (bits & 0x3FU); };
  if (code < 0x80) return push(code);
  if (code < 0x800) {
    push(0xC0U | code >> 6U);
  } else {
    if (code < 0x10000) {
      push(0xE0U | code >> 12U);
    } else {
      push(0xF0U | code >> 18U);
      push(continuation(code >> 12U));
    }
    push(continuation(code >> 6U));
  }
  push(continuation(code));
}

}  // namespace stepsim::ingest
