// The parts of the answer of a sweep, in order. Fields appear in JSON, sections in the text report.

#include "scenarios/answer/sweep_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/base/text.h"
#include "scenarios/answer/baseline.h"
#include "scenarios/answer/knee.h"
#include "sim/analysis/intervals.h"
#include "sim/report/common_fields.h"
#include "sim/report/throughput.h"

namespace stepsim::scenarios {
namespace {

using sim::Align;
using sim::at;
using sim::Column;
using sim::Field;
using sim::ratio;
using sim::Table;
using stepsim::to_text;
using Sections = std::vector<sim::Section>;

// --- the iteration at every point: a matrix for a grid with two axes, otherwise a list

constexpr std::size_t kMostColumns = 10;

bool is_matrix(const Points& points) { return points.axes.size() == 2 && points.axes[1].values.size() <= kMostColumns; }

sim::Cell time_cell(const Outcome& outcome, bool is_best) {
  if (!outcome.iteration) return "-";
  return {fmt::format("{}{}", is_best ? "* " : "", to_text(outcome.iteration->mid)), outcome.iteration->mid.count(),
          sim::Unit::kNanoseconds};
}

/// Returns how far the iteration may be below and above its prediction: "-2.1 +3.4 %".
sim::Cell range_cell(const Outcome& outcome, bool /*is_best*/) {
  if (!outcome.iteration) return "-";
  return fmt::format(
      "{} {} %",
      sim::signed_number(100 * ratio(outcome.iteration->low - outcome.iteration->mid, outcome.iteration->mid)),
      sim::signed_number(100 * ratio(outcome.iteration->high - outcome.iteration->mid, outcome.iteration->mid)));
}

sim::Cell data_sheet_cell(const Outcome& outcome, bool /*is_best*/) {
  return outcome.by_data_sheet ? sim::Cell{*outcome.by_data_sheet} : "-";
}

/// Returns a matrix with the values of the first axis as rows and those of the second as columns.
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

/// True if the table shows throughput in addition to step times: the batch size is known, or the work of a step
/// differs.
bool shows_rates(const SweepAnswer& answer) { return answer.head.work.batch_size || work_differs(answer); }

void add_rates(const SweepAnswer& answer, const Outcome& outcome, std::vector<sim::Cell>& cells) {
  if (!outcome.iteration) {
    cells.insert(cells.end(), 3, sim::Cell("-"));
    return;
  }
  const sim::StepWork work = work_at(answer, outcome);
  cells.push_back(sim::rate_cell(sim::rate_in_all(work, outcome.iteration->mid)));
  cells.push_back(sim::rate_cell(sim::rate_of_device(work, outcome.iteration->mid)));
  cells.push_back(sim::percent_cell(efficiency_of(answer, outcome)));
}

/// True if the table shows the memory of each point: it differs, or may not suffice.
bool shows_memory(const SweepAnswer& answer) {
  std::optional<Bytes> peak;
  return std::any_of(answer.outcomes.begin(), answer.outcomes.end(), [&peak](const Outcome& outcome) {
    if (!outcome.memory) return false;
    if (!peak) peak = outcome.memory->peak.mid;
    return outcome.memory->peak.mid != *peak || !doubt_text(*outcome.memory).empty();
  });
}

void add_memory_cells(const std::optional<MemoryNeed>& need, std::vector<sim::Cell>& cells) {
  const std::optional<Fit> fit = need ? need->fits() : std::nullopt;
  cells.push_back(need ? sim::Cell{in_gib(need->peak.mid), need->peak.mid.count(), sim::Unit::kNone} : "-");
  cells.push_back(fit ? sim::Cell{std::string(word_of(*fit))} : "-");
}

/// Returns a table with one row per point, for the text report.
Table list_of(const SweepAnswer& answer, std::size_t best) {
  const std::vector<std::string> keys = keys_of(answer.head.points);
  std::vector<Column> columns{{""}};
  for (const std::string& key : keys) columns.push_back({shown(key)});
  columns.insert(columns.end(), {{"step time"},
                                 {"from", Align::kRight, sim::Use::kDetail},
                                 {"to", Align::kRight, sim::Use::kDetail},
                                 {"change", Align::kRight, sim::Use::kHelp}});
  const bool data_sheet = shows_data_sheet(answer);
  if (data_sheet) columns.push_back({"by data sheet"});
  const bool rates = shows_rates(answer);
  if (rates)
    columns.insert(columns.end(), {{std::string(sim::unit_of(answer.head.work))}, {"per device"}, {"efficiency"}});
  const bool memory = shows_memory(answer);
  if (memory) columns.insert(columns.end(), {{"peak memory"}, {"fits", Align::kLeft}});
  Table table(std::move(columns));
  table.compare_times();
  for (std::size_t point = 0; point < answer.outcomes.size(); ++point) {
    const Outcome& outcome = answer.outcomes[point];
    const Range<Duration> step = outcome.iteration.value_or(Range<Duration>{});
    const auto predicted = [&outcome](Duration time) { return outcome.iteration ? sim::Cell{time} : "-"; };
    std::vector<sim::Cell> cells{point == best ? "*" : ""};
    for (std::string& value : values_of(answer.head.points, point, keys)) cells.emplace_back(std::move(value));
    cells.push_back(predicted(step.mid));
    cells.push_back(predicted(step.low));
    cells.push_back(predicted(step.high));
    cells.push_back(outcome.iteration ? sim::signed_percent_cell(change_of(answer, outcome)) : "-");
    if (data_sheet) cells.push_back(data_sheet_cell(outcome, false));
    if (rates) add_rates(answer, outcome, cells);
    if (memory) add_memory_cells(outcome.memory, cells);
    table.add_row(std::move(cells));
  }
  return table;
}

/// Returns the notes on points, each once with the number of its points: "at 3 points: 88 % of the device time was
/// recorded without shapes ...". At most three notes, those for most points first.
std::vector<sim::Sentence> notes_on(const SweepAnswer& answer) {
  std::map<std::string, std::size_t> points;
  for (const Outcome& outcome : answer.outcomes) {
    if (!outcome.note.empty()) ++points[outcome.note];
  }
  std::vector<std::pair<std::string, std::size_t>> notes(points.begin(), points.end());
  std::stable_sort(notes.begin(), notes.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr std::size_t kMostNotes = 3;
  if (notes.size() > kMostNotes) notes.resize(kMostNotes);
  std::vector<sim::Sentence> sentences;
  sentences.reserve(notes.size());
  for (const auto& [note, count] : notes)
    sentences.emplace_back(fmt::format("at {}: {}", counted(count, "point"), note));
  return sentences;
}

Sections points_sections(const SweepAnswer& answer) {
  const std::size_t best = *best_point(answer.outcomes);
  if (!is_matrix(answer.head.points) || shows_rates(answer) || shows_memory(answer)) {
    const std::string_view condition = shows_rates(answer) ? sim::condition_of(answer.head.work) : "";
    return {{.title = fmt::format("Step times and their ranges (* = best){}", condition),
             .table = list_of(answer, best),
             .sentences = notes_on(answer)}};
  }
  Sections sections{{.title = "Step times (* = best)", .table = matrix_of(answer, best, time_cell)},
                    {.title = "Ranges of the step times",
                     .table = matrix_of(answer, best, range_cell),
                     .sentences = notes_on(answer)}};
  if (shows_data_sheet(answer)) {
    sections.push_back(
        {.title = "Step times by the data sheet alone", .table = matrix_of(answer, best, data_sheet_cell)});
  }
  return sections;
}

// --- the iteration at every point in JSON, with the best point and the knees

struct PointLine {
  const SweepAnswer* answer;
  std::size_t point;

  [[nodiscard]] const Outcome& outcome() const { return answer->outcomes[point]; }
  /// Returns value(*answer, outcome()), or nothing if the point has no iteration.
  template <class Value>
  [[nodiscard]] auto if_predicted(Value value) const {
    return outcome().iteration ? std::optional{value(*answer, outcome())} : std::nullopt;
  }
};

sim::Throughput throughput_at(const SweepAnswer& answer, const Outcome& outcome) {
  sim::Throughput throughput = sim::throughput_of(work_at(answer, outcome), outcome.iteration->mid);
  throughput.efficiency = efficiency_of(answer, outcome);
  return throughput;
}

constexpr auto kOutcome = std::to_array<Field<PointLine>>({
    {"iteration_ns", [](const PointLine& line) { return step_of(line.outcome(), &Range<Duration>::mid); }},
    {"low_ns", [](const PointLine& line) { return step_of(line.outcome(), &Range<Duration>::low); }},
    {"high_ns", [](const PointLine& line) { return step_of(line.outcome(), &Range<Duration>::high); }},
    {"change", [](const PointLine& line) { return line.if_predicted(change_of); }},
    {"by_data_sheet_ns", at<&PointLine::outcome, &Outcome::by_data_sheet>, {}, sim::kIfAny},
    {"throughput", [](const PointLine& line) { return line.if_predicted(throughput_at); }, sim::kThroughput,
     sim::kIfAny},
    {"memory", [](const PointLine& line) { return line.outcome().memory ? &*line.outcome().memory : nullptr; },
     kMemoryNeed, sim::kIfAny},
    {"note",
     [](const PointLine& line) { return line.outcome().note.empty() ? nullptr : &line.outcome().note; },
     {},
     sim::kIfAny},
    {"problem",
     [](const PointLine& line) { return line.outcome().iteration ? nullptr : &line.outcome().problem; },
     {},
     sim::kIfAny},
    {"cannot_answer",
     [](const PointLine& line) {
       return line.outcome().iteration ? std::nullopt : std::optional{line.outcome().refusal == Refusal::kCapture};
     },
     {},
     sim::kIfAny},
});

auto settings_at(const PointLine& line) { return entries_of(line.answer->head.points.at(line.point)); }

constexpr auto kPoint = std::to_array<Field<PointLine>>({{"set", at<settings_at>}, {"", at<>, kOutcome}});
constexpr auto kBestPoint =
    std::to_array<Field<PointLine>>({{"set", at<settings_at>, {}, sim::kOnNewLine}, {"", at<>, kOutcome}});

struct KneeEntry {
  std::string key;
  Knee knee;
};
constexpr auto kKnee = std::to_array<Field<KneeEntry>>({
    {"key", at<&KneeEntry::key>},
    {"value", at<&KneeEntry::knee, &Knee::value, &Range<std::string>::mid>},
    {"from", at<&KneeEntry::knee, &Knee::value, &Range<std::string>::low>},
    {"to", at<&KneeEntry::knee, &Knee::value, &Range<std::string>::high>},
    {"flat",
     [](const KneeEntry& line) -> std::string_view {
       return line.knee.whole_axis ? "everywhere" : line.knee.upwards ? "above" : "below";
     }},
});

std::vector<KneeEntry> knee_lines(const SweepAnswer& answer) {
  std::vector<KneeEntry> lines;
  for (const Knee& knee : knees(answer.head.points, answer.outcomes))
    lines.push_back({answer.head.points.axes[knee.axis].key, knee});
  return lines;
}

std::vector<PointLine> point_lines(const SweepAnswer& answer) {
  std::vector<PointLine> lines;
  for (std::size_t point = 0; point < answer.outcomes.size(); ++point) lines.push_back({&answer, point});
  return lines;
}

constexpr auto kPoints = std::to_array<Field<SweepAnswer>>({
    {"name", at<&SweepAnswer::head, &SweepHead::name>, {}, sim::kLineAfter},
    {"capture", at<&SweepAnswer::head, &SweepHead::trust>, sim::kCaptureTrust, sim::kLineAfter},
    {"baseline", at<&SweepAnswer::head>, kSweepBaseline, sim::kLineAfter},
    {"best",
     [](const SweepAnswer& answer) {
       return PointLine{&answer, *best_point(answer.outcomes)};
     },
     kBestPoint},
    {"knees", at<knee_lines>, kKnee, sim::kOnNewLine | sim::kLineAfter},
    {"points", at<point_lines>, kPoint, sim::kItemLines},
});

// --- the points without an iteration, and why; JSON lists them in "points"

Sections problems_sections(const SweepAnswer& answer) {
  sim::Section section{.title = "Points without an answer"};
  for (std::size_t point = 0; point < answer.outcomes.size(); ++point) {
    if (answer.outcomes[point].iteration) continue;
    section.sentences.emplace_back(to_text(answer.head.points.at(point)) + ": " + answer.outcomes[point].problem);
  }
  return {std::move(section)};
}

// --- what the scenario changes at every point, how transfers were timed, and the answer's assumptions

constexpr auto kSweepChanges =
    std::to_array<Field<SweepAnswer>>({{"changes", at<&SweepAnswer::head, &SweepHead::changes>}});

Sections changes_sections(const SweepAnswer& answer) {
  return {{.title = "Changes at every point", .sentences = sim::as_list(answer.head.changes)}};
}

constexpr auto kModel = std::to_array<Field<SweepHead>>({{"model", at<&SweepHead::network>}});
constexpr auto kSweepNetwork = std::to_array<Field<SweepAnswer>>({{"network", at<&SweepAnswer::head>, kModel}});

constexpr auto kSweepAssumptions = std::to_array<Field<SweepAnswer>>({
    {"assumptions", [](const SweepAnswer& answer) { return sentences_of(answer.head.assumptions); }},
});

Sections assumptions_sections(const SweepAnswer& answer) { return {sim::assumptions_section(answer.head.assumptions)}; }

}  // namespace

std::span<const SweepReport> sweep_reports() {
  static constexpr auto kReports = std::to_array<SweepReport>({
      {.id = "points", .sections = points_sections, .fields = kPoints},
      {.id = "problems", .sections = problems_sections},
      {.id = "changes", .sections = changes_sections, .fields = kSweepChanges},
      {.id = "network", .fields = kSweepNetwork},
      {.id = "assumptions", .sections = assumptions_sections, .fields = kSweepAssumptions},
  });
  return kReports;
}

}  // namespace stepsim::scenarios
