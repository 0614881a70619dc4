#include "sim/compare/compare_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "model/base/text.h"
#include "model/job/kernel_name.h"
#include "sim/report/class_style.h"
#include "sim/report/common_fields.h"

namespace stepsim::sim {
namespace {

/// Returns "96" if both counts are 96, and "96 -> 90" if they differ.
Cell count_cell(double a, double b) {
  const auto text = [](double count) { return fmt::format("{:.6g}", std::round(count * 10) / 10); };
  return a == b ? Cell(text(a), a, Unit::kNone) : Cell(fmt::format("{} -> {}", text(a), text(b)));
}

std::optional<double> relative_of(const Row& row) { return relative_to(row.time_a, row.time_b); }

// --- fields

constexpr auto kComparedSide = std::to_array<Field<Side>>({
    {"", at<>, kSide},
    {"ranks", at<&Side::ranks>, {.title = "ranks", .place = 1, .cell = ranks_cell}},
    {"steps_ns", at<&Side::steps>},
    {"",
     [](const Side& side) { return side.steps.empty() ? std::nullopt : std::optional{side.steps.size()}; },
     {"steps"}},
    {"", at<&Side::steps, shortest_of>, {"shortest", Use::kDetail}},
    {"", at<&Side::steps, longest_of>, {"longest", Use::kDetail}},
    {"uncertainty_ns", at<&Side::uncertainty>},
    {"tasks_outside_steps", at<&Side::outside_steps>},
    {"warning", at<&Side::warning>},
});

struct LabelledSide {
  std::string_view label;
  const Side* side;
};
constexpr auto kLabelledSide = std::to_array<Field<LabelledSide>>({
    {"", at<&LabelledSide::label>, {.untitled = true}},
    {"", at<&LabelledSide::side>, kComparedSide},
});

constexpr auto kPart = std::to_array<Field<PartDifference>>({
    {"part", at<&PartDifference::name>, {"part"}},
    {"a_ns", at<&PartDifference::a>, {"A"}},
    {"b_ns", at<&PartDifference::b>, {"B"}},
    {"difference_ns",
     [](const PartDifference& part) { return part.b - part.a; },
     {"difference", Use::kMain, Form::kChange}},
    {"",
     [](const PartDifference& part) { return part.name == kRemainder ? std::nullopt : relative_to(part.a, part.b); },
     {"relative", Use::kMain, Form::kChange}},
});

constexpr auto kRow = std::to_array<Field<Row>>({
    {"name", at<&Row::name>, {"name"}},
    {{.title = "class",
      .use = Use::kHelp,
      .align = Align::kLeft,
      .cell = [](const Row& row) -> Cell { return row.kernel_class.empty() ? row.kind : row.kernel_class; }}},
    {"kind", at<&Row::kind>, {}, kIfAny},
    {"class", at<&Row::kernel_class>, {}, kIfAny},
    {"match", at<&Row::match>},
    {"names_a", at<&Row::names_a>},
    {"names_b", at<&Row::names_b>},
    {"count_a", at<&Row::count_a>},
    {"count_b", at<&Row::count_b>},
    {"a_ns", at<&Row::time_a>, {"A"}},
    {"b_ns", at<&Row::time_b>, {"B"}},
    {"difference_ns", at<&Row::difference>, {"difference", Use::kMain, Form::kChange}},
    {"relative", at<relative_of>, {"relative", Use::kMain, Form::kChange}},
    {{.title = "count",
      .use = Use::kHelp,
      .cell = [](const Row& row) { return count_cell(row.count_a, row.count_b); }}},
    {"", [](const Row& row) { return mean_of(row.time_a, row.count_a); }, {"mean A", Use::kDetail}},
    {"", [](const Row& row) { return mean_of(row.time_b, row.count_b); }, {"mean B", Use::kDetail}},
});

/// The columns of the comparison in spreadsheets.
constexpr auto kSheet = std::to_array<Field<Row>>({
    {"name", at<&Row::name>},
    {"kind", at<&Row::kind>},
    {"class", at<&Row::kernel_class>},
    {"match", at<&Row::match>},
    {"a_count", at<&Row::count_a>},
    {"b_count", at<&Row::count_b>},
    {"a_ns", at<&Row::time_a>},
    {"b_ns", at<&Row::time_b>},
    {"difference_ns", at<&Row::difference>},
    {"relative", at<relative_of>},
});

constexpr auto kIterations = std::to_array<Field<Difference>>({
    {"difference_ns", at<&Difference::change>},
    {"relative", [](const Difference& all) { return relative_to(*all.a.iteration, *all.b.iteration); }},
    {"ratio",
     [](const Difference& all) {
       return *all.a.iteration == Duration{} ? std::nullopt : std::optional{ratio(*all.b.iteration, *all.a.iteration)};
     }},
    {"noise_ns", at<&Difference::noise>},
    {"smallest_visible_change", at<&Difference::smallest_visible_change>},
    {"beyond_noise",
     [](const Difference& all) { return all.noise ? std::optional{all.is_beyond_noise()} : std::nullopt; }},
});

constexpr auto kGate = std::to_array<Field<Gate>>({
    {"gauge", at<&Gate::gauge>},
    {"limit", at<&Gate::limit>},
    {"judged", at<&Gate::judged>},
    {"failed", at<&Gate::failed>},
    {"more_steps", at<&Gate::more_steps>},
    {"sentence", at<&Gate::sentence>},
});

struct Compared {
  const Difference* difference;
  const std::vector<Gate>* gates;

  /// Returns the gate on the step time; null if there is none.
  [[nodiscard]] const Gate* gate() const {
    const auto found = std::ranges::find(*gates, Gauge::kStepTime, &Gate::gauge);
    return found == gates->end() ? nullptr : &*found;
  }
};
constexpr auto kCompared = std::to_array<Field<Compared>>({
    {"a", [](const Compared& all) -> const Side& { return all.difference->a; }, kComparedSide, kLineAfter},
    {"b", [](const Compared& all) -> const Side& { return all.difference->b; }, kComparedSide, kLineAfter},
    {"iteration", [](const Compared& all) { return all.difference->has_iterations() ? all.difference : nullptr; },
     kIterations, kLineAfter},
    {"parts", at<&Compared::difference, &Difference::parts>, kPart, kRowLines},
    {"critical_path", at<&Compared::difference, &Difference::path>, kPart, kRowLines},
    {"classes", at<&Compared::difference, &Difference::classes>, kRow, kRowLines},
    {"by", at<&Compared::difference, &Difference::by>},
    {"rows", at<&Compared::difference, &Difference::rows>, kRow, kRowLines},
    {"gate", at<&Compared::gate>, kGate, kLineAfter},
    {"gates", at<&Compared::gates>, kGate, kRowLines},
});

// --- sentences

std::string noise_text(const Difference& difference) {
  if (!difference.noise) return "noise unknown: it needs two steps per capture";
  if (difference.change() == Duration{}) return fmt::format("noise +-{}", stepsim::to_text(*difference.noise));
  return fmt::format("{} (noise +-{})", difference.is_beyond_noise() ? "significant" : "not significant",
                     stepsim::to_text(*difference.noise));
}

/// Returns "+2 ms (+10.0 %)", or "no difference". There is no percentage if the step time of A is 0.
std::string change_text(const Difference& difference) {
  const Duration change = difference.change();
  if (change == Duration{}) return "no difference";
  if (*difference.a.iteration <= Duration{}) return signed_time(change);
  return fmt::format("{} ({})", signed_time(change), signed_percent(difference.relative()));
}

/// Returns "Step time of A 20 ms, of B 22 ms: +2 ms (+10.0 %); significant (noise +-0.3 ms).", or only the names of A
/// and B if a step time is unknown.
std::string headline(const Difference& difference) {
  if (!difference.has_iterations()) return fmt::format("A is {}, B is {}.", difference.a.name, difference.b.name);
  return fmt::format("Step time of A {}, of B {}: {}; {}.", stepsim::to_text(*difference.a.iteration),
                     stepsim::to_text(*difference.b.iteration), change_text(difference), noise_text(difference));
}

void add_about(std::string& text, std::string_view what, const std::string& sentence) {
  if (!sentence.empty()) text += fmt::format("{}{}: {}", text.empty() ? "" : " ", what, sentence);
}

std::string warnings(const Difference& difference) {
  std::string text;
  add_about(text, "A", difference.a.warning);
  add_about(text, "B", difference.b.warning);
  if (!difference.obstacles.empty())
    add_about(text, "The step times do not compare", to_text(difference.obstacles) + ".");
  return text;
}

std::string cautions(const Difference& difference) {
  std::string text;
  add_about(text, "A", difference.a.caution);
  add_about(text, "B", difference.b.caution);
  return text;
}

// --- sections

Section sides_section(const Difference& difference) {
  const std::array<LabelledSide, 2> sides{{{"A", &difference.a}, {"B", &difference.b}}};
  return {.title = "Compared", .table = table_of(kLabelledSide, sides, {.compared = true})};
}

/// Returns the label that people see for `name`, the JSON name of a part of an iteration or of a class of the path.
std::string_view label_of(std::string_view name) {
  if (name == "communication without compute") return "exposed communication";
  if (name == "copies alone") return style_of(PathClass::kCopy).label;
  if (name == "host alone") return style_of(PathClass::kHost).label;
  for (std::size_t i = 0; i < kPathClassCount; ++i) {
    if (name == to_text(static_cast<PathClass>(i))) return kClassStyles[i].label;
  }
  return name;
}

Section parts_section(std::string title, const std::vector<PartDifference>& parts, bool with_sum) {
  if (parts.empty()) return {};
  std::vector<PartDifference> shown;
  PartDifference sum{"sum", {}, {}};
  for (const PartDifference& part : parts) {
    sum.a += part.a;
    sum.b += part.b;
    if (part.a != Duration{} || part.b != Duration{})
      shown.push_back({std::string(label_of(part.name)), part.a, part.b});
  }
  if (with_sum) shown.push_back(std::move(sum));
  return {.title = std::move(title), .table = table_of(kPart, shown, {.compared = true})};
}

bool is_shared(const Row& row) { return row.match != Match::kOnlyA && row.match != Match::kOnlyB; }

/// Returns a section with rows of work that both sides do.
Section shared_section(std::string title, std::string_view key, const std::vector<Row>& all, std::size_t rows) {
  std::vector<const Row*> shared;
  PartDifference sum;
  for (const Row& row : all) {
    if (!is_shared(row)) continue;
    sum.a = saturated_sum(sum.a, row.time_a);
    sum.b = saturated_sum(sum.b, row.time_b);
    shared.push_back(&row);
  }
  TableRows shown{.most = rows, .name = key, .compared = true};
  if (key != to_text(By::kName)) shown.without.emplace_back("class");
  Section section = section_of(std::move(title), kRow, shared, shown);
  if (rows == 0) section.table.reset();
  if (!shared.empty()) {
    section.lead = fmt::format("{} in both: {} in A, {} in B, {}", counted(shared.size(), key), stepsim::to_text(sum.a),
                               stepsim::to_text(sum.b), signed_time(sum.b - sum.a));
  }
  return section;
}

/// Returns a section with rows of work that only one side does, the longest first.
Section only_section(Match match, std::string_view key, const std::vector<Row>& all, std::size_t rows) {
  std::vector<const Row*> only;
  Duration sum{};
  for (const Row& row : all) {
    if (row.match != match) continue;
    only.push_back(&row);
    sum = saturated_sum(sum, row.time_a + row.time_b);
  }
  if (only.empty()) return {};
  std::stable_sort(only.begin(), only.end(),
                   [](const Row* x, const Row* y) { return x->time_a + x->time_b > y->time_a + y->time_b; });
  Table table({{std::string(key), Align::kLeft}, {"time"}, {"count"}, {"mean"}});
  for (std::size_t i = 0; i < std::min(rows, only.size()); ++i) {
    const Row& row = *only[i];
    const double count = row.count_a + row.count_b;
    table.add_row(
        {row.name, row.time_a + row.time_b, count_cell(count, count), mean_of(row.time_a + row.time_b, count)});
  }
  Section section{.title = match == Match::kOnlyA ? "Only in A" : "Only in B", .table = std::move(table)};
  section.lead = fmt::format("{}: {} in total", counted(only.size(), key), stepsim::to_text(sum));
  add_more_sentence(section, only.size(), rows);
  return section;
}

std::string noise_note(const Difference& difference) {
  constexpr std::string_view kOfSteps =
      "noise: half of the 95 % confidence interval, from how the steps of one run differ; runs may differ by more";
  constexpr std::string_view kOfPrediction = "noise of a prediction: half of its range";
  const bool predicted_a = difference.a.uncertainty.has_value();
  const bool predicted_b = difference.b.uncertainty.has_value();
  if (predicted_a && predicted_b) return std::string(kOfPrediction);
  return predicted_a || predicted_b ? fmt::format("{}; {}", kOfSteps, kOfPrediction) : std::string(kOfSteps);
}

/// Explains how names were matched, and what else a reader must know about the two sides.
Section notes_section(const Difference& difference) {
  Section section{.title = "Notes"};
  const Side& a = difference.a;
  const Side& b = difference.b;
  const auto note = [&section](std::string text) { section.sentences.emplace_back(std::move(text)); };
  for (const Match match : {Match::kNumbers, Match::kArguments}) {
    std::size_t rows = 0;
    std::size_t names_a = 0;
    std::size_t names_b = 0;
    for (const Row& row : difference.rows) {
      if (row.match != match) continue;
      ++rows;
      names_a += row.names_a;
      names_b += row.names_b;
    }
    if (rows > 0) {
      note(fmt::format("{} of A and {} of B differ only in {}; they share {}, with '#' for what differs",
                       counted(names_a, "name"), counted(names_b, "name"),
                       match == Match::kNumbers ? "numbers, addresses and hashes"
                                                : "template arguments, parameters and architectures",
                       counted(rows, "row")));
    }
  }
  if (a.extent == Extent::kIteration && (a.ranks > 1 || b.ranks > 1))
    note("times and counts of tasks are per step, averaged over ranks");
  if (a.ranks > 0 && b.ranks > 0 && a.ranks != b.ranks)
    note(fmt::format("A has {} and B {}", counted(a.ranks, "rank"), b.ranks));
  if (!a.steps.empty() && !b.steps.empty() && a.steps.size() != b.steps.size())
    note(fmt::format("A has {} and B {}", counted(a.steps.size(), "step"), b.steps.size()));
  for (const Side* const side : {&a, &b}) {
    if (side->outside_steps > 0) {
      note(fmt::format("the tables leave out {} of {} that belong to no whole step",
                       counted(side->outside_steps, "task"), side == &a ? "A" : "B"));
    }
  }
  if (a.work.empty() != b.work.empty())
    note(fmt::format("{} does not list its tasks, so they are not compared", a.work.empty() ? "A" : "B"));
  if (!difference.parts.empty()) {
    note(fmt::format(
        "{}: the parts are means of the steps around the median, so their sum differs a little from the step time",
        kRemainder));
  }
  if (difference.noise) note(noise_note(difference));
  return section;
}

}  // namespace

Document compare_document(const Difference& difference, const std::vector<Gate>& gates, std::size_t rows,
                          const Provenance& provenance) {
  Document document{.warning = warnings(difference), .headline = headline(difference), .caution = cautions(difference)};
  if (gates.size() == 1) document.trust = fmt::format("Gate {}.", gates.front().sentence);
  if (gates.size() > 1) {
    document.sections.push_back({.title = "Gates", .brief = true});
    for (const Gate& gate : gates) document.sections.back().sentences.emplace_back(gate.sentence);
  }
  const std::string_view key = to_text(difference.by);
  document.sections.push_back(sides_section(difference));
  document.sections.push_back(parts_section("Where the difference comes from (slowest rank)", difference.parts, true));
  document.sections.push_back(parts_section("On the critical path", difference.path, false));
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  if (difference.by == By::kName)
    document.sections.push_back(shared_section("By class", "class", difference.classes, kAll));
  document.sections.push_back(shared_section(fmt::format("By {}", key), key, difference.rows, rows));
  document.sections.push_back(only_section(Match::kOnlyA, key, difference.rows, rows));
  document.sections.push_back(only_section(Match::kOnlyB, key, difference.rows, rows));
  document.sections.push_back(notes_section(difference));
  std::erase_if(document.sections, [](const Section& section) { return section.empty(); });
  document.rows = [&difference] {
    return table_of(kSheet, difference.rows, {.name = to_text(difference.by), .for_programs = true});
  };
  document.json = [&difference, &gates, &provenance](JsonWriter& json) {
    write_answer(json, "stepsim.compare/1", kCompared, Compared{&difference, &gates}, provenance);
  };
  return document;
}

BarChart largest_differences(const std::vector<std::pair<std::string, std::string>>& sides,
                             std::vector<TimesOfSides> rows) {
  constexpr std::size_t kMost = 10;
  const auto spread = [](const TimesOfSides& row) {
    const auto [least, most] = std::minmax_element(row.times.begin(), row.times.end());
    return *most - *least;
  };
  std::erase_if(rows, [](const TimesOfSides& row) { return row.times.empty(); });
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const TimesOfSides& a, const TimesOfSides& b) { return spread(a) > spread(b); });
  BarChart chart{.title = "Largest differences"};
  for (const auto& [label, name] : sides) chart.kinds.push_back(fmt::format("{}: {}", label, name));
  rows.resize(std::min(kMost, rows.size()));
  std::vector<std::string> whole_names(rows.size());
  std::ranges::transform(rows, whole_names.begin(), &TimesOfSides::name);
  const std::vector<std::string> names = short_kernel_names(whole_names);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TimesOfSides& row = rows[i];
    const std::string difference = row.times.size() == 2 ? signed_time(row.times.back() - row.times.front())
                                                         : stepsim::to_text(spread(row)) + " apart";
    for (std::size_t side = 0; side < row.times.size(); ++side) {
      const std::string time = stepsim::to_text(row.times[side]);
      chart.rows.push_back({.group = fmt::format("{} ({})", names[i], difference),
                            .name = fmt::format("{}  {}", sides[side].first, time),
                            .bars = {{.length = row.times[side],
                                      .kind = static_cast<std::uint32_t>(side),
                                      .hint = fmt::format("{}: {}", sides[side].second, time)}}});
    }
  }
  return chart;
}

BarChart chart_of(const Difference& difference) {
  std::vector<TimesOfSides> rows;
  for (const Row& row : difference.rows) rows.push_back({row.name, {row.time_a, row.time_b}});
  if (rows.empty()) {
    for (const PartDifference& part : difference.parts)
      rows.push_back({std::string(label_of(part.name)), {part.a, part.b}});
  }
  return largest_differences({{"A", difference.a.name}, {"B", difference.b.name}}, std::move(rows));
}

AnswerSchema compare_schema() { return schema_of("stepsim.compare/1", kCompared); }

}  // namespace stepsim::sim
