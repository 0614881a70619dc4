// By how much kernels run longer beside communication than alone, where the steps of the capture show both:
//
//     rank  kernels of  seen both ways  longer beside  a tenth less  a tenth more
//        3  gemm                    36          1.06x         1.01x         1.69x
//
// What-ifs use the classes that are evidence enough (evident_slowdowns()), over all ranks.

#include "model/calibration/interference.h"

#include <fmt/format.h>

#include "sim/report/report.h"

namespace stepsim::sim {
namespace {

Cell times(double factor) { return {fmt::format("{:.2f}x", factor), factor, Unit::kRatio}; }

std::vector<Section> interference_sections(const Findings& findings) {
  const std::vector<Interference> found = interference_in(findings.capture);
  if (found.empty()) return {};
  Table table{{{"rank"},
               {"kernels of", Align::kLeft},
               {"seen both ways"},
               {"longer beside"},
               {"a tenth less", Align::kRight, Use::kDetail},
               {"a tenth more", Align::kRight, Use::kDetail}}};
  for (const Interference& each : found) {
    table.add_row({each.rank, std::string(to_text(each.kernel_class)), each.kernels, times(each.factor),
                   times(each.low), times(each.high)});
  }
  return {{.title = "Kernels beside communication, against the same kernels alone", .table = table}};
}

void interference_members(JsonWriter& json, const Findings& findings) {
  json.key("interference").begin_array();
  for (const Interference& each : interference_in(findings.capture)) {
    json.begin_object().key("rank").value(each.rank).key("class").value(to_text(each.kernel_class));
    json.key("kernels").value(each.kernels).key("factor").value(each.factor).key("low").value(each.low);
    json.key("high").value(each.high).end_object();
  }
  json.end_array();
}

}  // namespace

extern const CaptureReport interference_report;
const CaptureReport interference_report{
    .id = "interference", .in = kReplay, .sections = interference_sections, .members = interference_members};

}  // namespace stepsim::sim
