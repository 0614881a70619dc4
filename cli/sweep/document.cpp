#include <fmt/format.h>

#include <algorithm>

#include "cli/report/json_parts.h"
#include "cli/sweep/answer.h"
#include "model/base/text.h"
#include "scenarios/answer/knee.h"

namespace stepsim::cli {
namespace {

using scenarios::Knee;
using scenarios::Outcome;
using scenarios::Points;
using scenarios::Setting;
using sim::Align;
using sim::Column;
using sim::Table;

double relative(Duration value, Duration base) {
  return base == Duration{} ? 0.0 : static_cast<double>((value - base).count()) / static_cast<double>(base.count());
}

std::string knee_text(const Points& points, const Knee& knee) {
  const std::string& key = points.axes[knee.axis].key;
  const double percent = scenarios::kKneeShare * 100;
  if (knee.whole_axis) return fmt::format("no value of {} buys {:.0f} %", key, percent);
  return knee.upwards ? fmt::format("beyond {}={} (the knee) more buys less than {:.0f} %", key, knee.value, percent)
                      : fmt::format("below {}={} (the knee) less buys less than {:.0f} %", key, knee.value, percent);
}

std::string knees_text(const SweepAnswer& answer) {
  const Points& points = answer.head.points;
  if (points.axes.empty()) return {};
  std::string text;
  for (const Knee& knee : scenarios::knees(points, answer.outcomes)) text += "; " + knee_text(points, knee);
  return text.empty() ? fmt::format("; there is no knee: each axis buys {:.0f} % or more up to its last value",
                                    scenarios::kKneeShare * 100)
                      : text;
}

std::string trust_text(const SweepHead& head) {
  if (!head.measured) return "nothing was measured to hold the predictions against";
  return fmt::format("the captured iteration of {} is predicted with an error of {:+.2f} %", to_text(*head.measured),
                     relative(head.baseline, *head.measured) * 100);
}

std::string headline(const SweepAnswer& answer, std::size_t best) {
  const SweepHead& head = answer.head;
  const Duration time = *answer.outcomes[best].iteration;
  return fmt::format("Of {} points the best is {}: an iteration takes {} instead of {} ({:+.1f} %){}; {}.",
                     answer.outcomes.size(), scenarios::to_text(head.points.at(best)), to_text(time),
                     to_text(head.baseline), relative(time, head.baseline) * 100, knees_text(answer), trust_text(head));
}

constexpr std::size_t kMostColumns = 10;

bool is_matrix(const Points& points) { return points.axes.size() == 2 && points.axes[1].values.size() <= kMostColumns; }

std::string time_text(const Outcome& outcome) { return outcome.iteration ? to_text(*outcome.iteration) : "-"; }

/// Rows are the first axis, columns the second.
Table matrix_of(const SweepAnswer& answer, std::size_t best) {
  const Points& points = answer.head.points;
  std::vector<Column> columns{{points.axes[0].key + " \\ " + points.axes[1].key, Align::kLeft}};
  for (const std::string& value : points.axes[1].values) columns.push_back({shown(value)});
  Table table(std::move(columns));
  for (std::size_t row = 0; row < points.axes[0].values.size(); ++row) {
    std::vector<std::string> cells{points.axes[0].values[row]};
    for (std::size_t column = 0; column < points.axes[1].values.size(); ++column) {
      const std::size_t point = row * points.stride(0) + column;
      cells.push_back(fmt::format("{}{}", point == best ? "* " : "", time_text(answer.outcomes[point])));
    }
    table.add_row(std::move(cells));
  }
  return table;
}

/// The keys of all points, in the order in which they come.
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

/// A point's value of each key; nothing where it does not set one.
std::vector<std::string> values_of(const Points& points, std::size_t point, const std::vector<std::string>& keys) {
  std::vector<std::string> values(keys.size());
  for (const Setting& setting : points.at(point)) {
    values[static_cast<std::size_t>(std::find(keys.begin(), keys.end(), setting.key) - keys.begin())] = setting.value;
  }
  return values;
}

/// One row a point, for people.
Table list_of(const SweepAnswer& answer, std::size_t best) {
  const std::vector<std::string> keys = keys_of(answer.head.points);
  std::vector<Column> columns{{""}};
  for (const std::string& key : keys) columns.push_back({shown(key)});
  columns.insert(columns.end(), {{"iteration"}, {"change"}});
  Table table(std::move(columns));
  for (std::size_t point = 0; point < answer.outcomes.size(); ++point) {
    const Outcome& outcome = answer.outcomes[point];
    std::vector<std::string> cells = values_of(answer.head.points, point, keys);
    cells.insert(cells.begin(), point == best ? "*" : "");
    cells.push_back(time_text(outcome));
    cells.push_back(outcome.iteration ? sim::signed_percent(relative(*outcome.iteration, answer.head.baseline)) : "-");
    table.add_row(std::move(cells));
  }
  return table;
}

/// One row a point, for programs. No figure is negative: the ratio stands in for the change.
Table rows_of(const SweepAnswer& answer) {
  const std::vector<std::string> keys = keys_of(answer.head.points);
  std::vector<Column> columns;
  columns.reserve(keys.size());
  for (const std::string& key : keys) columns.push_back({key});
  columns.insert(columns.end(), {{"iteration_ns"}, {"baseline_ns"}, {"ratio"}, {"problem"}});
  Table table(std::move(columns));
  for (std::size_t point = 0; point < answer.outcomes.size(); ++point) {
    const Outcome& outcome = answer.outcomes[point];
    std::vector<std::string> cells = values_of(answer.head.points, point, keys);
    cells.push_back(outcome.iteration ? std::to_string(outcome.iteration->count()) : "");
    cells.push_back(std::to_string(answer.head.baseline.count()));
    cells.push_back(outcome.iteration ? fmt::format("{}", 1 + relative(*outcome.iteration, answer.head.baseline)) : "");
    cells.push_back(outcome.problem);
    table.add_row(std::move(cells));
  }
  return table;
}

std::vector<std::string> problems_of(const SweepAnswer& answer) {
  std::vector<std::string> problems;
  for (std::size_t point = 0; point < answer.outcomes.size(); ++point) {
    if (answer.outcomes[point].iteration) continue;
    problems.push_back(scenarios::to_text(answer.head.points.at(point)) + ": " + answer.outcomes[point].problem);
  }
  return problems;
}

void write_settings(JsonWriter& json, const std::vector<Setting>& settings) {
  json.key("set").begin_object();
  for (const Setting& setting : settings) json.key(setting.key).value(setting.value);
  json.end_object();
}

void write_point(JsonWriter& json, const SweepAnswer& answer, std::size_t point) {
  const Outcome& outcome = answer.outcomes[point];
  json.new_line().begin_object();
  write_settings(json, answer.head.points.at(point));
  if (outcome.iteration) {
    write_duration(json, "iteration_ns", *outcome.iteration);
    json.key("change").value(relative(*outcome.iteration, answer.head.baseline));
  } else {
    json.key("iteration_ns").null().key("change").null().key("problem").value(outcome.problem);
  }
  json.end_object();
}

void write_best(JsonWriter& json, const SweepAnswer& answer, std::size_t best) {
  json.key("best");
  write_point(json, answer, best);
  json.new_line().key("knees").begin_array();
  for (const Knee& knee : scenarios::knees(answer.head.points, answer.outcomes)) {
    json.begin_object().key("key").value(answer.head.points.axes[knee.axis].key).key("value").value(knee.value);
    json.key("flat").value(knee.whole_axis ? "everywhere" : knee.upwards ? "above" : "below").end_object();
  }
  json.end_array().new_line();
}

void write_baseline(JsonWriter& json, const SweepHead& head) {
  json.key("baseline").begin_object();
  write_duration(json, "iteration_ns", head.baseline);
  json.key("measured_ns");
  head.measured ? json.value(head.measured->count()) : json.null();
  json.key("error");
  head.measured ? json.value(relative(head.baseline, *head.measured)) : json.null();
  json.end_object().new_line();
}

void write_json(JsonWriter& json, const SweepAnswer& answer, std::size_t best) {
  const SweepHead& head = answer.head;
  begin(json, "stepsim.sweep/1");
  json.key("name").value(head.name).new_line();
  write_baseline(json, head);
  write_best(json, answer, best);
  json.key("points").begin_array();
  for (std::size_t point = 0; point < answer.outcomes.size(); ++point) write_point(json, answer, point);
  json.end_array().new_line().key("changes").begin_array();
  for (const std::string& change : head.changes) json.value(change);
  json.end_array().new_line();
  json.key("network").begin_object().key("model").value(head.network).end_object().new_line();
  write_assumptions(json, head.assumptions);
  write_provenance(json, head.provenance);
  json.end_object();
}

}  // namespace

sim::Document sweep_document(const SweepAnswer& answer) {
  const std::size_t best = *scenarios::best_point(answer.outcomes);
  sim::Document document{.headline = headline(answer, best)};
  const bool matrix = is_matrix(answer.head.points);
  document.sections.push_back(
      {"Iteration times; * is the best", matrix ? matrix_of(answer, best) : list_of(answer, best), {}});
  const auto add = [&document](std::string_view title, const std::vector<std::string>& sentences) {
    if (!sentences.empty()) document.sections.push_back({std::string(title), std::nullopt, sentences});
  };
  add("Points that cannot be had", problems_of(answer));
  add("Changes of every point", answer.head.changes);
  add("Assumptions", sentences_of(answer.head.assumptions));
  document.rows = rows_of(answer);
  document.json = [&answer, best](JsonWriter& json) { write_json(json, answer, best); };
  document.origin = origin_line(answer.head.provenance);
  return document;
}

}  // namespace stepsim::cli
