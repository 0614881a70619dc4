// Where an iteration of each rank goes:
//
//     rank   iteration    compute  communication    exposed  copies  waiting for ranks  host       idle  unexplained
//        0  110.000 ms  70.000 ms      50.000 ms  30.000 ms    0 ns               0 ns  0 ns  10.000 ms         0 ns
//
// The columns are those of RankBreakdown (sim/report/summary.h); they overlap.

#include "sim/report/members.h"
#include "sim/report/report.h"

namespace stepsim::sim {
namespace {

std::vector<Section> sections(const Findings& findings) {
  Table table{{{"rank"},
               {"iteration"},
               {"compute"},
               {"communication"},
               {"exposed"},
               {"copies"},
               {"waiting for ranks"},
               {"host"},
               {"idle"},
               {"unexplained"}}};
  for (const RankBreakdown& rank : findings.summary.ranks) {
    table.add_row({std::to_string(rank.rank), to_text(rank.iteration), to_text(rank.compute),
                   to_text(rank.communication), to_text(rank.exposed_communication), to_text(rank.copies),
                   to_text(rank.collective_wait), to_text(rank.host), to_text(rank.idle), to_text(rank.unexplained)});
  }
  return {{.title = "Where an iteration goes (replayed; the columns overlap)", .table = table}};
}

void members(JsonWriter& json, const Findings& findings) {
  json.key("breakdown").begin_array();
  for (const RankBreakdown& rank : findings.summary.ranks) {
    json.new_line().begin_object();
    write_members(json, rank);
    json.key("unexplained_ns").value(rank.unexplained).end_object();
  }
  json.end_array();
}

}  // namespace

extern const CaptureReport breakdown_report;
const CaptureReport breakdown_report{.id = "breakdown", .in = kReplay, .sections = sections, .members = members};

}  // namespace stepsim::sim
