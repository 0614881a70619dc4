#ifndef STEPSIM_CLI_PROGRAM_TERMINAL_H
#define STEPSIM_CLI_PROGRAM_TERMINAL_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "sim/report/terminal_text.h"

/// Output to terminals: width, colour, progress. No other code queries the terminal.
namespace stepsim::cli {

class Stages;

/// Standard output with a buffer. Every failed write throws, including the last one, because a full disk may be noticed
/// only then. No other code in the program writes to standard output.
class Output {
 public:
  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Appends `text` to the buffer, and writes the buffer out when it is full. Throws OutputError if that fails.
  void write(std::string_view text);
  /// Writes the buffer to standard output. Throws OutputError on failure, and std::bad_alloc if memory ran out earlier,
  /// because the output may then be incomplete (error.h). A successful command must end with this call: the destructor
  /// drops unwritten text, so that a failed command prints nothing more.
  void flush();

 private:
  std::string buffer_;
};

/// Opens /dev/null as each of the file descriptors 0, 1 and 2 that the caller closed. Otherwise the first file that the
/// program opens could become its standard output.
void reserve_standard_streams();

/// Writes `text` to standard error immediately, without buffering. Ignores failures, because they cannot be reported.
void write_error(std::string_view text) noexcept;

/// The values of --color.
enum class ColorWhen : std::uint8_t { kAuto, kAlways, kNever };

/// Parses a value of --color. Throws UsageError.
[[nodiscard]] ColorWhen parse_color(std::string_view text);

/// Returns the value of --color in arguments that are not yet parsed. It is used for messages about errors in the
/// arguments. Returns kAuto if --color is missing or wrong.
[[nodiscard]] ColorWhen color_wanted(std::span<const std::string> arguments) noexcept;

/// Returns the style for standard output. The width is that of the terminal, or unlimited if standard output is not a
/// terminal. kAuto uses colour on a terminal, unless NO_COLOR is set (no-color.org) or TERM is "dumb".
[[nodiscard]] sim::TextStyle standard_output_style(ColorWhen color);

/// Returns the style for standard error, without a width, because an error is one line.
[[nodiscard]] sim::TextStyle standard_error_style(ColorWhen color) noexcept;

/// Wraps the lines of `help` at blanks to `width` columns. Continuation lines are indented to the description of an
/// option, not to its name. Example command lines are not wrapped, so that users can copy them.
[[nodiscard]] std::string folded_help(std::string_view help, std::size_t width);
/// Returns the width for folded_help(), in columns: that of the terminal, but at most 100.
[[nodiscard]] std::size_t help_width();

/// Shows the progress of long work on standard error. On a terminal it rewrites one line; elsewhere it prints a line
/// every 30 s. Work under a second shows nothing. The destructor clears the terminal's line, so that an error message
/// has a line of its own. Any thread may call it, but only one at a time.
class Progress {
 public:
  enum class Where : std::uint8_t { kNowhere, kTerminal, kLog };
  using Clock = std::chrono::steady_clock;
  using Writer = void (*)(std::string_view text) noexcept;
  using Listener = std::function<void(std::string_view phase, std::uint64_t done, std::uint64_t total)>;

  /// Writes to standard error; nowhere if `quiet`. Phases are also stages of the command, unless `stages` is null.
  explicit Progress(bool quiet, Stages* stages = nullptr);
  /// Passes every phase and update to `listener` and writes nothing.
  explicit Progress(Listener listener);
  /// Writes with `writer` and begins at the time `now`; for tests.
  Progress(Where where, Writer writer, Clock::time_point now)
      : where_(where), writer_(writer), started_(now), phase_started_(now), shown_(now) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Begins a part of the work: "reading", "replaying". If `unit` is given ("points"), the line shows how many units
  /// are done, and how many per second.
  void phase(std::string_view name, Clock::time_point now = Clock::now(), std::string_view unit = {});
  /// Reports that `done` of `total` units of the phase are done. Cheap enough to call every few thousand units.
  void update(std::uint64_t done, std::uint64_t total, Clock::time_point now = Clock::now());

 private:
  [[nodiscard]] std::string text(std::uint64_t done, std::uint64_t total, Clock::time_point now) const;

  Where where_;
  Writer writer_;
  Clock::time_point started_;
  Clock::time_point phase_started_;
  Clock::time_point shown_;
  Listener listener_;
  Stages* stages_ = nullptr;
  std::string phase_;
  std::string unit_;
  bool on_screen_ = false;
};

}  // namespace stepsim::cli

#endif
