#include "scenarios/answer/baseline.h"

#include <fmt/format.h>

#include <cmath>

#include "scenarios/answer/learn_from_capture.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/summary.h"
#include "sim/report/headline.h"
#include "sim/report/table.h"

namespace stepsim::scenarios {

std::optional<double> Baseline::error() const noexcept {
  if (!measured) return std::nullopt;
  return sim::ratio(of_captured_steps - *measured, *measured);
}

Baseline baseline_of(const Predictor& predictor, const Prediction& captured) {
  const sim::Summary summary = sim::summarize(*captured.graph, captured.timeline);
  Baseline baseline{.iteration = captured.iteration,
                    .of_captured_steps = captured.of_captured_steps,
                    .unprofiled = predictor.profiler().has_value()};
  if (summary.measured) baseline.measured = summary.iteration.measured;
  if (baseline.unprofiled) baseline.measured = captured.graph->job.measured_step;
  return baseline;
}

std::string trust_text(const Baseline& baseline, const Assumptions& assumptions) {
  if (!baseline.measured) return "nothing was measured to compare the prediction with";
  if (const Assumption* const given = find_assumption(assumptions, sim::kClusterFile)) return given->sentence;
  const double error = *baseline.error();
  const std::string subject = fmt::format("the {} iteration of {}", baseline.unprofiled ? "unprofiled" : "captured",
                                          to_text(*baseline.measured));
  if (find_assumption(assumptions, kRecordedCollectives) != nullptr) {
    return fmt::format(
        "{} is reproduced by recorded collectives ({}), which does not test the prediction: its links alone miss it",
        subject, sim::signed_percent(error));
  }
  constexpr double kSame = 0.00005;  // it would be printed as 0.00 %
  if (std::abs(error) < kSame) {
    return fmt::format(
        "{} is reproduced exactly, because nothing was modelled; this does not test the prediction (stepsim replay "
        "does)",
        subject);
  }
  return fmt::format("{} is predicted with an error of {}", subject, sim::signed_percent(error));
}

std::string narrowing_text(const Prediction& prediction) {
  constexpr double kMuch = 0.2;  // less device time without shapes widens a range little
  Duration by_amount{};
  Duration by_class{};
  Duration all{};
  for (const DeviceShare& found : prediction.shares) {
    const auto scaled_by = [&found](ScaledBy by) { return found.share.by[static_cast<std::size_t>(by)].before; };
    by_amount += scaled_by(ScaledBy::kAmount);
    by_class += scaled_by(ScaledBy::kClass);
    all += found.share.total().before;
  }
  if (by_amount > Duration{})
    return "the range is wide because the device is not known: device.from=NAME, of a similar one, narrows it";
  if (all <= Duration{} || sim::ratio(by_class, all) < kMuch) return {};
  return fmt::format(
      "{:.0f} % of the device time has no shapes, which widens the range: a capture with record_shapes=True, and "
      "without CUDA graphs, narrows it",
      100 * sim::ratio(by_class, all));
}

std::string unsettled_text(double unsettled) {
  return fmt::format(
      "the times of kernels beside communication did not settle in 20 replays: one more would change them by {}",
      sim::percent(unsettled));
}

std::string note_on(const Prediction& prediction) {
  std::string note = narrowing_text(prediction);
  if (prediction.unsettled > 0) note += (note.empty() ? "" : "; ") + unsettled_text(prediction.unsettled);
  return note;
}

}  // namespace stepsim::scenarios
