// The iteration at every point: a matrix of a grid of two axes, else a list; for programs also the best
// point and the knees.

#include <fmt/format.h>

#include <utility>

#include "model/base/text.h"
#include "scenarios/answer/knee.h"
#include "scenarios/answer/sweep_document.h"
#include "sim/analysis/intervals.h"
#include "sim/report/throughput.h"

namespace stepsim::scenarios {
namespace {

using sim::Align;
using sim::Column;
using sim::JsonWriter;
using sim::ratio;
using sim::Table;
using stepsim::to_text;

constexpr std::size_t kMostColumns = 10;

bool is_matrix(const Points& points) { return points.axes.size() == 2 && points.axes[1].values.size() <= kMostColumns; }

sim::Cell time_cell(const Outcome& outcome, bool is_best) {
  if (!outcome.iteration) return "-";
  return {fmt::format("{}{}", is_best ? "* " : "", to_text(*outcome.iteration)), outcome.iteration->count(),
          sim::Unit::kNanoseconds};
}

/// How far the iteration may be less and more: "-2.1 +3.4 %".
sim::Cell range_cell(const Outcome& outcome, bool /*is_best*/) {
  if (!outcome.iteration) return "-";
  return fmt::format("{} {} %",
                     sim::signed_number(100 * ratio(outcome.low - *outcome.iteration, *outcome.iteration), 1),
                     sim::signed_number(100 * ratio(outcome.high - *outcome.iteration, *outcome.iteration), 1));
}

/// Rows are the first axis, columns the second.
Table matrix_of(const SweepAnswer& answer, std::size_t best,
                sim::Cell (*cell_of)(const Outcome& outcome, bool is_best)) {
  const Points& points = answer.head.points;
  std::vector<Column> columns{{points.axes[0].key + " \\ " + points.axes[1].key, Align::kLeft}};
  for (const std::string& value : points.axes[1].values) columns.push_back({shown(value)});
  Table table(std::move(columns));
  table.compare_times();
  for (std::size_t row = 0; row < points.axes[0].values.size(); ++row) {
    std::vector<sim::Cell> cells{points.axes[0].values[row]};
    for (std::size_t column = 0; column < points.axes[1].values.size(); ++column) {
      const std::size_t point = row * points.stride(0) + column;
      cells.push_back(cell_of(answer.outcomes[point], point == best));
    }
    table.add_row(std::move(cells));
  }
  return table;
}

/// Whether rates say more than times.
bool shows_rates(const SweepAnswer& answer) { return answer.head.work.batch_size || work_differs(answer); }

void add_rates(const SweepAnswer& answer, const Outcome& outcome, std::vector<sim::Cell>& cells) {
  if (!outcome.iteration) {
    cells.insert(cells.end(), 3, sim::Cell("-"));
    return;
  }
  const sim::StepWork work = work_at(answer, outcome);
  cells.push_back(sim::rate_cell(sim::rate_in_all(work, *outcome.iteration)));
  cells.push_back(sim::rate_cell(sim::rate_of_device(work, *outcome.iteration)));
  cells.push_back(sim::percent_cell(efficiency_of(answer, outcome)));
}

/// One row a point, for people.
Table list_of(const SweepAnswer& answer, std::size_t best) {
  const std::vector<std::string> keys = keys_of(answer.head.points);
  std::vector<Column> columns{{""}};
  for (const std::string& key : keys) columns.push_back({shown(key)});
  columns.insert(columns.end(), {{"iteration"},
                                 {"from", Align::kRight, sim::Use::kDetail},
                                 {"to", Align::kRight, sim::Use::kDetail},
                                 {"change", Align::kRight, sim::Use::kHelp}});
  const bool rates = shows_rates(answer);
  if (rates)
    columns.insert(columns.end(), {{std::string(sim::unit_of(answer.head.work))}, {"a device"}, {"efficiency"}});
  Table table(std::move(columns));
  table.compare_times();
  for (std::size_t point = 0; point < answer.outcomes.size(); ++point) {
    const Outcome& outcome = answer.outcomes[point];
    const auto predicted = [&outcome](Duration time) { return outcome.iteration ? sim::Cell{time} : "-"; };
    std::vector<sim::Cell> cells{point == best ? "*" : ""};
    for (std::string& value : values_of(answer.head.points, point, keys)) cells.emplace_back(std::move(value));
    cells.push_back(predicted(outcome.iteration.value_or(Duration{})));
    cells.push_back(predicted(outcome.low));
    cells.push_back(predicted(outcome.high));
    cells.push_back(outcome.iteration ? sim::signed_percent_cell(change_of(answer, outcome)) : "-");
    if (rates) add_rates(answer, outcome, cells);
    table.add_row(std::move(cells));
  }
  return table;
}

std::vector<sim::Section> sweep_points_sections(const SweepAnswer& answer) {
  const std::size_t best = *best_point(answer.outcomes);
  if (!is_matrix(answer.head.points) || shows_rates(answer))
    return {{.title = "Iteration times and their ranges; * is the best", .table = list_of(answer, best)}};
  return {{.title = "Iteration times; * is the best", .table = matrix_of(answer, best, time_cell)},
          {.title = "How much less and more they may be", .table = matrix_of(answer, best, range_cell)}};
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
    json.key("iteration_ns").value(*outcome.iteration);
    json.key("low_ns").value(outcome.low).key("high_ns").value(outcome.high);
    json.key("change").value(change_of(answer, outcome));
    json.key("throughput");
    sim::begin_throughput(json, work_at(answer, outcome), *outcome.iteration);
    json.key("efficiency").value(efficiency_of(answer, outcome)).end_object();
  } else {
    json.key("iteration_ns").null().key("low_ns").null().key("high_ns").null();
    json.key("change").null().key("problem").value(outcome.problem);
    json.key("cannot_answer").value(outcome.refusal == Refusal::kCapture);
  }
  json.end_object();
}

void write_best(JsonWriter& json, const SweepAnswer& answer, std::size_t best) {
  json.key("best");
  write_point(json, answer, best);
  json.new_line().key("knees").begin_array();
  for (const Knee& knee : knees(answer.head.points, answer.outcomes)) {
    json.begin_object().key("key").value(answer.head.points.axes[knee.axis].key).key("value").value(knee.value);
    json.key("from").value(knee.from).key("to").value(knee.to);
    json.key("flat").value(knee.whole_axis ? "everywhere" : knee.upwards ? "above" : "below").end_object();
  }
  json.end_array().new_line();
}

void write_baseline(JsonWriter& json, const SweepHead& head) {
  json.key("baseline").begin_object();
  json.key("iteration_ns").value(head.baseline).key("measured_ns").value(head.measured);
  json.key("error");
  head.measured ? json.value(ratio(head.baseline - *head.measured, *head.measured)) : json.null();
  json.key("throughput");
  sim::begin_throughput(json, head.work, head.baseline);
  json.end_object().end_object().new_line();
}

void sweep_points_members(JsonWriter& json, const SweepAnswer& answer) {
  json.key("name").value(answer.head.name).new_line();
  write_baseline(json, answer.head);
  write_best(json, answer, *best_point(answer.outcomes));
  json.key("points").begin_array();
  for (std::size_t point = 0; point < answer.outcomes.size(); ++point) write_point(json, answer, point);
  json.end_array();
}

}  // namespace

extern const SweepReport points_sweep_report;
const SweepReport points_sweep_report{
    .id = "points", .sections = sweep_points_sections, .members = sweep_points_members};

}  // namespace stepsim::scenarios
