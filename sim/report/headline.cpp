#include "sim/report/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/base/text.h"
#include "sim/report/table.h"

namespace stepsim::sim {
namespace {

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::optional<double> worst_held_out(const Summary& summary) {
  std::optional<double> worst;
  for (const StepReport& step : summary.steps) {
    if (step.held_out_error) worst = std::max(worst.value_or(0), std::abs(*step.held_out_error));
  }
  return worst;
}

/// "a cluster of 2 hosts whose slowest link carries 1.2 GB/s of payload".
std::string cluster_text(const Cluster& cluster) {
  const std::vector<Link>& links = cluster.links;
  const auto slowest = std::min_element(links.begin(), links.end(),
                                        [](const Link& a, const Link& b) { return a.goodput() < b.goodput(); });
  if (slowest != links.end()) {
    return fmt::format("a cluster of {} hosts whose slowest link carries {} of payload", cluster.hosts.size(),
                       to_text(slowest->goodput()));
  }
  return cluster.hosts.size() == 1 ? "a host without a network"
                                   : fmt::format("{} hosts without a network", cluster.hosts.size());
}

}  // namespace

std::string headline(const Capture& capture, const Summary& summary) {
  const std::string what = fmt::format("Replayed {} of {}", counted(capture.dag.task_count(), "task"),
                                       counted(summary.ranks.size(), "rank"));
  const IterationReport& iteration = summary.iteration;
  if (!summary.measured) {
    return fmt::format("{} in {}; nothing was measured to hold it against.", what, to_text(iteration.replayed));
  }
  const std::string pace = iteration.pace ? fmt::format(", at the {}'s pace", to_text(*iteration.pace)) : "";
  const std::string times =
      fmt::format("{}: an iteration takes {} replayed beside {} measured ({}){}", what, to_text(iteration.replayed),
                  to_text(iteration.measured), signed_percent(iteration.error), pace);
  if (summary.steps.empty() || !summary.marked)
    return times + "; the capture marks no steps, so all of it counts as one.";
  const std::string errors = fmt::format("{}; over {} the error is {:.2f} % on average and {:.2f} % at worst", times,
                                         counted(summary.steps.size(), "step"), iteration.mean_abs_error * 100,
                                         iteration.worst_abs_error * 100);
  const std::optional<double> held_out = worst_held_out(summary);
  if (!held_out) return errors + ", and no step could be held out.";
  return fmt::format("{}, and a step predicted from the others is off by at most {:.2f} %.", errors, *held_out * 100);
}

std::string headline(const Calibration& calibration) {
  const std::string cluster = cluster_text(calibration.cluster);
  if (calibration.fits.empty())
    return fmt::format("No speed could be fitted: {} is taken as the assumptions say.", cluster);
  const auto worst = std::max_element(calibration.fits.begin(), calibration.fits.end(),
                                      [](const Fit& a, const Fit& b) { return a.residual < b.residual; });
  return fmt::format("Calibrated {}; the fit that is worst, {}, is off by {} at the median of its {} samples.", cluster,
                     shown(worst->what), percent(worst->residual), worst->samples);
}

}  // namespace stepsim::sim
