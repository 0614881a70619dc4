#include "sim/compare/several.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "model/base/text.h"
#include "sim/analysis/intervals.h"
#include "sim/compare/compare_document.h"

namespace stepsim::sim {
namespace {

constexpr std::size_t kMostPlotted = 24;  // maximum number of rows in a plot

/// Returns the label of a side: "A", "B", ..., and numbers from 27 after "Z".
std::string label_of(std::size_t side) {
  constexpr std::size_t kLetters = 26;
  return side < kLetters ? std::string(1, static_cast<char>('A' + side)) : std::to_string(side + 1);
}

Duration spread_of(const Several::Row& row) {
  const auto [least, most] = std::minmax_element(row.shares.begin(), row.shares.end(),
                                                 [](const auto& a, const auto& b) { return a.time < b.time; });
  return most->time - least->time;
}

Duration largest_of(const Several::Row& row) {
  return std::max_element(row.shares.begin(), row.shares.end(),
                          [](const auto& a, const auto& b) { return a.time < b.time; })
      ->time;
}

double key_of(const Several::Row& row, RowOrder order) {
  const Duration first = row.shares.front().time;
  switch (order) {
    case RowOrder::kDifference: return static_cast<double>(spread_of(row).count());
    case RowOrder::kRelative: return first == Duration{} ? -1 : ratio(spread_of(row), first);
    case RowOrder::kTotal: return static_cast<double>(largest_of(row).count());
    case RowOrder::kName: break;
  }
  return 0;
}

Duration mean_of_share(const Several::Share& share) { return mean_of(share.time, share.count); }

std::string headline(const Several& several) {
  std::string text = fmt::format("A step takes");
  for (std::size_t i = 0; i < several.sides.size(); ++i) {
    const Side& side = several.sides[i];
    text += fmt::format("{} {} in {}", i == 0 ? "" : ",",
                        side.iteration ? stepsim::to_text(*side.iteration) : "a time that is not known", label_of(i));
  }
  return text + ".";
}

/// Returns a table with one column per side; `cell` makes the table cell that shows one side's share of a row.
template <class CellOf>
Section shares_section(std::string title, const Several& several, std::size_t rows, CellOf cell) {
  if (several.rows.empty()) return {};
  std::vector<Column> columns{{std::string(to_text(several.by)), Align::kLeft}};
  for (std::size_t i = 0; i < several.sides.size(); ++i) columns.push_back({label_of(i)});
  Table table(std::move(columns));
  table.compare_times();
  for (std::size_t i = 0; i < std::min(rows, several.rows.size()); ++i) {
    std::vector<Cell> cells{several.rows[i].name};
    for (const Several::Share& share : several.rows[i].shares) cells.push_back(cell(share));
    table.add_row(std::move(cells));
  }
  Section section{.title = std::move(title), .table = std::move(table)};
  add_more_sentence(section, several.rows.size(), std::min(rows, several.rows.size()));
  return section;
}

Section notes_section(const Several& several) {
  Section section{.title = "Notes"};
  const bool many =
      std::any_of(several.sides.begin(), several.sides.end(), [](const Side& side) { return side.ranks > 1; });
  if (many && several.sides.front().extent == Extent::kIteration)
    section.sentences.emplace_back("times and counts are those of one step, the mean over ranks");
  for (std::size_t i = 0; i < several.sides.size(); ++i) {
    const Side& side = several.sides[i];
    if (side.work.empty()) section.sentences.emplace_back(fmt::format("{} lists no tasks", label_of(i)));
    if (!side.warning.empty()) section.sentences.emplace_back(fmt::format("{}: {}", label_of(i), side.warning));
  }
  return section;
}

/// Returns the rows for spreadsheets and for the plot. The plotted rows come first, grouped by side.
Table rows_of(const Several& several) {
  Table table(
      {{"result", Align::kLeft}, {std::string(to_text(several.by)), Align::kLeft}, {"count"}, {"time"}, {"mean"}});
  const std::size_t plotted = std::min(several.rows.size(), kMostPlotted);
  const auto add = [&](std::size_t first, std::size_t end) {
    for (std::size_t side = 0; side < several.sides.size(); ++side) {
      for (std::size_t row = first; row < end; ++row) {
        const Several::Share& share = several.rows[row].shares[side];
        table.add_row({several.sides[side].name, several.rows[row].name, number_cell(share.count),
                       nanoseconds_cell(share.time), nanoseconds_cell(mean_of_share(share))});
      }
    }
  };
  add(0, plotted);
  add(plotted, several.rows.size());
  return table;
}

Plot plot_of(const Several& several) {
  Plot plot{.title = fmt::format("Time in a step by {}", to_text(several.by)),
            .x = std::string(to_text(several.by)),
            .y = "time",
            .low = "time",
            .high = "time"};
  for (std::size_t i = 0; i < several.sides.size(); ++i)
    plot.lines.push_back(fmt::format("{}: {}", label_of(i), several.sides[i].name));
  plot.points_a_line = std::min(several.rows.size(), kMostPlotted);
  return plot;
}

constexpr auto kSeveralSide = std::to_array<Field<Side>>({
    {"", at<>, kSide},
    {"ranks", at<&Side::ranks>, {.title = "ranks", .use = Use::kDetail, .place = 2, .cell = ranks_cell}},
    {"warning", at<&Side::warning>},
});
struct SideLine {
  std::string label;
  const Side* side;
  std::optional<double> relative;  ///< change of the iteration relative to A
};
constexpr auto kSideLine = std::to_array<Field<SideLine>>({
    {"", at<&SideLine::label>, {.untitled = true}},
    {"", at<&SideLine::side>, kSeveralSide},
    {"", at<&SideLine::relative>, {.title = "relative to A", .form = Form::kChange, .place = 1}},
});
Section sides_section(const Several& several) {
  std::vector<SideLine> lines;
  for (const Side& side : several.sides) {
    lines.push_back({label_of(lines.size()), &side, {}});
    const std::optional<Duration>& first = several.sides.front().iteration;
    if (lines.size() > 1 && first && side.iteration) lines.back().relative = relative_to(*first, *side.iteration);
  }
  return {.title = "Compared", .table = table_of(kSideLine, lines, {.compared = true})};
}

constexpr auto kShare = std::to_array<Field<Several::Share>>({
    {"count", at<&Several::Share::count>},
    {"time_ns", at<&Several::Share::time>},
    {"mean_ns", at<mean_of_share>},
});
constexpr auto kSeveralRow = std::to_array<Field<Several::Row>>({
    {"name", at<&Several::Row::name>},
    {"sides", at<&Several::Row::shares>, kShare},
});
const auto& sides_of(const Several& several) { return several.sides; }
constexpr auto kSeveral = std::to_array<Field<Several>>({
    {"by", at<&Several::by>},
    {"sides", at<sides_of>, kSeveralSide, kRowLines},
    {"rows", at<&Several::rows>, kSeveralRow, kRowLines},
});

}  // namespace

Several several_of(const std::vector<Side>& sides, By by, RowOrder order) {
  for (const Side& side : sides) refuse_different_extents(sides.front(), side);
  Several several{.sides = sides, .by = by};
  std::map<std::pair<std::string, std::string>, Several::Row> rows;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (sides[i].work.empty()) continue;
    for (const WorkGroup& group : groups_by(by, sides[i])) {
      Several::Row& row = rows[{group.name, group.kind}];
      row.name = group.name;
      row.shares.resize(sides.size());
      row.shares[i] = {group.count, group.time};
    }
  }
  for (auto& [name, row] : rows) several.rows.push_back(std::move(row));
  std::stable_sort(several.rows.begin(), several.rows.end(), [order](const Several::Row& a, const Several::Row& b) {
    return key_of(a, order) > key_of(b, order);
  });
  return several;
}

Document several_document(const Several& several, std::size_t rows, const Provenance& provenance) {
  Document document{.headline = headline(several)};
  document.sections.push_back(sides_section(several));
  document.sections.push_back(shares_section(fmt::format("By {}: time in a step", to_text(several.by)), several, rows,
                                             [](const Several::Share& share) { return Cell(share.time); }));
  document.sections.push_back(shares_section(fmt::format("By {}: mean of one task", to_text(several.by)), several, rows,
                                             [](const Several::Share& share) { return Cell(mean_of_share(share)); }));
  document.sections.push_back(notes_section(several));
  std::erase_if(document.sections, [](const Section& section) { return section.empty(); });
  document.rows = [&several] { return rows_of(several); };
  if (!several.rows.empty()) document.plot = plot_of(several);
  document.json = [&several, &provenance](JsonWriter& json) {
    write_answer(json, "stepsim.compare_several/1", kSeveral, several, provenance);
  };
  return document;
}

BarChart chart_of(const Several& several) {
  std::vector<std::pair<std::string, std::string>> sides;
  for (const Side& side : several.sides) sides.emplace_back(label_of(sides.size()), side.name);
  std::vector<TimesOfSides> rows;
  for (const Several::Row& row : several.rows) {
    TimesOfSides& times = rows.emplace_back(TimesOfSides{row.name, {}});
    for (const Several::Share& share : row.shares) times.times.push_back(share.time);
  }
  return largest_differences(sides, std::move(rows));
}

AnswerSchema several_schema() { return schema_of("stepsim.compare_several/1", kSeveral); }

}  // namespace stepsim::sim
