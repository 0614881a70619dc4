#ifndef STEPSIM_SIM_REPORT_TEXT_WIDTH_H
#define STEPSIM_SIM_REPORT_TEXT_WIDTH_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stepsim::sim {

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
