#ifndef STEPSIM_INGEST_FORMATS_CAPTURE_WINDOWS_H
#define STEPSIM_INGEST_FORMATS_CAPTURE_WINDOWS_H

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "model/wire/record.h"

namespace stepsim::ingest {

/// The steps of a capture that its schedule was to record, from the marks in it.
class CaptureWindows {
 public:
  struct Step {
    std::uint64_t number = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = kOpen;  ///< kOpen: no mark followed
    std::uint32_t thread = 0;   ///< that marked its begin
  };
  static constexpr std::uint64_t kOpen = std::numeric_limits<std::uint64_t>::max();

  /// `events` are in order of time.
  explicit CaptureWindows(const std::vector<wire::Record>& events);

  /// Active steps, by time.
  [[nodiscard]] const std::vector<Step>& steps() const noexcept { return steps_; }
  /// Whether host work that began then is to be part of the capture: in an active step, or there are none at all.
  [[nodiscard]] bool contains(std::uint64_t time) const noexcept;

 private:
  std::vector<Step> steps_;
};

}  // namespace stepsim::ingest

#endif
