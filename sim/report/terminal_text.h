#ifndef STEPSIM_SIM_REPORT_TERMINAL_TEXT_H
#define STEPSIM_SIM_REPORT_TERMINAL_TEXT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepsim::sim {

/// How a report is written as text. The default is that of a pipe or a file: lines of any length, nothing left out.
struct TextStyle {
  std::size_t width = 0;  ///< columns of the terminal; no line is longer. 0: no bound
  bool color = false;     ///< bold type and colours, as escape sequences (ECMA-48 SGR)
  bool brief = false;     ///< what stands above the sections only
};

/// What a piece of text is, so that it can be shown so.
enum class Tone : std::uint8_t { kPlain, kHeading, kFigure, kWarning, kCaution, kAside };

/// `text` between the escape sequences of its tone where the style has colour. Precondition: `text` is safe for a
/// terminal (model/base/text.h).
[[nodiscard]] std::string toned(std::string_view text, Tone tone, const TextStyle& style);

/// Terminal columns that valid UTF-8 takes: combining marks and joiners 0, East Asian wide
/// characters and emoji 2, others 1.
[[nodiscard]] std::size_t display_width(std::string_view text) noexcept;

/// `text` if it fits in `width` columns, else its beginning and its end with "…" between,
/// never cutting inside a character. Precondition: valid UTF-8.
[[nodiscard]] std::string cut_in_middle(std::string_view text, std::size_t width);

/// `text` as lines of at most `width` columns, broken at blanks, but not between a number and its unit; 0 = one line.
/// A word that is longer than a line is broken within. At least one line; they refer to `text`. Precondition: valid
/// UTF-8.
[[nodiscard]] std::vector<std::string_view> wrapped(std::string_view text, std::size_t width);

/// The numbers with a unit in `text`, "+1.5 ms" or "12 %", in their order; they refer to `text`.
[[nodiscard]] std::vector<std::string_view> figures_in(std::string_view text);

}  // namespace stepsim::sim

#endif
