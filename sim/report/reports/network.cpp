// How transfers were timed, if not as recorded, and how well the hardware is known.

#include <fmt/format.h>

#include "sim/report/fits.h"
#include "sim/report/report.h"

namespace stepsim::sim {
namespace {

std::vector<Section> network_sections(const Findings& findings) {
  const NetworkModel& model = *findings.network;
  if (model.make == nullptr) return {};
  Section section{.title = "Network",
                  .lead = fmt::format("{}: {}; it ignores {}.", model.name, model.summary, model.ignores)};
  if (findings.calibration != nullptr && !findings.calibration->fits.empty())
    section.table = fit_table(findings.calibration->fits);
  return {section};
}

void network_members(JsonWriter& json, const Findings& findings) {
  json.key("network").begin_object().key("model").value(findings.network->name);
  write_fits(json, findings.calibration != nullptr ? findings.calibration->fits : std::vector<Fit>{});
  json.end_object();
}

}  // namespace

extern const CaptureReport network_report;
const CaptureReport network_report{
    .id = "network", .in = kReplay, .sections = network_sections, .members = network_members};

}  // namespace stepsim::sim
