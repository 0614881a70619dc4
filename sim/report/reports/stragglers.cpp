// The ranks that arrived last in collectives, and what that cost the others.

#include "sim/report/report.h"

namespace stepsim::sim {
namespace {

Table table_of(const std::vector<Straggler>& stragglers) {
  Table table{{{"rank"}, {"arrived last"}, {"of collectives"}, {"others waited"}}};
  for (const Straggler& rank : stragglers) {
    table.add_row({rank.rank, rank.last_in, rank.collectives, rank.each});
  }
  return table;
}

std::vector<Section> stragglers_sections(const Findings& findings) {
  const Table table = table_of(findings.stragglers);
  if (table.rows().size() < 2) return {};
  return {{.title = "Who held the others up in collectives", .table = table}};
}

void stragglers_members(JsonWriter& json, const Findings& findings) {
  json.key("stragglers").begin_array();
  for (const Straggler& straggler : findings.stragglers) {
    json.new_line().begin_object().key("rank").value(straggler.rank).key("others_waited_ns").value(straggler.each);
    json.key("last_in").value(straggler.last_in).key("collectives").value(straggler.collectives).end_object();
  }
  json.end_array();
}

}  // namespace

extern const CaptureReport stragglers_report;
const CaptureReport stragglers_report{
    .id = "stragglers", .in = kReplay | kCriticalPath, .sections = stragglers_sections, .members = stragglers_members};

}  // namespace stepsim::sim
