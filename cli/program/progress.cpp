#include "cli/program/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "cli/program/output.h"

namespace stepsim::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kSilence{1};
constexpr milliseconds kTerminalPause{100};
constexpr seconds kLogPause{30};
constexpr std::string_view kWipe = "\r\x1b[K";

}  // namespace

Progress::Progress(bool quiet)
    : Progress(quiet                          ? Where::kNowhere
               : ::isatty(STDERR_FILENO) == 1 ? Where::kTerminal
                                              : Where::kLog,
               write_error, Clock::now()) {}

Progress::~Progress() {
  if (on_screen_) {
    writer_(kWipe);
  }
}

void Progress::phase(std::string_view name, Clock::time_point now, std::string_view unit) {
  phase_ = name;
  unit_ = unit;
  phase_started_ = now;
}

void Progress::update(std::uint64_t done, std::uint64_t total, Clock::time_point now) {
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
