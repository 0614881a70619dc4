// How far the hosts' clocks are apart, and how well that is known.

#include <algorithm>
#include <string>
#include <vector>

#include "sim/report/report.h"

namespace stepsim::sim {
namespace {

std::vector<Section> clocks_sections(const Findings& findings) {
  const std::vector<HostClock>& clocks = findings.capture.recording.clocks;
  if (clocks.size() < 2) return {};
  // Workers of a parameter-server job share no ends.
  const bool ends = std::any_of(clocks.begin(), clocks.end(), [](const HostClock& c) { return c.spread > Duration{}; });
  std::vector<Column> columns{{"host", Align::kLeft}, {"ahead by"}, {"may be off by"}};
  if (ends) columns.push_back({"ends differ by"});
  Table table(columns);
  for (const HostClock& clock : clocks) {
    std::vector<Cell> row{clock.host, clock.offset, clock.residual};
    if (ends) row.emplace_back(clock.spread);
    table.add_row(row);
  }
  return {{.title = "Clocks against the first host", .table = table}};
}

void clocks_members(JsonWriter& json, const Findings& findings) {
  json.key("clock").begin_object().key("hosts").begin_array();
  for (const HostClock& clock : findings.capture.recording.clocks) {
    json.begin_object().key("host").value(clock.host).key("offset_ns").value(clock.offset);
    json.key("residual_ns").value(clock.residual).key("slope").value(clock.slope);
    json.key("spread_ns").value(clock.spread).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

extern const CaptureReport clocks_report;
const CaptureReport clocks_report{
    .id = "clocks", .in = kReplay, .sections = clocks_sections, .members = clocks_members};

}  // namespace stepsim::sim
