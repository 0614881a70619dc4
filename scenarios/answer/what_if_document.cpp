#include "scenarios/answer/what_if_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "model/base/text.h"
#include "model/cost/device/device_work.h"
#include "scenarios/answer/baseline.h"
#include "scenarios/answer/why.h"
#include "sim/analysis/intervals.h"
#include "sim/report/headline.h"
#include "sim/report/throughput.h"

namespace stepsim::scenarios {
namespace {

using sim::Align;
using sim::ratio;

/// Returns the beginning of the first line of the answer. It states if there are no changes, because the answer would
/// otherwise look as if the changes had no effect.
std::string condition(const WhatIfAnswer& answer) {
  if (answer.changes.empty()) return "No changes (give some with --set or -s): step time";
  return answer.name.empty() ? std::string("Step time") : fmt::format("Scenario '{}': step time", shown(answer.name));
}

/// Returns "; 246.1 samples/s instead of 123.4 (+99.4 %)". Empty if the batch size is unknown and the work of a step is
/// unchanged, because the step times then contain the same information.
std::string rates_text(const WhatIfAnswer& answer) {
  const sim::StepWork& work = answer.baseline.work;
  if (!work.batch_size && answer.scenario.work == work) return {};
  const double before = sim::rate_in_all(work, answer.baseline.prediction.iteration);
  const double after = sim::rate_in_all(answer.scenario.work, answer.scenario.prediction.iteration);
  if (!(before > 0)) return {};
  return fmt::format("; {} {} instead of {} ({})", sim::rate_text(after), sim::unit_of(work), sim::rate_text(before),
                     sim::signed_percent(after / before - 1));
}

/// Returns "Step time 46.17 ms (44.2 to 48.9 ms), 3.6 % less than the baseline's 47.88 ms". If the captured steps
/// differ much, the change of their mean comes first, because a typical step may not have what the change removes.
std::string times_text(const WhatIfAnswer& answer) {
  const Duration before = answer.baseline.prediction.iteration;
  const Duration after = answer.scenario.prediction.iteration;
  if (!answer.steps_differ) {
    return fmt::format("{} {}, {}", condition(answer), with_range(after, answer.interval.low, answer.interval.high),
                       against_baseline(after, before));
  }
  const Duration mean = answer.baseline.summary.iteration.mean;
  const auto changed = [&](double change) { return scaled(mean, 1 + change); };
  const Range<double>& change = answer.effect.mean;
  return fmt::format("{} {} on average, {}; typically {} instead of {}", condition(answer),
                     with_range(changed(change.mid), changed(change.low), changed(change.high)),
                     against_baseline(changed(change.mid), mean), to_text(after), to_text(before));
}

/// Returns what to give, if one measured step would narrow the range most: if no part of the machine was measured, and
/// the widest source of the range is one that `stepsim calibrate --measured` corrects.
std::string asks_for_a_step(const WhatIfAnswer& answer) {
  constexpr std::array<std::string_view, 4> kCorrected{"modelled kernels", "modelled calls", "device", "nccl"};
  const auto width = [](const RangeSource<Duration>& source) { return source.high - source.low; };
  const std::vector<RangeSource<Duration>>& sources = answer.interval.sources;
  if (answer.by_data_sheet || !is_modelled_step(*answer.capture) || sources.empty()) return {};
  const auto widest = std::max_element(sources.begin(), sources.end(),
                                       [&](const auto& a, const auto& b) { return width(a) < width(b); });
  if (std::find(kCorrected.begin(), kCorrected.end(), widest->name) == kCorrected.end()) return {};
  return " To narrow the range most, give one measured step (stepsim help calibrate).";
}

std::string headline(const WhatIfAnswer& answer) {
  std::string times = times_text(answer) + data_sheet_text(answer.by_data_sheet) + rates_text(answer);
  if (const std::string doubt = answer.memory.need ? doubt_text(*answer.memory.need) : ""; !doubt.empty())
    times += "; " + doubt;
  if (const std::string narrowing = narrowing_text(answer.scenario.prediction); !narrowing.empty())
    times += "; " + narrowing;
  return fmt::format("{}. {}{}", times, trust_text(answer.captured, answer.assumptions), asks_for_a_step(answer));
}

/// Returns one row per duration of the answer, in whole nanoseconds, for programs. Gives the ratio of the two replays,
/// which is never negative, instead of their difference.
sim::Table rows_of(const WhatIfAnswer& answer) {
  sim::Table table({{"part", Align::kLeft}, {"what", Align::kLeft}, {"baseline_ns"}, {"scenario_ns"}, {"ratio"}});
  const auto add = [&table](std::string_view part, const ComparedTime& time) {
    const bool nothing = time.before == Duration{};
    table.add_row({std::string(part), std::string(time.id), sim::nanoseconds_cell(time.before),
                   sim::nanoseconds_cell(time.after),
                   nothing ? "" : sim::number_cell(1 + ratio(time.after - time.before, time.before))});
  };
  const Duration base = answer.baseline.prediction.iteration;
  add("answer", {"iteration", "", false, base, answer.scenario.prediction.iteration});
  add("answer", {"low", "", false, base, answer.interval.low});
  add("answer", {"high", "", false, base, answer.interval.high});
  for (const ComparedTime& time : compared_breakdowns(answer)) add("slowest rank", time);
  for (const ComparedTime& time : compared_paths(answer)) add("critical path", time);
  for (const DeviceShare& found : answer.scenario.prediction.shares) {
    for (std::size_t i = 0; i < kScaledByCount; ++i) {
      const ScaledShare::Part& part = found.share.by[i];
      if (part.pieces == 0) continue;
      add("device work under " + found.change, {to_text(static_cast<ScaledBy>(i)), "", false, part.before, part.after});
    }
  }
  return table;
}

}  // namespace

sim::Document what_if_document(const WhatIfAnswer& answer, const sim::Provenance& provenance) {
  sim::Document document{.warning = answer.trust.warning,
                         .headline = headline(answer),
                         .caution = answer.trust.caution,
                         .trust = answer.trust.evidence};
  sim::add_sections(document, what_if_reports(), answer);
  document.rows = [&answer] { return rows_of(answer); };
  document.json = [&answer, &provenance](sim::JsonWriter& json) {
    sim::write_object(json, "stepsim.whatif/1", what_if_reports(), answer, provenance);
  };
  return document;
}

sim::AnswerSchema what_if_schema() { return sim::schema_of("stepsim.whatif/1", what_if_reports()); }

}  // namespace stepsim::scenarios
