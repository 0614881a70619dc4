#include "scenarios/answer/sweep_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/answer/knee.h"
#include "scenarios/answer/trust_text.h"
#include "sim/report/intervals.h"

namespace stepsim::scenarios {
namespace {

using sim::ratio;
using stepsim::to_text;

std::string knee_text(const Points& points, const Knee& knee) {
  const std::string& key = points.axes[knee.axis].key;
  const double percent = kKneeShare * 100;
  if (knee.whole_axis) return fmt::format("no value of {} buys {:.0f} %", key, percent);
  const std::string range = knee.from == knee.to ? "" : fmt::format(", from {} to {}", knee.from, knee.to);
  return knee.upwards
             ? fmt::format("beyond {}={} (the knee{}) more buys less than {:.0f} %", key, knee.value, range, percent)
             : fmt::format("below {}={} (the knee{}) less buys less than {:.0f} %", key, knee.value, range, percent);
}

std::string knees_text(const SweepAnswer& answer) {
  const Points& points = answer.head.points;
  if (points.axes.empty()) return {};
  std::string text;
  for (const Knee& knee : knees(points, answer.outcomes)) text += "; " + knee_text(points, knee);
  return text.empty()
             ? fmt::format("; there is no knee: each axis buys {:.0f} % or more up to its last value", kKneeShare * 100)
             : text;
}

std::string trust_of(const SweepHead& head) {
  if (!head.measured) return "nothing was measured to hold the predictions against";
  return trust_text("measured", *head.measured, ratio(head.baseline - *head.measured, *head.measured),
                    head.assumptions);
}

std::string headline(const SweepAnswer& answer, std::size_t best) {
  const SweepHead& head = answer.head;
  const Outcome& outcome = answer.outcomes[best];
  const Duration time = *outcome.iteration;
  return fmt::format(
      "Of {} points the best is {}: an iteration takes {}, from {} to {}, instead of {} ({:+.1f} %){}; {}.",
      answer.outcomes.size(), to_text(head.points.at(best)), to_text(time), to_text(outcome.low), to_text(outcome.high),
      to_text(head.baseline), ratio(time - head.baseline, head.baseline) * 100, knees_text(answer), trust_of(head));
}

/// One row a point, for programs. No figure is negative: the ratio stands in for the change.
sim::Table rows_of(const SweepAnswer& answer) {
  const std::vector<std::string> keys = keys_of(answer.head.points);
  std::vector<sim::Column> columns;
  columns.reserve(keys.size());
  for (const std::string& key : keys) columns.push_back({key});
  columns.insert(columns.end(), {{"iteration_ns"}, {"low_ns"}, {"high_ns"}, {"baseline_ns"}, {"ratio"}, {"problem"}});
  sim::Table table(std::move(columns));
  for (std::size_t point = 0; point < answer.outcomes.size(); ++point) {
    const Outcome& outcome = answer.outcomes[point];
    std::vector<std::string> cells = values_of(answer.head.points, point, keys);
    cells.push_back(outcome.iteration ? std::to_string(outcome.iteration->count()) : "");
    cells.push_back(outcome.iteration ? std::to_string(outcome.low.count()) : "");
    cells.push_back(outcome.iteration ? std::to_string(outcome.high.count()) : "");
    cells.push_back(std::to_string(answer.head.baseline.count()));
    cells.push_back(outcome.iteration ? fmt::format("{}", 1 + change_of(answer, outcome)) : "");
    cells.push_back(outcome.problem);
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace

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
  return ratio(*outcome.iteration - answer.head.baseline, answer.head.baseline);
}

sim::Document sweep_document(const SweepAnswer& answer) {
  sim::Document document{.warning = answer.head.warning, .headline = headline(answer, *best_point(answer.outcomes))};
  sim::add_sections(document, sweep_reports(), answer);
  document.rows = [&answer] { return rows_of(answer); };
  document.json = [&answer](sim::JsonWriter& json) {
    sim::write_object(json, "stepsim.sweep/1", sweep_reports(), answer, answer.head.provenance);
  };
  return document;
}

}  // namespace stepsim::scenarios
