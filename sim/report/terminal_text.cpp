#include "sim/report/terminal_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/base/text.h"

namespace stepsim::sim {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

bool within(const auto& ranges, char32_t code) noexcept {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), code,
                                      [](char32_t c, const Range& range) { return c < range.first; });
  return after != ranges.begin() && code <= std::prev(after)->last;
}

// Characters that take no column: general categories Mn, Me and Cf of Unicode 15, for the scripts that are likely in
// traces.
constexpr std::array kZeroWidth{Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD},
                                Range{0x0610, 0x061A}, Range{0x064B, 0x065F}, Range{0x0900, 0x0902},
                                Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200F},
                                Range{0x2060, 0x2064}, Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F},
                                Range{0xFE20, 0xFE2F}, Range{0xFEFF, 0xFEFF}, Range{0xE0100, 0xE01EF}};
// Characters that take two columns: W and F in EastAsianWidth.txt of Unicode 15.
constexpr std::array kWide{Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},
                           Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},
                           Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},
                           Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F},
                           Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF}, Range{0x1FA70, 0x1FAFF},
                           Range{0x20000, 0x2FFFD}, Range{0x30000, 0x3FFFD}};

std::size_t width_of(char32_t code) noexcept {
  if (code < 0x300) return 1;
  if (within(kZeroWidth, code)) return 0;
  return within(kWide, code) ? 2 : 1;
}

/// Returns the number of bytes of the longest prefix that fits in `width` columns.
std::size_t front_within(std::string_view text, std::size_t width) noexcept {
  std::size_t bytes = 0;
  std::size_t used = 0;
  while (bytes < text.size()) {
    const Character next = decode_utf8(text.substr(bytes));
    used += width_of(next.code);
    if (used > width) break;
    bytes += next.length;
  }
  return bytes;
}

/// Returns the number of bytes of the longest suffix that fits in `width` columns.
std::size_t back_within(std::string_view text, std::size_t width) noexcept {
  std::size_t skipped = 0;
  std::size_t left = display_width(text);
  while (skipped < text.size() && left > width) {
    const Character next = decode_utf8(text.substr(skipped));
    left -= width_of(next.code);
    skipped += next.length;
  }
  return text.size() - skipped;
}

constexpr std::string_view kOpening = "(";
constexpr std::string_view kClosing = ".,;:)";

bool is_number(std::string_view word) noexcept {
  word.remove_prefix(std::min(word.find_first_not_of(kOpening), word.size()));
  if (word.starts_with('+') || word.starts_with('-')) word.remove_prefix(1);
  return !word.empty() && is_digit(word.front()) && word.find_first_not_of("0123456789.,") == std::string_view::npos;
}

bool is_unit(std::string_view word) noexcept {
  constexpr std::array<std::string_view, 5> kUnits{"ns", "us", "ms", "s", "%"};
  word = word.substr(0, word.find_last_not_of(kClosing) + 1);
  return std::find(kUnits.begin(), kUnits.end(), word) != kUnits.end();
}

struct Word {
  std::size_t begin;
  std::size_t end;
  bool is_figure = false;
};

/// Returns the words of a text; a number and its unit are one word.
std::vector<Word> words_of(std::string_view text) {
  const auto part = [text](const Word& word) { return text.substr(word.begin, word.end - word.begin); };
  std::vector<Word> words;
  for (std::size_t begin = text.find_first_not_of(' '); begin != std::string_view::npos;) {
    const Word word{begin, std::min(text.find(' ', begin), text.size())};
    if (!words.empty() && words.back().end + 1 == begin && is_number(part(words.back())) && is_unit(part(word))) {
      words.back() = {words.back().begin, word.end, true};
    } else {
      words.push_back(word);
    }
    begin = text.find_first_not_of(' ', word.end);
  }
  return words;
}

}  // namespace

std::string toned(std::string_view text, Tone tone, const TextStyle& style) {
  // The codes of each Tone: none, bold, bold, bold red, yellow, faint. They use the terminal's own palette, which suits
  // its background.
  static constexpr std::array<std::string_view, 6> kSequences{"", "1", "1", "1;31", "33", "2"};
  const std::string_view sequence = kSequences[static_cast<std::size_t>(tone)];
  if (!style.color || sequence.empty() || text.empty()) return std::string{text};
  return fmt::format("\x1b[{}m{}\x1b[0m", sequence, text);
}

std::size_t display_width(std::string_view text) noexcept {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character next = decode_utf8(text);
    width += width_of(next.code);
    text.remove_prefix(next.length);
  }
  return width;
}

std::string cut_in_middle(std::string_view text, std::size_t width) {
  constexpr std::string_view kCut = "\u2026";
  if (display_width(text) <= width) return std::string{text};
  if (width == 0) return {};
  const std::string_view front = text.substr(0, front_within(text, width / 2));
  const std::string_view back = text.substr(text.size() - back_within(text, width - 1 - width / 2));
  return fmt::format("{}{}{}", front, kCut, back);
}

std::vector<std::string_view> wrapped(std::string_view text, std::size_t width) {
  if (width == 0 || display_width(text) <= width) return {text};
  std::vector<std::string_view> lines;
  std::size_t begin = std::string_view::npos;  // position at which the current line begins
  std::size_t end = 0;
  const auto end_line = [&] {
    if (begin < end) lines.push_back(text.substr(begin, end - begin));
  };
  for (const Word& word : words_of(text)) {
    if (begin == std::string_view::npos || display_width(text.substr(begin, word.end - begin)) > width) {
      end_line();
      begin = word.begin;
    }
    end = word.end;
    while (display_width(text.substr(begin, end - begin)) > width) {
      const std::string_view rest = text.substr(begin, end - begin);
      const std::size_t bytes = std::max(front_within(rest, width), decode_utf8(rest).length);
      lines.push_back(rest.substr(0, bytes));
      begin += bytes;
    }
  }
  end_line();
  return lines;
}

std::vector<std::string_view> figures_in(std::string_view text) {
  std::vector<std::string_view> figures;
  for (const Word& word : words_of(text)) {
    if (!word.is_figure) continue;
    const std::size_t first = text.find_first_not_of(kOpening, word.begin);
    figures.push_back(text.substr(first, text.find_last_not_of(kClosing, word.end - 1) + 1 - first));
  }
  return figures;
}

}  // namespace stepsim::sim
