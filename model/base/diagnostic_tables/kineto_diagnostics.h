#ifndef STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_KINETO_DIAGNOSTICS_H
#define STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_KINETO_DIAGNOSTICS_H

#include <array>

#include "model/base/diagnostic.h"

namespace stepsim {

/// Of the records of PyTorch's profiler.
inline constexpr auto kKinetoDiagnostics = std::to_array<Diagnostic>({
    {"no_timestamp", Severity::kDataLoss,
     "the profiler had no time for an event, which is left out: record again, or update the driver",
     "The event's work is missing from the replay, so a step may come out shorter than it was."},
    {"absurd_duration", Severity::kDataLoss,
     "an event is recorded as longer than 7 days, or as no time at all, and left out: record again",
     "The event's work is missing from the replay, so a step may come out shorter than it was."},
    {"no_duration", Severity::kNotice, "an event without \"dur\" counts as 0 ns long",
     "The event takes no time in the replay; what it took in truth is idle or unexplained time there."},
    {"negative_duration", Severity::kNotice, "an event with a negative duration counts as 0 ns long, as in Kineto",
     "The event takes no time in the replay; what it took in truth is idle or unexplained time there."},
    {"element_type_assumed", Severity::kInfo,
     "an operator on a list of tensors does not name their type: 4 bytes an element",
     "The size of a collective may be off by a factor of 2 or 4, which matters only where the network is changed.",
     "Collectives that record their type (NCCL's, by record_param_comms) do not need this."},
    {"not used:", Severity::kInfo, "a replay does not need these records",
     "None: flows, counters, marks and Python frames take no time of a host or a device of their own.", "", true},
    {"unknown category", Severity::kDataLoss,
     "stepsim does not know this category, and leaves its events out: what they did is not in the replay",
     "The work of these events is missing. The share of the span in brackets says how much time they cover.",
     "Nothing in the capture: stepsim must learn the category. Report it with a few of its events.", true},
    {"events without a category", Severity::kDataLoss,
     "stepsim does not know this category, and leaves its events out: what they did is not in the replay",
     "The work of these events is missing. The share of the span in brackets says how much time they cover.",
     "PyTorch's profiler gives every event a category (\"cat\"): use its file as it was written."},
    {"sampled_operators", Severity::kDataLoss,
     "the numbers of the operators have gaps: the capture is a sample, or was thinned out later, and what waits for "
     "the "
     "missing work waits for nothing here: record all of it",
     "Neither the replay nor any what-if can be trusted: most of the step's work is not there."},
    {"bad_base_time", Severity::kDataLoss, "baseTimeNanoseconds does not fit the events' times and is ignored",
     "None for one rank. Several ranks cannot be put on one clock by it, only by their collectives."},
});

}  // namespace stepsim

#endif
