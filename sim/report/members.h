#ifndef STEPSIM_SIM_REPORT_MEMBERS_H
#define STEPSIM_SIM_REPORT_MEMBERS_H

#include "model/base/assumption.h"
#include "model/job/recording.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/summary.h"

/// Members that the JSON objects of several commands have.
namespace stepsim::sim {

class JsonWriter;

/// rank, iteration_ns, compute_ns, ..., idle_ns: where a rank's iteration goes.
void write_members(JsonWriter& json, const RankBreakdown& rank);
/// rank, compute_ns, communication_ns, copies_ns, collective_wait_ns, host_ns, idle_ns: the disjoint parts of an
/// iteration.
void write_members(JsonWriter& json, const IterationParts& parts);
/// of, length_ns, classes, unexplained_ns.
void write_members(JsonWriter& json, const IterationPath& path);
/// "diagnostics": what was wrong with inputs, or assumed about them.
void write_diagnostics(JsonWriter& json, const Diagnostics& diagnostics);
/// "ingest": what was read, what was skipped and why.
void write_input(JsonWriter& json, const Capture& capture);
/// "assumptions": one sentence each.
void write_assumptions(JsonWriter& json, const Assumptions& assumptions);

}  // namespace stepsim::sim

#endif
