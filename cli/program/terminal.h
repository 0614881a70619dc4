#ifndef STEPSIM_CLI_PROGRAM_TERMINAL_H
#define STEPSIM_CLI_PROGRAM_TERMINAL_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/report/text_style.h"

/// What the program knows of the terminals that it writes to. Nothing else looks them up.
namespace stepsim::cli {

/// --color.
enum class ColorWhen : std::uint8_t { kAuto, kAlways, kNever };

/// Throws UsageError.
[[nodiscard]] ColorWhen parse_color(std::string_view text);

/// What --color says in arguments that nobody has parsed yet: for errors in them. kAuto if it is not there or wrong.
[[nodiscard]] ColorWhen color_wanted(std::span<const std::string> arguments) noexcept;

/// How to write to standard output: on a terminal as wide as that is, else without a bound. kAuto gives colour on a
/// terminal, unless NO_COLOR is set (no-color.org) or TERM is "dumb".
[[nodiscard]] sim::TextStyle standard_output_style(ColorWhen color);

/// The same of standard error, but for the width: an error is one line.
[[nodiscard]] sim::TextStyle standard_error_style(ColorWhen color) noexcept;

/// `help` with its lines broken at blanks, as wide as the terminal but at most 100 columns. What follows goes below
/// the text of its line: below the description of an option, not below its name. Examples stay whole, to be copied.
[[nodiscard]] std::string folded_help(std::string_view help, std::size_t width);
/// The width for it.
[[nodiscard]] std::size_t help_width();

}  // namespace stepsim::cli

#endif
