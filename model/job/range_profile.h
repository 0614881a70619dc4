#ifndef STEPSIM_MODEL_JOB_RANGE_PROFILE_H
#define STEPSIM_MODEL_JOB_RANGE_PROFILE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/units.h"

/// What an inline profiler measures: labelled ranges of one process, each in other iterations than the rest, with
/// events on the devices' streams. It is a statistical timeline and no iteration: no dependency is in it.
namespace stepsim {

/// A label on one stream, and what was measured of it.
struct MeasuredRange {
  std::string name;               ///< as the code calls it: "fused_fully_connected.fprop"
  std::string layer;              ///< which part of the model that was; empty: not said
  std::int64_t occurrence = 0;    ///< how many ranges of this name came before it on its stream, in an iteration
  std::int32_t device = 0;        ///< index
  std::uint32_t stream = 0;       ///< index into RangeProfile::streams
  std::int64_t start_index = -1;  ///< its place in the order in which starts and stops first came; -1: not said
  std::int64_t end_index = -1;
  std::vector<Duration> lengths;  ///< one a measured iteration
  std::vector<Duration> offsets;  ///< from the iteration's start to the range's; may be fewer than lengths, or none
};

/// One process.
struct RangeProfile {
  std::string file;
  std::string host;                   ///< as the file says, else as its name does; may be empty
  std::vector<Duration> iterations;   ///< whole ones, on the host's clock; empty: not measured
  std::vector<std::string> streams;   ///< as written, in the order in which they came
  std::vector<MeasuredRange> ranges;  ///< in the order of the file
};

/// The processes of one run.
struct ProfiledRun {
  std::string name;  ///< as the user named it
  std::vector<RangeProfile> processes;
};

// Which ranges an inline profiler measures, and when: one in each iteration, so that measuring does not disturb what
// is measured.

/// A range as the code names it.
struct ScheduledRange {
  std::string name;
  /// How many ranges of this name come before it on its stream, in an iteration; nothing: as places_of() finds.
  std::optional<std::uint32_t> occurrence;
};

/// A part of the model, and its ranges.
struct ScheduledLayer {
  std::string name;
  std::vector<ScheduledRange> forward;
  std::vector<ScheduledRange> backward;
};

struct RangeSchedule {
  std::uint32_t warmup = 10;  ///< iterations in which nothing is measured
  std::uint32_t repeat = 50;  ///< iterations a range is measured in
  std::vector<ScheduledLayer> layers;
};

/// One range with its place.
struct RangePlace {
  std::string name;
  std::string layer;
  std::uint32_t occurrence = 0;
};

/// The ranges in the order of the layers, forward before backward. Where the schedule does not say an occurrence it
/// follows from the order in which a training step runs: the layers forward, first to last, then backward, last to
/// first. So the first of eight equal layers has 0 forward and 7 backward, as in HugeCTR's table for DLRM.
/// O(ranges log ranges).
[[nodiscard]] std::vector<RangePlace> places_of(const RangeSchedule& schedule);

/// prof.schedule as HugeCTR's inline profiler and capture/inline.h read it: the warm-up on a line of its own, then for
/// each iteration from warm-up + 1 on "name iteration layer occurrence", without a final newline.
[[nodiscard]] std::string to_text(const RangeSchedule& schedule);

/// prof.events as HugeCTR's inline profiler reads it since its second version (V2, V3), which measures every occurrence
/// of these names: each name once, a line each, in the order of places_of(), without a final newline.
[[nodiscard]] std::string to_events(const RangeSchedule& schedule);

}  // namespace stepsim

#endif
