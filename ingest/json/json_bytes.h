#ifndef STEPSIM_INGEST_JSON_JSON_BYTES_H
#define STEPSIM_INGEST_JSON_JSON_BYTES_H

#include <bit>
#include <cstddef>
#include <cstdint>

#include "model/base/text.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// The inner loops of the JSON scanner. SSE2 is part of x86-64, so no run-time dispatch is needed; other machines use
/// the plain loops.
namespace stepsim::ingest::json {

/// Number of zero bytes that must be readable after the text. The loops look ahead by one block, and a zero ends each
/// of them.
inline constexpr std::size_t kPadding = 64;

[[nodiscard]] inline bool is_hex(char c) noexcept {
  return is_digit(c) || static_cast<unsigned char>((c | 0x20) - 'a') < 6;
}

[[nodiscard]] inline bool is_blank(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

[[nodiscard]] inline const char* skip_digits(const char* p) noexcept {
  while (is_digit(*p)) ++p;
  return p;
}

[[nodiscard]] inline const char* skip_blank_run(const char* p, [[maybe_unused]] const char* end) noexcept {
#if defined(__SSE2__)
  constexpr int kBlock = 16;
  while (is_blank(*p) && end - p >= kBlock) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i spaces =
        _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(block, _mm_set1_epi8('\n')));
    const __m128i others =
        _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('\t')), _mm_cmpeq_epi8(block, _mm_set1_epi8('\r')));
    const auto blank = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(spaces, others)));
    p += std::countr_one(blank);
  }
#endif
  while (is_blank(*p)) ++p;
  return p;
}

/// Skips blanks; most calls find none or one. Always inlined: see scanner.h.
[[nodiscard, gnu::always_inline]] inline const char* skip_blanks(const char* p, const char* end) noexcept {
  if (!is_blank(*p)) return p;
  ++p;
  return is_blank(*p) ? skip_blank_run(p, end) : p;
}

/// Returns the next quote, backslash or control character, including the zero after the text. Sets `ascii` to false if
/// it passes a byte beyond ASCII.
[[nodiscard]] inline const char* find_string_stop(const char* p, bool& ascii) noexcept {
#if defined(__SSE2__)
  constexpr int kBlock = 16;
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i control = _mm_set1_epi8(0x1f);
  while (true) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i special = _mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash));
    const __m128i stop = _mm_or_si128(special, _mm_cmpeq_epi8(_mm_min_epu8(block, control), block));
    const auto stops = static_cast<unsigned>(_mm_movemask_epi8(stop));
    const auto high = static_cast<unsigned>(_mm_movemask_epi8(block));
    if (stops != 0) {
      if ((high & (stops - 1) & ~stops) != 0) ascii = false;
      return p + std::countr_zero(stops);
    }
    if (high != 0) ascii = false;
    p += kBlock;
  }
#else
  for (; *p != '"' && *p != '\\' && static_cast<unsigned char>(*p) >= 0x20; ++p) {
    if (static_cast<unsigned char>(*p) >= 0x80) ascii = false;
  }
  return p;
#endif
}

}  // namespace stepsim::ingest::json

#endif
