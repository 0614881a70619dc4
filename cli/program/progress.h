#ifndef STEPSIM_CLI_PROGRAM_PROGRESS_H
#define STEPSIM_CLI_PROGRAM_PROGRESS_H

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepsim::cli {

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
