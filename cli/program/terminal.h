#ifndef STEPSIM_CLI_PROGRAM_TERMINAL_H
#define STEPSIM_CLI_PROGRAM_TERMINAL_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/report/terminal_text.h"

/// What the program knows of the terminals that it writes to. Nothing else looks them up.
namespace stepsim::cli {

/// Standard output, buffered. Every failure is noticed: a full disk may only show at the last write.
/// Nothing else in the program writes to standard output.
class Output {
 public:
  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Throws OutputError if the system refuses the bytes.
  void write(std::string_view text);
  /// Hands everything to the system. Throws std::bad_alloc if memory ran out before: what is to be written may then be
  /// incomplete (error.h). A successful command must call it at its end. The destructor drops
  /// what is not flushed, so that a failed command prints nothing more.
  void flush();

 private:
  std::string buffer_;
};

/// Reserves the descriptors 0, 1 and 2 if the caller closed them. Without this the first file
/// the program opens would become its standard output.
void reserve_standard_streams();

/// Writes `text` to standard error, whole and at once. A failure cannot be reported anywhere.
void write_error(std::string_view text) noexcept;

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

/// Shows on standard error how far long work has come. On a terminal it rewrites one line; elsewhere it
/// prints a line every 30 s. Work under a second shows nothing. The destructor wipes the terminal's line,
/// so that an error message stands alone. Any thread may call it, one at a time.
class Progress {
 public:
  enum class Where : std::uint8_t { kNowhere, kTerminal, kLog };
  using Clock = std::chrono::steady_clock;
  using Writer = void (*)(std::string_view text) noexcept;

  /// On standard error; nowhere if `quiet`.
  explicit Progress(bool quiet);
  /// For tests.
  Progress(Where where, Writer writer, Clock::time_point now)
      : where_(where), writer_(writer), started_(now), phase_started_(now), shown_(now) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Begins a part of the work: "reading", "replaying". With a unit ("points") the line says how many of
  /// them are done and how many a second.
  void phase(std::string_view name, Clock::time_point now = Clock::now(), std::string_view unit = {});
  /// `done` of `total` of the phase's units. Cheap enough for every few thousand units.
  void update(std::uint64_t done, std::uint64_t total, Clock::time_point now = Clock::now());

 private:
  [[nodiscard]] std::string text(std::uint64_t done, std::uint64_t total, Clock::time_point now) const;

  Where where_;
  Writer writer_;
  Clock::time_point started_;
  Clock::time_point phase_started_;
  Clock::time_point shown_;
  std::string phase_;
  std::string unit_;
  bool on_screen_ = false;
};

}  // namespace stepsim::cli

#endif
