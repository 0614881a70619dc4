// What communication beside them makes of kernels, where the capture shows by how much it slows them:
//
//     kernels of  seen both ways  longer beside  a tenth less  a tenth more  kernels  as captured        here
//     gemm                    19          1.14x         1.03x         1.86x      812    91.350 ms   88.120 ms
//     - kernels beside communication: -1.020 ms an iteration of a rank (without: --no-interference)
//
// "As captured" is what they would take with the overlap of the capture, "here" with that of the prediction, both
// summed over ranks and steps.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "scenarios/answer/what_if_document.h"

namespace stepsim::scenarios {
namespace {

std::string times(double factor) { return fmt::format("{:.2f}x", factor); }

/// What it adds to an iteration of a rank, on average.
Duration added(const WhatIfAnswer& answer) {
  double sum = 0;
  for (const SlowedClass& each : answer.scenario.prediction.slowed)
    sum += static_cast<double>((each.after - each.before).count());
  const auto ranks = static_cast<double>(std::max<std::size_t>(1, answer.scenario.summary.ranks.size()));
  return Duration{std::llround(sum / (ranks * answer.scenario.iterations))};
}

std::vector<sim::Section> interference_sections(const WhatIfAnswer& answer) {
  const std::vector<SlowedClass>& slowed = answer.scenario.prediction.slowed;
  if (slowed.empty()) return {};
  sim::Table table({{"kernels of", sim::Align::kLeft},
                    {"seen both ways"},
                    {"longer beside"},
                    {"a tenth less", sim::Align::kRight, sim::Use::kDetail},
                    {"a tenth more", sim::Align::kRight, sim::Use::kDetail},
                    {"kernels", sim::Align::kRight, sim::Use::kDetail},
                    {"as captured"},
                    {"here"}});
  table.compare_times();
  for (const SlowedClass& each : slowed) {
    table.add_row({std::string(to_text(each.slowdown.kernel_class)), each.slowdown.kernels, times(each.slowdown.factor),
                   times(each.slowdown.low), times(each.slowdown.high), each.kernels, each.before, each.after});
  }
  const Duration change = added(answer);
  return {{.title = "Kernels beside communication",
           .table = std::move(table),
           .sentences = {fmt::format("kernels beside communication: {}{} an iteration of a rank (without: "
                                     "--no-interference)",
                                     change > Duration{} ? "+" : "", to_text(change))}}};
}

void interference_members(sim::JsonWriter& json, const WhatIfAnswer& answer) {
  json.key("interference").begin_array();
  for (const SlowedClass& each : answer.scenario.prediction.slowed) {
    json.new_line().begin_object().key("class").value(to_text(each.slowdown.kernel_class));
    json.key("compared").value(each.slowdown.kernels).key("factor").value(each.slowdown.factor);
    json.key("low").value(each.slowdown.low).key("high").value(each.slowdown.high);
    json.key("kernels").value(each.kernels);
    json.key("before_ns").value(each.before).key("after_ns").value(each.after).end_object();
  }
  json.end_array();
}

}  // namespace

extern const WhatIfReport interference_report;
const WhatIfReport interference_report{
    .id = "interference", .sections = interference_sections, .members = interference_members};

}  // namespace stepsim::scenarios
