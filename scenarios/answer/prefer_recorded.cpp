#include "scenarios/answer/prefer_recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/cost/network/transfers.h"
#include "scenarios/answer/contradiction.h"
#include "sim/analysis/summary.h"
#include "sim/report/table.h"

namespace stepsim::scenarios {
namespace {

bool has_captured_collectives(const Plan& plan) {
  const Capture& capture = *plan.captured;
  const std::vector<Lane>& lanes = capture.dag.lanes();
  return plan.network->make != nullptr && capture.parameter_server == nullptr && uses_links(capture) &&
         std::none_of(lanes.begin(), lanes.end(), [](const Lane& lane) { return lane.is_link(); });
}

}  // namespace

bool prefer_recorded_collectives(Predictor& predictor, ReplayMeter& meter) {
  Plan plan = predictor.plan();
  if (!has_captured_collectives(plan)) return false;
  const Prediction by_links = meter.predict(predictor, plan);
  const sim::Summary links = sim::summarize(*by_links.graph, by_links.timeline);
  if (!links.measured) return false;
  const double error = std::abs(links.iteration.error);
  if (error <= usual_error_of_capture(*by_links.graph, by_links.timeline)) return false;
  predictor.learn_recorded_collectives();
  plan.recorded_collectives = Excess::kStays;
  const Prediction as_recorded = meter.predict(predictor, plan);
  const sim::Summary recorded = sim::summarize(*as_recorded.graph, as_recorded.timeline);
  if (std::abs(recorded.iteration.error) > error / 2) return false;
  predictor.prefer_recorded_collectives(
      {std::string(kRecordedCollectives),
       fmt::format("Links calibrated from the capture miss its iteration by {}: each collective keeps its "
                   "recorded time, changed as it would change alone under {}.",
                   sim::signed_percent(links.iteration.error, 1), plan.network->name)});
  return true;
}

}  // namespace stepsim::scenarios
