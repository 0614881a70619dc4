#include "cli/work/cluster_file.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"
#include "scenarios/answer/prefer_recorded.h"
#include "scenarios/answer/refit_sharing.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/summary.h"
#include "sim/report/headline.h"
#include "sim/report/table.h"

namespace stepsim::cli {
namespace {

/// The captured iteration as predicted on the links that it ran on; nothing where the capture does not show them.
std::optional<Duration> on_own_links(Capture& capture, CommonOptions options, scenarios::ReplayMeter& meter) {
  options.cluster_file.reset();
  options.network_given = false;
  std::optional<Hardware> own = known_hardware(capture, options);
  if (!own) return std::nullopt;
  scenarios::Predictor predictor(capture, own->cluster, *find_network_model("maxmin"));
  if (own->calibration) learn_links(predictor, *own->calibration, true, meter);
  return meter.predict(predictor, predictor.plan()).of_captured_steps;
}

}  // namespace

std::optional<Hardware> known_hardware(Capture& capture, const CommonOptions& options) {
  try {
    return hardware_of(capture, options);
  } catch (const InputError&) {
    if (options.cluster_file || (options.network_given && options.network->make != nullptr)) {
      throw;
    }
    return std::nullopt;
  }
}

void learn_links(scenarios::Predictor& predictor, Calibration& calibration, bool may_prefer_recorded,
                 scenarios::ReplayMeter& meter) {
  predictor.set_link_rate_error(calibration.link_rate_error);
  if (scenarios::refit_sharing(predictor, meter)) remove_assumption(calibration.assumptions, "link_sharing");
  if (may_prefer_recorded && scenarios::prefer_recorded_collectives(predictor, meter))
    remove_assumption(calibration.assumptions, "link_sharing");
}

void state_cluster_file(Capture& capture, const CommonOptions& options, scenarios::ReplayMeter& meter,
                        scenarios::Predictor& predictor) {
  const scenarios::Prediction there = meter.predict(predictor, predictor.plan());
  const sim::Summary summary = sim::summarize(*there.graph, there.timeline);
  if (!summary.measured) return;
  const Duration measured = summary.iteration.measured;
  const auto own = on_own_links(capture, options, meter);
  const Duration before = own.value_or(measured);
  predictor.set_on_own_cluster(before);
  const std::string change =
      fmt::format("{} alone takes the captured iteration from {} to {} ({})", shown(*options.cluster_file),
                  stepsim::to_text(before), stepsim::to_text(there.of_captured_steps),
                  sim::signed_percent(sim::ratio(there.of_captured_steps - before, before), 1));
  predictor.add_assumption(
      {std::string(sim::kClusterFile),
       own ? fmt::format("{}; on its own links it is predicted with an error of {}", change,
                         sim::signed_percent(sim::ratio(*own - measured, measured)))
           : fmt::format("{}, the model's error included: the capture does not show its own links", change)});
}

}  // namespace stepsim::cli
