#ifndef STEPSIM_SIM_REPORT_TERMINAL_TEXT_H
#define STEPSIM_SIM_REPORT_TERMINAL_TEXT_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stepsim::sim {

/// How a report is written as text. The default is for a pipe or a file: unlimited line length, nothing left out.
struct TextStyle {
  std::size_t width = 0;  ///< columns of the terminal, the maximum line length; 0 for no limit
  bool color = false;     ///< true for bold type and colours, as escape sequences (ECMA-48 SGR)
  bool brief = false;     ///< true to write only what comes before the sections
  bool full = false;      ///< true for the whole names of kernels in tables
  /// If set, a table of many ranks is shortened to this many rows and a summary (digest_of() in table.h).
  std::optional<std::size_t> rank_rows{};
};

/// The role of a piece of text, which determines its colour.
enum class Tone : std::uint8_t { kPlain, kHeading, kFigure, kWarning, kCaution, kAside };

/// Returns `text` between the escape sequences of its tone if the style has colour. Precondition: `text` contains no
/// control characters (model/base/text.h).
[[nodiscard]] std::string toned(std::string_view text, Tone tone, const TextStyle& style);

/// Returns the number of terminal columns of valid UTF-8: 0 for combining marks and joiners, 2 for East Asian wide
/// characters and emoji, 1 for others.
[[nodiscard]] std::size_t display_width(std::string_view text) noexcept;

/// Returns `text` if it fits in `width` columns; otherwise its beginning and its end with "…" between, without
/// splitting a character. Precondition: valid UTF-8.
[[nodiscard]] std::string cut_in_middle(std::string_view text, std::size_t width);

/// Splits `text` into lines of at most `width` columns (0 for one line). Breaks at blanks, but not between a number and
/// its unit; splits a word that is longer than a line. Returns at least one line; the lines are views of `text`.
/// Precondition: valid UTF-8.
[[nodiscard]] std::vector<std::string_view> wrapped(std::string_view text, std::size_t width);

/// Returns the numbers with a unit in `text`, such as "+1.5 ms" or "12 %", in order, as views of `text`.
[[nodiscard]] std::vector<std::string_view> figures_in(std::string_view text);

}  // namespace stepsim::sim

#endif
