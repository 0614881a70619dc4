#include "sim/report/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>

#include "model/base/assumption.h"
#include "model/base/text.h"
#include "model/rewrite/modelled_times.h"
#include "sim/report/table.h"

namespace stepsim::sim {
namespace {

/// A share of the critical path below this is printed as none.
constexpr double kWorthSaying = 0.0005;

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
  const IterationReport& iteration = summary.iteration;
  const std::string tasks = counted(capture.dag.task_count(), "task");
  const std::string ranks = counted(summary.ranks.size(), "rank");
  if (!summary.measured && find_assumption(capture.assumptions, kModelledTimes) != nullptr) {
    return fmt::format(
        "{} of {} take {} by modelled times, none of them recorded: nothing was measured to hold it "
        "against.",
        tasks, ranks, to_text(iteration.replayed));
  }
  if (!summary.measured) {
    return fmt::format("{} of {} take {}; nothing was measured to hold it against.", tasks, ranks,
                       to_text(iteration.replayed));
  }
  const std::string times =
      fmt::format("{} measured, {} replayed", to_text(iteration.measured), to_text(iteration.replayed));
  std::set<std::int64_t> numbers;
  for (const StepReport& step : summary.steps) numbers.insert(step.step);
  if (numbers.empty() || !summary.marked) {
    const std::string what =
        numbers.size() < 2 ? "all of it takes" : fmt::format("its {} windows take", numbers.size());
    const std::string each = numbers.size() < 2 ? "" : " at the median";
    return fmt::format("The capture marks no steps; {} {}{}: {}, {}.", what, times, each, ranks, tasks);
  }
  const bool differ = iteration.pace && *iteration.pace != Pace::kBoth;
  const std::string pace = differ ? fmt::format(", at the {}'s pace", to_text(*iteration.pace)) : "";
  return fmt::format("An iteration takes {}{}: {} of {}, {}.", times, pace, counted(numbers.size(), "step"), ranks,
                     tasks);
}

std::string trust_line(const Capture& capture, const Summary& summary, const CriticalPath& path,
                       const std::optional<Perturbation>& perturbation) {
  if (!summary.measured) return {};
  if (const Assumption* const given = find_assumption(capture.assumptions, kClusterFile)) return given->sentence;
  std::string tested = "Not tested: one step of one rank cannot be predicted from another";
  if (perturbation) {
    const std::string_view what = perturbation->between_ranks ? "rank" : "step";
    tested = fmt::format(
        "Tested: by another {0}'s graph and its own durations, a {0} is predicted {1} off on average (the {0}s "
        "themselves differ by {2})",
        what, percent(perturbation->error), percent(perturbation->difference));
  }
  if (const std::optional<double> held_out = worst_held_out(summary))
    tested += fmt::format("; by the median of the others, {} off at worst", percent(*held_out));
  std::string rests;
  const auto add = [&rests](double share, std::string_view what) {
    if (share >= kWorthSaying) rests += fmt::format("{} {} {}", rests.empty() ? "" : ",", percent(share), what);
  };
  add(ratio(path.unexplained, path.length), "is waiting that nothing explains");
  add(ratio(path.silent, path.length), "is silence of host threads");
  rests =
      rests.empty() ? "The critical path rests on known dependencies" : fmt::format("Of the critical path,{}", rests);
  if (path.inferred > 0) {
    rests +=
        fmt::format("; {} of its {} were inferred from times", path.inferred, counted(path.hand_overs, "hand-over"));
  }
  return fmt::format("{}. {}.", tested, rests);
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
