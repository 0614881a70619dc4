#include "scenarios/answer/refit_sharing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "model/cost/network/maxmin.h"
#include "model/cost/network/transfers.h"
#include "scenarios/answer/contradiction.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/summary.h"

namespace stepsim::scenarios {
namespace {

constexpr std::array kTried{1.0, 0.75, 0.5, 0.25, 0.0};

struct Tried {
  double sharing = 0;
  double error = 0;  ///< absolute
};

bool shares_links(const Plan& plan) {
  const NetworkModel& network = *plan.network;
  if (network.make == nullptr || network.independent || !uses_links(*plan.captured)) return false;
  return std::find(network.parameters.begin(), network.parameters.end(), &kSharing) != network.parameters.end();
}

/// By their errors.
std::vector<Tried> tried(Predictor& predictor, ReplayMeter& meter, Duration measured) {
  std::vector<Tried> all;
  for (const double sharing : kTried) {
    Plan plan = predictor.plan();
    plan.cluster.network.set(kSharing, sharing);
    all.push_back({sharing, std::abs(sim::ratio(meter.predict(predictor, plan).iteration - measured, measured))});
  }
  std::stable_sort(all.begin(), all.end(), [](const Tried& a, const Tried& b) { return a.error < b.error; });
  return all;
}

}  // namespace

bool refit_sharing(Predictor& predictor, ReplayMeter& meter) {
  const Plan plan = predictor.plan();
  if (!shares_links(plan)) return false;
  const Prediction baseline = meter.predict(predictor, plan);
  const sim::Summary summary = sim::summarize(*baseline.graph, baseline.timeline);
  if (!summary.measured) return false;
  const double usual = usual_error_of_capture(*baseline.graph, baseline.timeline);
  const double error = std::abs(summary.iteration.error);
  if (error <= usual) return false;
  const std::vector<Tried> all = tried(predictor, meter, summary.iteration.measured);
  const Tried best = all.front();
  if (best.error > error / 2) {
    predictor.assume_sharing(
        plan.cluster.network[kSharing], {},
        {"sharing_unexplained",
         fmt::format("The captured iteration is missed by {:.0f} %, and no way of sharing links explains "
                     "it: how senders share them is not known.",
                     100 * error)});
    return true;
  }
  std::vector<double> fitting;
  for (const Tried& one : all) {
    if (one.error <= best.error + usual) fitting.push_back(one.sharing);
  }
  const auto [least, most] = std::minmax_element(fitting.begin(), fitting.end());
  predictor.assume_sharing(
      best.sharing, fitting,
      {"sharing_refitted",
       fmt::format(
           "Links are shared as {} (1 = fair, 0 = one sender at a time), and from {} to {} fits too: with {:.2g} "
           "the captured iteration was missed by {:.0f} %, with this by {:.1f} %.",
           best.sharing, *least, *most, plan.cluster.network[kSharing], 100 * error, 100 * best.error)});
  return true;
}

}  // namespace stepsim::scenarios
