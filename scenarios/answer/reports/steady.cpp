// What an iteration takes in the long run is not what the captured steps took on their way there. For people;
// programs find it in "baseline" and "scenario".

#include <cmath>

#include <fmt/format.h>

#include "scenarios/answer/what_if_document.h"
#include "sim/analysis/intervals.h"

namespace stepsim::scenarios {
namespace {

/// Smaller differences say nothing: captured steps differ by as much.
constexpr double kNoticed = 0.01;

bool is_transient(const Prediction& prediction) {
  return std::abs(sim::ratio(prediction.of_captured_steps - prediction.in_the_long_run, prediction.in_the_long_run)) >=
         kNoticed;
}

std::vector<sim::Section> steady_sections(const WhatIfAnswer& answer) {
  const Prediction& before = answer.baseline.prediction;
  const Prediction& after = answer.scenario.prediction;
  if (!is_transient(before) && !is_transient(after)) return {};
  const bool follows = before.iteration == before.in_the_long_run && after.iteration == after.in_the_long_run;
  return {
      {.title = "In the long run",
       .sentences = {fmt::format("steps that are repeated until they are steady take {} (baseline) and {} (scenario){}",
                                 to_text(before.in_the_long_run), to_text(after.in_the_long_run),
                                 follows ? "" : ", if the next one waits for threads and streams alone"),
                     fmt::format("the captured steps alone take {} and {}: queues fill or drain in them",
                                 to_text(before.of_captured_steps), to_text(after.of_captured_steps))}}};
}

}  // namespace

extern const WhatIfReport steady_report;
const WhatIfReport steady_report{.id = "steady", .sections = steady_sections};

}  // namespace stepsim::scenarios
