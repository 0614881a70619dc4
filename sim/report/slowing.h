#ifndef STEPSIM_SIM_REPORT_SLOWING_H
#define STEPSIM_SIM_REPORT_SLOWING_H

#include <optional>
#include <string>

#include "model/base/units.h"
#include "model/job/recording.h"
#include "sim/analysis/summary.h"

namespace stepsim::sim {

/// What recording a job did to its steps.
struct Slowing {
  Duration recorded{};  ///< the measured iteration of the capture
  Duration free{};      ///< job.yaml's measured_step: what a step takes when nobody records it; > 0
  Duration shortest{};  ///< of the recorded steps, any rank's
  /// 0.05: recorded steps take 5 % longer. Below 0 where they take less, which says how far the two can be compared.
  [[nodiscard]] double share() const noexcept;
  /// Whether every recorded step took longer than a free one. If not, the difference may be that of any two steps.
  [[nodiscard]] bool is_seen() const noexcept { return free < shortest; }
};

/// Nothing without a measured_step, or where the capture has no measured times. Precondition: `summary` is of
/// `capture`.
[[nodiscard]] std::optional<Slowing> slowing_of(const Capture& capture, const Summary& summary);

/// "recorded, an iteration takes 105 ms; a step takes 100 ms when nobody records it (measured_step of job.yaml): the
/// profiler slows this job by 5.0 %". Where that is not seen: "+5.00 %, no more than recorded steps differ (the
/// shortest takes 99 ms)".
[[nodiscard]] std::string to_text(const Slowing& slowing);

}  // namespace stepsim::sim

#endif
