#include "sim/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/base/error.h"
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

// Unicode 15: general categories Mn, Me and Cf of the scripts that traces are likely to hold.
constexpr std::array kZeroWidth{Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD},
                                Range{0x0610, 0x061A}, Range{0x064B, 0x065F}, Range{0x0900, 0x0902},
                                Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200F},
                                Range{0x2060, 0x2064}, Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F},
                                Range{0xFE20, 0xFE2F}, Range{0xFEFF, 0xFEFF}, Range{0xE0100, 0xE01EF}};
// Unicode 15, EastAsianWidth.txt: W and F.
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

/// Bytes of as many characters from the front as fit into `width` columns.
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

/// Bytes of as many characters from the back as fit into `width` columns.
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

/// A cell as it is printed: one line, nothing that moves the cursor, at most as wide as asked.
std::string printed(std::string_view cell, const Column& column) {
  constexpr std::size_t kMostBytes = 1000;  // a name may be a megabyte
  std::string text = shown(cell, kMostBytes);
  return column.max_width == 0 ? text : cut_in_middle(text, column.max_width);
}

void append_cell(std::string& line, std::string_view text, std::size_t width, Align align) {
  const std::size_t padding = width - std::min(width, display_width(text));
  if (align == Align::kRight) line.append(padding, ' ');
  line += text;
  if (align == Align::kLeft) line.append(padding, ' ');
}

}  // namespace

void Table::add_row(std::vector<Cell> cells) {
  STEPSIM_ASSERT(cells.size() == columns_.size(), "a row has one cell a column");
  rows_.push_back(std::move(cells));
}

std::string Table::to_text() const {
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : columns_) lines.front().push_back(column.title);
  for (const auto& row : rows_) {
    std::vector<std::string>& line = lines.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c) line.push_back(printed(row[c].text(), columns_[c]));
  }
  std::vector<std::size_t> widths(columns_.size());
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], display_width(line[c]));
  }
  std::string text;
  for (const auto& cells : lines) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) line += "  ";
      append_cell(line, cells[c], widths[c], columns_[c].align);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
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
  constexpr std::string_view kCut = "...";
  if (display_width(text) <= width) return std::string{text};
  const std::size_t room = width - std::min(width, kCut.size());
  const std::string_view front = text.substr(0, front_within(text, room - room / 2));
  const std::string_view back = text.substr(text.size() - back_within(text, room / 2));
  return fmt::format("{}{}{}", front, kCut.substr(0, width), back);
}

std::string signed_percent(double ratio) {
  const std::string text = fmt::format("{:+.2f} %", ratio * 100);
  return text == "+0.00 %" || text == "-0.00 %" ? "0.00 %" : text;
}

std::string percent(double ratio) { return fmt::format("{:.1f} %", ratio * 100); }

Cell signed_percent_cell(double ratio) { return {signed_percent(ratio), ratio, Unit::kRatio}; }

Cell percent_cell(double ratio) { return {percent(ratio), ratio, Unit::kRatio}; }

Cell nanoseconds_cell(Duration duration) { return {std::to_string(duration.count()), duration.count(), Unit::kNone}; }

Cell number_cell(double number) { return {fmt::format("{}", number), number, Unit::kNone}; }

}  // namespace stepsim::sim
