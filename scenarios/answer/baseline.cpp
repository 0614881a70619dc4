#include "scenarios/answer/baseline.h"

#include <fmt/format.h>

#include <cmath>

#include "scenarios/answer/learn_from_capture.h"
#include "scenarios/change/on_machine.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/summary.h"
#include "sim/report/headline.h"
#include "sim/report/table.h"

namespace stepsim::scenarios {

std::optional<double> Baseline::error() const noexcept {
  if (!measured) return std::nullopt;
  return sim::ratio(as_captured - *measured, *measured);
}

Baseline baseline_of(const Predictor& predictor, const Prediction& captured) {
  const sim::Summary summary = sim::summarize(*captured.graph, captured.timeline);
  const PredictorSettings& settings = predictor.settings();
  Baseline baseline{.iteration = captured.iteration,
                    .of_captured_steps = captured.of_captured_steps,
                    .as_captured = settings.as_captured.value_or(captured.of_captured_steps),
                    .unprofiled = settings.profiler && settings.profiler->by_measured_step};
  if (summary.measured) baseline.measured = summary.iteration.measured;
  if (baseline.unprofiled) baseline.measured = captured.graph->job.measured_step;
  return baseline;
}

std::string with_range(Duration time, Duration low, Duration high) {
  if (low == high) return to_text(time);
  std::string from = to_text(low);
  const std::string to = to_text(high);
  const auto unit_of = [](std::string_view text) { return text.substr(text.find(' ')); };
  if (unit_of(from) == unit_of(to)) from.resize(from.find(' '));
  return fmt::format("{} ({} to {})", to_text(time), from, to);
}

std::string against_baseline(Duration time, Duration baseline) {
  constexpr double kLargest = 10;  // above +1,000 %, a multiple is easier to read
  if (baseline <= Duration{}) return "and the baseline takes no time";
  const double change = sim::ratio(time - baseline, baseline);
  const std::string subject = fmt::format("the baseline's {}", to_text(baseline));
  if (time == baseline) return "the same as " + subject;
  if (std::abs(change) < sim::kLeastShown) return "less than 0.1 % from " + subject;
  if (change >= kLargest) return fmt::format("{:.0f}x {}", 1 + change, subject);
  return fmt::format("{} {} than {}", sim::percent(std::abs(change)), change < 0 ? "less" : "more", subject);
}

std::string data_sheet_text(const std::optional<Duration>& by_data_sheet) {
  return by_data_sheet ? fmt::format("; {} by the data sheet alone", to_text(*by_data_sheet)) : "";
}

namespace {

bool differ(Duration a, Duration b, double least) { return std::abs(sim::ratio(a - b, b)) >= least; }

/// True if the profiler's cost matters to who compares the baseline with the captured step.
bool shows_profiler(const Baseline& baseline) {
  constexpr double kLeastCost = 0.01;
  return differ(baseline.as_captured, baseline.of_captured_steps, kLeastCost);
}

/// Returns how well the captured step is predicted, as a sentence. Precondition: a step was measured.
std::string error_text(const Baseline& baseline, const Assumptions& assumptions) {
  if (const Assumption* const given = find_assumption(assumptions, sim::kClusterFile)) return given->sentence;
  const double error = *baseline.error();
  const std::string subject = fmt::format(
      "The {} of {}", baseline.unprofiled ? "step without the profiler" : "captured step", to_text(*baseline.measured));
  if (find_assumption(assumptions, kRecordedCollectives) != nullptr) {
    return fmt::format(
        "{} is predicted with an error of {} because collectives keep their recorded times; this does not test the "
        "network model.",
        subject, sim::signed_percent(error));
  }
  const Duration alone = baseline.as_captured;
  if (differ(baseline.iteration, baseline.of_captured_steps, sim::kLeastShown) && !shows_profiler(baseline)) {
    return fmt::format(
        "Without changes, a step takes {} in the long run; the captured steps alone take {} (measured {}, {}).",
        to_text(baseline.iteration), to_text(alone), to_text(*baseline.measured), sim::signed_percent(error));
  }
  constexpr double kSame = 0.00005;  // 0.005 %; a smaller difference counts as none
  if (std::abs(error) < kSame) {
    return fmt::format(
        "{} is reproduced exactly because no part of it was modelled; see the self-check of 'stepsim replay'.",
        subject);
  }
  return fmt::format("{} is predicted with an error of {}.", subject, sim::signed_percent(error));
}

}  // namespace

std::string trust_text(const Baseline& baseline, const Assumptions& assumptions) {
  if (!baseline.measured) {
    const Assumption* const machine = find_assumption(assumptions, kMeasuredMachine);
    if (machine != nullptr) return machine->sentence;
    return "No step time was measured, so the error of the prediction is unknown.";
  }
  std::string text = error_text(baseline, assumptions);
  if (shows_profiler(baseline))
    text += fmt::format(" As the job runs, without the profiler, a step takes {}.", to_text(baseline.iteration));
  return text;
}

std::string narrowing_text(const Prediction& prediction) {
  constexpr double kMuch = 0.2;  // below this share, device time without shapes hardly widens the range
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
    return "the range is wide because the captured device is unknown: name a similar one with device.from=NAME";
  if (all <= Duration{} || sim::ratio(by_class, all) < kMuch) return {};
  return fmt::format(
      "{:.0f} % of the device time was recorded without shapes, which widens the range: record with "
      "record_shapes=True and without CUDA graphs",
      100 * sim::ratio(by_class, all));
}

std::string unsettled_text(double unsettled) {
  return fmt::format(
      "kernel times during communication did not converge in 20 replays: another replay would change them by {}",
      sim::percent(unsettled));
}

std::string note_on(const Prediction& prediction) {
  std::string note = narrowing_text(prediction);
  if (prediction.unsettled > 0) note += (note.empty() ? "" : "; ") + unsettled_text(prediction.unsettled);
  return note;
}

}  // namespace stepsim::scenarios
