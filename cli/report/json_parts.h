#ifndef STEPSIM_CLI_REPORT_JSON_PARTS_H
#define STEPSIM_CLI_REPORT_JSON_PARTS_H

#include <string>
#include <string_view>
#include <vector>

#include "cli/program/output.h"
#include "model/base/assumption.h"
#include "model/calibration/calibration.h"
#include "model/job/recording.h"
#include "sim/output/json_writer.h"
#include "sim/report/summary.h"

/// Members that the objects of several commands have.
namespace stepsim::cli {

using sim::JsonWriter;

/// The object's begin with its schema, and its end, which writes out what is left.
void begin(JsonWriter& json, std::string_view schema);
void end(Output& out, JsonWriter& json);

/// In whole nanoseconds.
void write_duration(JsonWriter& json, std::string_view name, Duration duration);
/// Where a rank's iteration goes, as members: compute_ns to idle_ns.
void write_parts(JsonWriter& json, const sim::RankBreakdown& rank);
/// "fits": what calibration found and how well.
void write_fits(JsonWriter& json, const std::vector<Fit>& fits);
/// "ingest": what was read, what was skipped and why.
void write_ingest(JsonWriter& json, const Capture& capture);
void write_assumptions(JsonWriter& json, const Assumptions& assumptions);

}  // namespace stepsim::cli

#endif
