#ifndef STEPSIM_MODEL_JOB_RANGE_PROFILE_H
#define STEPSIM_MODEL_JOB_RANGE_PROFILE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/units.h"

/// Data of an inline profiler, which measures labelled ranges of one process with events on device streams. Different
/// ranges are measured in different iterations. The result is a statistical timeline, not one iteration, and contains
/// no dependencies.
namespace stepsim {

/// A label on one stream, and its measurements.
struct MeasuredRange {
  std::string name;               ///< name in the code: "fused_fully_connected.fprop"
  std::string layer;              ///< the part of the model it belongs to; empty if not stated
  std::int64_t occurrence = 0;    ///< number of ranges with this name before it on its stream, in one iteration
  std::int32_t device = 0;        ///< device index
  std::uint32_t stream = 0;       ///< index into RangeProfile::streams
  std::int64_t start_index = -1;  ///< position in the order in which starts and stops were first seen; -1 if not stated
  std::int64_t end_index = -1;
  std::vector<Duration> lengths;  ///< durations, one for each measured iteration
  /// Time from the iteration's start to the range's start; may have fewer entries than `lengths`, or none.
  std::vector<Duration> offsets;
};

/// The measurements of one process.
struct RangeProfile {
  std::string file;
  std::string host;                   ///< as stated in the file, or else derived from its name; may be empty
  std::vector<Duration> iterations;   ///< durations of whole iterations on the host's clock; empty if not measured
  std::vector<std::string> streams;   ///< names as written, in order of first appearance
  std::vector<MeasuredRange> ranges;  ///< in order of the file
};

/// The processes of one run.
struct ProfiledRun {
  std::string name;  ///< name given by the user
  std::vector<RangeProfile> processes;
};

// The schedule of an inline profiler: which range it measures in which iteration. It measures one range per iteration,
// so that measuring disturbs the result little.

/// A range of the model, with its name in the code.
struct ScheduledRange {
  std::string name;
  /// Number of ranges with this name before it on its stream, in one iteration. If absent, places_of() counts it.
  std::optional<std::uint32_t> occurrence;
};

/// A part of the model with its ranges.
struct ScheduledLayer {
  std::string name;
  std::vector<ScheduledRange> forward;
  std::vector<ScheduledRange> backward;
};

struct RangeSchedule {
  std::uint32_t warmup = 10;  ///< number of iterations without measurements
  std::uint32_t repeat = 50;  ///< number of iterations in which each range is measured
  std::vector<ScheduledLayer> layers;
};

/// A range with its layer and occurrence.
struct RangePlace {
  std::string name;
  std::string layer;
  std::uint32_t occurrence = 0;
};

/// Returns the ranges in order of the layers, forward before backward. An occurrence that the schedule does not state
/// is counted in the order in which a training step runs: layers forward from first to last, then backward from last to
/// first. The first of eight equal layers therefore has occurrence 0 forward and 7 backward, as in HugeCTR's table for
/// DLRM. O(ranges log ranges).
[[nodiscard]] std::vector<RangePlace> places_of(const RangeSchedule& schedule);

/// Returns the text of prof.schedule for HugeCTR's inline profiler and capture/inline.h. The first line is the number
/// of warm-up iterations. Then each iteration from warm-up + 1 on has a line "name iteration layer occurrence". There
/// is no final newline.
[[nodiscard]] std::string to_text(const RangeSchedule& schedule);

/// Returns the text of prof.events for HugeCTR's inline profiler since its second version (V2, V3), which measures
/// every occurrence of the listed names: one line for each distinct name, in the order of places_of(), without a final
/// newline.
[[nodiscard]] std::string to_events(const RangeSchedule& schedule);

}  // namespace stepsim

#endif
