// Where an iteration of each rank goes:
//
//     rank   iteration    compute  communication    exposed  copies  waiting for ranks  host       idle  unexplained
//        0  110.000 ms  70.000 ms      50.000 ms  30.000 ms    0 ns               0 ns  0 ns  10.000 ms         0 ns
//
// The columns are those of RankBreakdown (sim/analysis/summary.h); they overlap.

#include "sim/report/members.h"
#include "sim/report/report.h"

namespace stepsim::sim {
namespace {

std::vector<Section> breakdown_sections(const Findings& findings) {
  Table table{{{"rank"},
               {"iteration"},
               {"compute"},
               {"communication"},
               {"exposed"},
               {"copies", Align::kRight, Use::kDetail},
               {"waiting for ranks", Align::kRight, Use::kHelp},
               {"host", Align::kRight, Use::kHelp},
               {"idle", Align::kRight, Use::kDetail},
               {"unexplained", Align::kRight, Use::kDetail}}};
  for (const RankBreakdown& rank : findings.summary.ranks) {
    table.add_row({rank.rank, rank.iteration, rank.compute, rank.communication, rank.exposed_communication, rank.copies,
                   rank.collective_wait, rank.host, rank.idle, rank.unexplained});
  }
  return {{.title = "Where an iteration goes (replayed; the columns overlap)", .table = table}};
}

void breakdown_members(JsonWriter& json, const Findings& findings) {
  json.key("breakdown").begin_array();
  for (const RankBreakdown& rank : findings.summary.ranks) {
    json.new_line().begin_object();
    write_members(json, rank);
    json.key("unexplained_ns").value(rank.unexplained).end_object();
  }
  json.end_array().new_line();
  json.key("iteration_parts").begin_object();
  write_members(json, findings.summary.parts);
  json.end_object();
}

}  // namespace

extern const CaptureReport breakdown_report;
const CaptureReport breakdown_report{
    .id = "breakdown", .in = kReplay, .sections = breakdown_sections, .members = breakdown_members};

}  // namespace stepsim::sim
