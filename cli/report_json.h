#ifndef STEPSIM_CLI_REPORT_JSON_H
#define STEPSIM_CLI_REPORT_JSON_H

#include "cli/output.h"
#include "cli/provenance.h"
#include "model/recording.h"
#include "sim/report/critical_path.h"
#include "sim/report/summary.h"
#include "sim/timeline.h"

/// The objects that --json prints (design.md 9). Members may be added, none renamed: scripts
/// read them. Times are whole nanoseconds; what was not measured is null.
namespace stepsim::cli {

struct ReplayJson {
  const Capture& capture;
  const sim::Timeline& timeline;
  const sim::Summary& summary;
  const sim::CriticalPath& path;
  const Provenance& provenance;
  bool tasks = false;  ///< --tasks: with every task's start and finish
};

/// {"schema":"stepsim.replay/1", ...}
void write_replay(Output& out, const ReplayJson& replay);

/// {"schema":"stepsim.critical_path/1", ...}
void write_critical_path(Output& out, const Capture& capture, const sim::CriticalPath& path,
                         const Provenance& provenance);

/// {"schema":"stepsim.convert/1", ...}
void write_conversion(Output& out, const Capture& capture, const std::string& output, const Provenance& provenance);

}  // namespace stepsim::cli

#endif
