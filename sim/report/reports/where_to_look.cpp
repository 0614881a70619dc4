// Three to five sentences: what to look at first, from the figures.

#include "sim/report/where_to_look.h"
#include "sim/report/report.h"

namespace stepsim::sim {

extern const CaptureReport where_to_look_report;
const CaptureReport where_to_look_report{
    .id = "where to look",
    .in = kReplay,
    .sections =
        [](const Findings& findings) {
          return std::vector<Section>{
              {"Where to look next",
               {},
               as_list(where_to_look(findings.capture, findings.summary, findings.path.path, findings.stragglers))}};
        },
};

}  // namespace stepsim::sim
