#ifndef STEPSIM_INGEST_CONFIG_RANGES_FILE_H
#define STEPSIM_INGEST_CONFIG_RANGES_FILE_H

#include <string>
#include <string_view>

#include "model/base/input_file.h"
#include "model/job/range_schedule.h"

namespace stepsim::ingest {

/// The YAML that says which ranges an inline profiler is to measure (docs/inline-profiler.md):
///
///     warmup: 10
///     repeat: 50
///     layers:
///       BottomMLP.fc1:
///         forward: [fused_fully_connected.fprop]
///         backward: [{name: fused_fully_connected.bprop, occurrence: 6}]
///
/// The lists may be called forward_events and backward_events, as HugeCTR calls them. Throws InputError with file and
/// line; a name with a blank is one, because the schedule's fields are divided by blanks.
[[nodiscard]] RangeSchedule parse_ranges(std::string_view text, const std::string& name);

/// prof.events, in which HugeCTR's inline profiler (V2, V3) finds the names of what it shall measure, one a line, as a
/// schedule: ranges of the layer High_Level, each the first of its name on its stream. Empty lines and further lines of
/// the same name count for nothing. Throws InputError for a name with a blank, and where there is none.
[[nodiscard]] RangeSchedule parse_events(std::string_view text, const std::string& name);

/// The one or, of a file whose name ends in .events, the other: at most 1 MiB.
[[nodiscard]] RangeSchedule read_ranges_file(const std::string& path);

}  // namespace stepsim::ingest

#endif
