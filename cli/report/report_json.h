#ifndef STEPSIM_CLI_REPORT_REPORT_JSON_H
#define STEPSIM_CLI_REPORT_REPORT_JSON_H

#include "cli/program/output.h"
#include "cli/program/provenance.h"
#include "cli/work/work.h"

/// The objects that --json prints (design.md 9). Members may be added, none renamed: scripts
/// read them. Times are whole nanoseconds; what was not measured is null.
namespace stepsim::cli {

/// {"schema":"stepsim.replay/1", ...}; `tasks`: with every task's start and finish.
void write_replay(Output& out, const Replayed& replayed, const sim::Summary& summary, const NamedPath& path,
                  const Provenance& provenance, bool tasks);

/// {"schema":"stepsim.critical_path/1", ...}
void write_critical_path(Output& out, const Replayed& replayed, const NamedPath& path, const Provenance& provenance);

/// {"schema":"stepsim.convert/1", ...}
void write_conversion(Output& out, const Replayed& replayed, const std::string& output, const Provenance& provenance);

/// {"schema":"stepsim.calibrate/1", ...}
void write_calibration(Output& out, const Capture& capture, const Calibration& calibration,
                       const Provenance& provenance);

}  // namespace stepsim::cli

#endif
