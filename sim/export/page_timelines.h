#ifndef STEPSIM_SIM_EXPORT_PAGE_TIMELINES_H
#define STEPSIM_SIM_EXPORT_PAGE_TIMELINES_H

#include "sim/export/exporter.h"
#include "sim/output/write_file.h"

namespace stepsim::sim {

/// Writes the replays of `answer` into a page: one script element with JSON that says what there is, then one with a
/// packed column (packed_column.h) for each quantity. page/src/timeline/columns.js reads them and lists the columns.
/// O(tasks log tasks + edges); streams to `out`, with about 50 bytes a task beside it.
void write_page_timelines(const Answer& answer, OutputFile& out);

}  // namespace stepsim::sim

#endif
