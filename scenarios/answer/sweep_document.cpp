#include "scenarios/answer/sweep_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/text.h"
#include "scenarios/answer/baseline.h"
#include "scenarios/answer/knee.h"
#include "sim/analysis/intervals.h"
#include "sim/report/throughput.h"

namespace stepsim::scenarios {
namespace {

using sim::ratio;
using stepsim::to_text;

/// Returns "1MiB to 64MiB": the smallest and the largest of values that can be ordered by size.
std::string ends_of(const std::vector<std::string>& values) {
  const std::vector<std::size_t> order = by_size(values);
  return fmt::format("{} to {}", shown(values[order.front()]), shown(values[order.back()]));
}

std::string knee_text(const Points& points, const Knee& knee) {
  const auto& [key, values] = points.axes[knee.axis];
  const double percent = kKneeShare * 100;
  if (knee.whole_axis) {
    const std::string range = ends_of(values);
    return knee.of_workers
               ? fmt::format("throughput per worker hardly depends on {} from {} (under {:.0f} %)", key, range, percent)
               : fmt::format("{} hardly matters from {} (under {:.0f} %)", key, range, percent);
  }
  const Range<std::string>& value = knee.value;
  const std::string range =
      value.low == value.high ? "" : fmt::format(" ({} to {} within the uncertainty)", value.low, value.high);
  if (knee.of_workers) {
    return fmt::format("with {} {} {}{}, a worker keeps at least {:.0f} % of its best throughput", key,
                       knee.upwards ? "from" : "up to", value.mid, range, 100 - percent);
  }
  return fmt::format("{} {} {} {}{} saves less than {:.0f} %", knee.upwards ? "increasing" : "decreasing", key,
                     knee.upwards ? "beyond" : "below", value.mid, range, percent);
}

/// Returns a text that says why an axis of the sweep has no knee, the value from which changes hardly help. Empty for
/// an axis with one value or without an order.
std::string no_knee_text(const Points& points, const AxisWithoutKnee& axis) {
  const std::string key = shown(points.axes[axis.axis].key);
  const std::string best = shown(axis.best);
  switch (axis.why) {
    case NoKnee::kOneValue: return {};
    case NoKnee::kNoOrder:
      // Nothing is said about an axis whose values are words, because nobody expects words to have an order. The text
      // below is for numbers that cannot be compared, for example factors and rates on one axis.
      if (!magnitude_of(axis.best)) return {};
      return fmt::format("where {} stops mattering is unknown, because its values are not all of one unit", key);
    case NoKnee::kMissing:
      return fmt::format("where {} stops mattering is unknown, because some points have no answer", key);
    case NoKnee::kLastBuys:
      if (axis.of_workers) {
        return fmt::format("throughput per worker is highest at {}={} and at least {:.0f} % lower at the next value",
                           key, best, kKneeShare * 100);
      }
      return fmt::format("changing {} to {}, the end of its range, still saves {:.0f} % or more", key, best,
                         kKneeShare * 100);
    case NoKnee::kBestBetween: return fmt::format("{} is best at {}, with worse values on both sides", key, best);
    case NoKnee::kUneven: return fmt::format("the step time goes up and down with {}", key);
  }
  return {};
}

std::string knees_text(const SweepAnswer& answer) {
  const Points& points = answer.head.points;
  std::string text;
  for (const Knee& knee : knees(points, answer.outcomes)) text += "; " + knee_text(points, knee);
  for (const AxisWithoutKnee& axis : axes_without_knee(points, answer.outcomes)) {
    const std::string reason = no_knee_text(points, axis);
    if (!reason.empty()) text += "; " + reason;
  }
  return text;
}

/// Returns "1,234 samples/s, 38.6 per device (93.0 % of the baseline's 41.5), ". Empty if the batch size is unknown and
/// the work of a step is the same at all points, because the step times then contain the same information.
std::string rates_text(const SweepAnswer& answer, const Outcome& outcome) {
  if (!work_differs(answer) && !answer.head.work.batch_size) return {};
  const sim::StepWork work = work_at(answer, outcome);
  return fmt::format("{} {}, {} per device ({:.1f} % of the baseline's {}), ",
                     sim::rate_text(sim::rate_in_all(work, outcome.iteration->mid)), sim::unit_of(work),
                     sim::rate_text(sim::rate_of_device(work, outcome.iteration->mid)),
                     efficiency_of(answer, outcome) * 100,
                     sim::rate_text(sim::rate_of_device(answer.head.work, answer.head.baseline.iteration)));
}

/// True if a point has a higher throughput than the captured job.
bool is_faster(const SweepAnswer& answer, const Outcome& outcome) {
  return sim::rate_in_all(work_at(answer, outcome), outcome.iteration->mid) >
         sim::rate_in_all(answer.head.work, answer.head.baseline.iteration);
}

/// Returns " (as fast: device.to=H200)", the points that take as long as `best`; empty if none does.
std::string ties_text(const SweepAnswer& answer, std::size_t best) {
  constexpr std::size_t kMostNamed = 3;
  const Outcome& outcome = answer.outcomes[best];
  std::string names;
  std::size_t ties = 0;
  for (std::size_t point = 0; point < answer.outcomes.size(); ++point) {
    const Outcome& other = answer.outcomes[point];
    if (point == best || !other.iteration || work_at(answer, other) != work_at(answer, outcome)) continue;
    if (std::abs(sim::ratio(other.iteration->mid - outcome.iteration->mid, outcome.iteration->mid)) >= sim::kLeastShown)
      continue;
    if (++ties <= kMostNamed) add_item(names, to_text(answer.head.points.at(point)));
  }
  if (ties > kMostNamed) names += fmt::format(" and {} more", ties - kMostNamed);
  return ties == 0 ? "" : fmt::format(" (as fast: {})", names);
}

/// True if each point that could be predicted takes as long as the captured job, for the same work.
bool changes_nothing(const SweepAnswer& answer) {
  return std::ranges::all_of(answer.outcomes, [&answer](const Outcome& outcome) {
    if (!outcome.iteration) return true;
    return work_at(answer, outcome) == answer.head.work && std::abs(change_of(answer, outcome)) < sim::kLeastShown;
  });
}

/// Returns "; 3 points do not fit in memory" and what is uncertain about the best point; empty if there is nothing to
/// say.
std::string memory_text(const SweepAnswer& answer, const Outcome& best) {
  const auto failing = std::ranges::count_if(answer.outcomes, &Outcome::does_not_fit);
  std::string text;
  if (failing == std::ssize(answer.outcomes)) return "; no point fits in memory";
  if (failing > 0) {
    text = fmt::format("; {} {} not fit in memory", counted(static_cast<std::size_t>(failing), "point"),
                       failing == 1 ? "does" : "do");
  }
  if (const std::string doubt = best.memory ? doubt_text(*best.memory) : ""; !doubt.empty())
    text += "; the best " + doubt;
  return text;
}

std::string headline(const SweepAnswer& answer, std::size_t best) {
  const SweepHead& head = answer.head;
  const Outcome& outcome = answer.outcomes[best];
  const Duration time = outcome.iteration->mid;
  if (changes_nothing(answer)) {
    return fmt::format("None of {} changes the step time of {} by 0.1 % or more{}{}{}. {}",
                       counted(answer.outcomes.size(), "point"),
                       with_range(time, outcome.iteration->low, outcome.iteration->high), memory_text(answer, outcome),
                       knees_text(answer), outcome.note.empty() ? "" : "; " + outcome.note,
                       trust_text(head.baseline, head.assumptions));
  }
  return fmt::format("Best of {}: {}{}: {}step time {}, {}{}{}{}{}{}. {}", counted(answer.outcomes.size(), "point"),
                     to_text(head.points.at(best)), ties_text(answer, best), rates_text(answer, outcome),
                     with_range(time, outcome.iteration->low, outcome.iteration->high),
                     against_baseline(time, head.baseline.iteration), data_sheet_text(outcome.by_data_sheet),
                     is_faster(answer, outcome) ? "" : "; no point is faster than the baseline",
                     memory_text(answer, outcome), knees_text(answer), outcome.note.empty() ? "" : "; " + outcome.note,
                     trust_text(head.baseline, head.assumptions));
}

void add_memory_numbers(const std::optional<MemoryNeed>& need, std::vector<sim::Cell>& cells) {
  const auto bytes = [](const std::optional<Bytes>& size) { return size ? std::to_string(size->count()) : ""; };
  const std::optional<Fit> fit = need ? need->fits() : std::nullopt;
  cells.emplace_back(need ? bytes(need->peak.mid) : "");
  cells.emplace_back(need ? bytes(need->capacity) : "");
  cells.emplace_back(fit ? std::string(word_of(*fit)) : "");
}

/// Returns one row per point, for programs. Gives the ratio to the baseline, which is never negative, instead of the
/// change.
sim::Table rows_of(const SweepAnswer& answer) {
  const std::vector<std::string> keys = keys_of(answer.head.points);
  std::vector<sim::Column> columns;
  columns.reserve(keys.size());
  for (const std::string& key : keys) columns.push_back({key});
  columns.insert(columns.end(), {{"iteration_ns"},
                                 {"low_ns"},
                                 {"high_ns"},
                                 {"baseline_ns"},
                                 {"ratio"},
                                 {"per_second"},
                                 {"efficiency"},
                                 {"problem"}});
  const bool memory =
      std::ranges::any_of(answer.outcomes, [](const Outcome& outcome) { return outcome.memory.has_value(); });
  if (memory) columns.insert(columns.end() - 1, {{"peak_bytes"}, {"capacity_bytes"}, {"fits"}});
  const bool data_sheet = shows_data_sheet(answer);
  if (data_sheet) columns.insert(columns.end() - 1, {{"by_data_sheet_ns"}});
  sim::Table table(std::move(columns));
  for (std::size_t point = 0; point < answer.outcomes.size(); ++point) {
    const Outcome& outcome = answer.outcomes[point];
    const Range<Duration> step = outcome.iteration.value_or(Range<Duration>{});
    const auto predicted = [&outcome](Duration time) { return outcome.iteration ? sim::nanoseconds_cell(time) : ""; };
    std::vector<sim::Cell> cells;
    for (std::string& value : values_of(answer.head.points, point, keys)) cells.emplace_back(std::move(value));
    cells.push_back(predicted(step.mid));
    cells.push_back(predicted(step.low));
    cells.push_back(predicted(step.high));
    cells.push_back(sim::nanoseconds_cell(answer.head.baseline.iteration));
    cells.push_back(outcome.iteration ? sim::number_cell(1 + change_of(answer, outcome)) : "");
    const auto rate = [&] { return sim::rate_in_all(work_at(answer, outcome), outcome.iteration->mid); };
    cells.push_back(outcome.iteration ? sim::number_cell(rate()) : "");
    cells.push_back(outcome.iteration ? sim::number_cell(efficiency_of(answer, outcome)) : "");
    if (memory) add_memory_numbers(outcome.memory, cells);
    if (data_sheet) cells.push_back(outcome.by_data_sheet ? sim::nanoseconds_cell(*outcome.by_data_sheet) : "");
    cells.emplace_back(outcome.problem);
    table.add_row(std::move(cells));
  }
  return table;
}

/// Returns a plot of the step times. For a grid, the last axis of the sweep is horizontal, and there is one line for
/// each combination of values of the other axes. A list of points is a single line.
sim::Plot plot_of(const SweepAnswer& answer) {
  const Points& points = answer.head.points;
  sim::Plot plot{.title = "Step time",
                 .x = keys_of(points).size() > 1 && points.axes.empty() ? "" : keys_of(points).back(),
                 .y = "iteration_ns",
                 .low = "low_ns",
                 .high = "high_ns",
                 .baseline = "baseline_ns"};
  for (const Knee& knee : knees(points, answer.outcomes)) {
    if (knee.whole_axis) continue;
    const Range<std::string>& value = knee.value;
    const std::string range = value.low == value.high ? "" : fmt::format(" ({} to {})", value.low, value.high);
    plot.title += fmt::format("; knee of {}: {}{}", points.axes[knee.axis].key, value.mid, range);
    if (points.axes[knee.axis].key != plot.x) continue;
    plot.mark_name = "knee";
    plot.mark = value.mid;
    plot.mark_from = value.low;
    plot.mark_to = value.high;
  }
  plot.points_a_line = points.axes.empty() ? points.size() : points.axes.back().values.size();
  for (std::size_t first = 0; first < points.size(); first += plot.points_a_line) {
    std::vector<Setting> of_line;
    if (!points.axes.empty()) {
      of_line = points.at(first);
      of_line.pop_back();
    }
    plot.lines.push_back(to_text(of_line));
  }
  return plot;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> entries_of(const std::vector<Setting>& settings) {
  std::vector<std::pair<std::string, std::string>> entries;
  entries.reserve(settings.size());
  for (const Setting& setting : settings) entries.emplace_back(setting.key, setting.value);
  return entries;
}

bool shows_data_sheet(const SweepAnswer& answer) {
  return std::ranges::any_of(answer.outcomes, [](const Outcome& outcome) { return outcome.by_data_sheet.has_value(); });
}

std::vector<std::string> keys_of(const Points& points) {
  std::vector<std::string> keys;
  for (const Points::Axis& axis : points.axes) keys.push_back(axis.key);
  for (const std::vector<Setting>& point : points.listed) {
    for (const Setting& setting : point) {
      if (std::find(keys.begin(), keys.end(), setting.key) == keys.end()) keys.push_back(setting.key);
    }
  }
  return keys;
}

std::vector<std::string> values_of(const Points& points, std::size_t point, const std::vector<std::string>& keys) {
  std::vector<std::string> values(keys.size());
  for (const Setting& setting : points.at(point)) {
    values[static_cast<std::size_t>(std::find(keys.begin(), keys.end(), setting.key) - keys.begin())] = setting.value;
  }
  return values;
}

double change_of(const SweepAnswer& answer, const Outcome& outcome) {
  return ratio(outcome.iteration->mid - answer.head.baseline.iteration, answer.head.baseline.iteration);
}

sim::StepWork work_at(const SweepAnswer& answer, const Outcome& outcome) {
  sim::StepWork work = answer.head.work;
  work.workers = outcome.workers;
  work.batches = outcome.batches;
  work.devices = outcome.devices;
  return work;
}

bool work_differs(const SweepAnswer& answer) {
  return std::any_of(answer.outcomes.begin(), answer.outcomes.end(), [&answer](const Outcome& outcome) {
    return outcome.iteration && work_at(answer, outcome) != answer.head.work;
  });
}

double efficiency_of(const SweepAnswer& answer, const Outcome& outcome) {
  const SweepHead& head = answer.head;
  return sim::efficiency(work_at(answer, outcome), outcome.iteration->mid, head.work, head.baseline.iteration);
}

sim::Document sweep_document(const SweepAnswer& answer) {
  sim::Document document{.warning = answer.head.trust.warning,
                         .headline = headline(answer, *best_point(answer.outcomes)),
                         .caution = answer.head.trust.caution,
                         .trust = answer.head.trust.evidence};
  sim::add_sections(document, sweep_reports(), answer);
  document.rows = [&answer] { return rows_of(answer); };
  document.plot = plot_of(answer);
  document.json = [&answer](sim::JsonWriter& json) {
    sim::write_object(json, "stepsim.sweep/1", sweep_reports(), answer, answer.head.provenance);
  };
  return document;
}

sim::AnswerSchema sweep_schema() { return sim::schema_of("stepsim.sweep/1", sweep_reports()); }

}  // namespace stepsim::scenarios
