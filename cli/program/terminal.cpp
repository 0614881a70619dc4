#include "cli/program/terminal.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "cli/program/arguments.h"
#include "cli/program/error.h"
#include "cli/program/stages.h"
#include "model/base/error.h"
#include "model/base/number.h"
#include "sim/report/terminal_text.h"

namespace stepsim::cli {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16U;

/// Writes all of `text` to a file descriptor. Returns 0, or the value of errno on failure.
[[nodiscard]] int write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

void Output::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) {
    flush();
  }
}

void Output::flush() {
  throw_if_memory_ran_out();
  const std::string ready = std::move(buffer_);
  buffer_.clear();
  const int problem = write_all(STDOUT_FILENO, ready);
  if (problem != 0) throw OutputError(fmt::format("standard output: cannot write: {}", std::strerror(problem)));
}

void reserve_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) {
      // The file is opened read-only, so that writing to the descriptor still fails. open() returns the lowest free
      // descriptor, which is `descriptor`.
      [[maybe_unused]] const int reserved = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    }
  }
}

void write_error(std::string_view text) noexcept {
  // If standard error is closed, only the exit code can report the error.
  static_cast<void>(write_all(STDERR_FILENO, text));
}

namespace {

constexpr std::array<std::string_view, 3> kColorWords{"auto", "always", "never"};  // in the order of ColorWhen
constexpr std::size_t kHelpWidth = 100;
constexpr std::size_t kLeastWidth = 20;  // in columns; a terminal that reports less is treated as this wide
constexpr std::size_t kUsualWidth = 80;

std::optional<ColorWhen> color_of(std::string_view text) noexcept {
  const auto* const found = std::find(kColorWords.begin(), kColorWords.end(), text);
  if (found == kColorWords.end()) return std::nullopt;
  return static_cast<ColorWhen>(found - kColorWords.begin());
}

std::string_view environment(const char* name) noexcept {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view{} : value;
}

bool has_color(ColorWhen color, int descriptor) noexcept {
  if (color != ColorWhen::kAuto) return color == ColorWhen::kAlways;
  return ::isatty(descriptor) == 1 && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
}

/// Returns the width of the terminal in columns. Uses the variable COLUMNS if the terminal does not report its size.
std::size_t terminal_width() noexcept {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::max<std::size_t>(size.ws_col, kLeastWidth);
  const auto columns = parse_number<std::size_t>(environment("COLUMNS"));
  return columns ? std::max(*columns, kLeastWidth) : kUsualWidth;
}

bool is_terminal() noexcept { return ::isatty(STDOUT_FILENO) == 1; }

/// Returns the column where the description in a line of help begins. If the line does not consist of a name and a
/// description, returns the column after its leading blanks.
std::size_t text_column(std::string_view line) noexcept {
  constexpr std::size_t kFarthest = 40;
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  if (first == 0) return 0;
  const std::size_t gap = line.find("  ", first);
  const std::size_t text = line.find_first_not_of(' ', gap);
  return text > kFarthest ? first : text;  // npos, which is larger than kFarthest, also gives `first`
}

}  // namespace

ColorWhen parse_color(std::string_view text) {
  if (const std::optional<ColorWhen> color = color_of(text)) return *color;
  throw_unknown("value of --color", text, std::vector<std::string>(kColorWords.begin(), kColorWords.end()));
}

ColorWhen color_wanted(std::span<const std::string> arguments) noexcept {
  constexpr std::string_view kOption = "--color";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == kOption && i + 1 < arguments.size()) return color_of(arguments[i + 1]).value_or(ColorWhen::kAuto);
    if (argument.starts_with(kOption) && argument.substr(kOption.size()).starts_with('='))
      return color_of(argument.substr(kOption.size() + 1)).value_or(ColorWhen::kAuto);
  }
  return ColorWhen::kAuto;
}

sim::TextStyle standard_output_style(ColorWhen color) {
  return {.width = is_terminal() ? terminal_width() : 0, .color = has_color(color, STDOUT_FILENO)};
}

sim::TextStyle standard_error_style(ColorWhen color) noexcept { return {.color = has_color(color, STDERR_FILENO)}; }

std::size_t help_width() { return is_terminal() ? std::min(terminal_width(), kHelpWidth) : kHelpWidth; }

std::string folded_help(std::string_view help, std::size_t width) {
  std::string folded;
  while (!help.empty()) {
    const std::size_t end = std::min(help.find('\n'), help.size());
    const std::string_view line = help.substr(0, end);
    help.remove_prefix(std::min(end + 1, help.size()));
    const std::size_t column = text_column(line);
    const bool is_example = line.starts_with("  stepsim ");  // not wrapped, so that users can copy it
    if (is_example || sim::display_width(line) <= width || column + kLeastWidth > width) {
      folded.append(line).append("\n");
      continue;
    }
    std::string_view before = line.substr(0, column);
    for (const std::string_view part : sim::wrapped(line.substr(column), width - column)) {
      folded += before.empty() ? std::string(column, ' ') : std::string(before);
      folded.append(part).append("\n");
      before = {};
    }
  }
  return folded;
}

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kSilence{1};
constexpr milliseconds kTerminalPause{100};
constexpr seconds kLogPause{30};
constexpr std::string_view kWipe = "\r\x1b[K";

}  // namespace

Progress::Progress(bool quiet, Stages* stages)
    : Progress(quiet                          ? Where::kNowhere
               : ::isatty(STDERR_FILENO) == 1 ? Where::kTerminal
                                              : Where::kLog,
               write_error, Clock::now()) {
  stages_ = stages;
}

Progress::Progress(Listener listener) : Progress(Where::kNowhere, write_error, Clock::now()) {
  listener_ = std::move(listener);
}

Progress::~Progress() {
  if (on_screen_) {
    writer_(kWipe);
  }
}

void Progress::phase(std::string_view name, Clock::time_point now, std::string_view unit) {
  phase_ = name;
  unit_ = unit;
  phase_started_ = now;
  if (stages_ != nullptr) stages_->begin(name);
  if (listener_) listener_(phase_, 0, 0);
}

void Progress::update(std::uint64_t done, std::uint64_t total, Clock::time_point now) {
  if (listener_) listener_(phase_, done, total);
  const auto pause = where_ == Where::kTerminal ? Clock::duration(kTerminalPause) : Clock::duration(kLogPause);
  if (where_ == Where::kNowhere || now - started_ < kSilence || now - shown_ < pause) {
    return;
  }
  shown_ = now;
  on_screen_ = where_ == Where::kTerminal;
  writer_(on_screen_ ? fmt::format("{}{}", kWipe, text(done, total, now)) : text(done, total, now) + "\n");
}

std::string Progress::text(std::uint64_t done, std::uint64_t total, Clock::time_point now) const {
  if (total == 0 || done == 0) {
    return fmt::format("{} ...", phase_);
  }
  const double share = static_cast<double>(done < total ? done : total) / static_cast<double>(total);
  const auto spent = std::chrono::duration<double>(now - phase_started_).count();
  const double left = spent / share * (1 - share);
  if (unit_.empty()) return fmt::format("{} {:.0f} %, {:.0f} s left", phase_, share * 100, left);
  return fmt::format("{} {} of {} {}, {:.1f} {}/s, {:.0f} s left", phase_, done, total, unit_,
                     static_cast<double>(done) / std::max(spent, 1e-3), unit_, left);
}

}  // namespace stepsim::cli
