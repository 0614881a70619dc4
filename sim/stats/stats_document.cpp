#include "sim/stats/stats_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "model/base/text.h"
#include "sim/analysis/intervals.h"
#include "sim/output/json_writer.h"
#include "sim/stats/detail_sections.h"
#include "sim/stats/device_sections.h"
#include "sim/stats/stats_json.h"

namespace stepsim::sim {
namespace {

constexpr std::array kParts{WorkPart::kCompute, WorkPart::kCommunication, WorkPart::kCopy, WorkPart::kHost};

Duration rounded(double nanoseconds) { return Duration{std::llround(nanoseconds)}; }

std::string share_text(const StatsRow& row) {
  return fmt::format("{} of {}", percent(row.share), row.part ? to_text(*row.part) : "all");
}

Section rows_section(const Statistics& input, std::size_t rows, const StatsTitles& titles) {
  const bool of_one_kind = input.key == StatsKey::kName;
  std::vector<Column> columns{{std::string(to_text(input.key)), Align::kLeft}};
  if (of_one_kind) columns.push_back({"kind", Align::kLeft, Use::kHelp});
  columns.insert(columns.end(), {{"count"}, {"total"}});
  if (input.has_calls) columns.push_back({"self"});
  columns.insert(columns.end(), {{"share", Align::kRight, Use::kMain},
                                 {"mean"},
                                 {"median", Align::kRight, Use::kHelp},
                                 {"min", Align::kRight, Use::kHelp},
                                 {"max", Align::kRight, Use::kHelp},
                                 {"deviation", Align::kRight, Use::kDetail}});
  if (input.steps > 0) columns.push_back({"a step", Align::kRight, Use::kDetail});
  Table table(std::move(columns));
  const std::size_t shown_rows = std::min(rows, input.rows.size());
  for (std::size_t i = 0; i < shown_rows; ++i) {
    const StatsRow& row = input.rows[i];
    std::vector<Cell> cells{row.name};
    if (of_one_kind) cells.emplace_back(row.kind);
    cells.insert(cells.end(), {row.times.count, row.times.total});
    if (input.has_calls) cells.emplace_back(row.self);
    cells.insert(cells.end(), {share_text(row), rounded(row.times.mean_ns), row.times.median, row.times.shortest,
                               row.times.longest, rounded(row.times.deviation_ns)});
    if (input.steps > 0) cells.emplace_back(row.per_step);
    table.add_row(std::move(cells));
  }
  Section section{.title = titles.of_rows(input.key), .table = std::move(table)};
  add_more_sentence(section, input.rows.size(), rows, "--head");
  return section;
}

/// What takes longest of each part.
Section most_expensive_section(const Statistics& input, const StatsTitles& titles) {
  Table table({{"part", Align::kLeft}, {std::string(to_text(input.key)), Align::kLeft}, {"self"}, {"share"}, {"mean"}});
  for (const WorkPart part : kParts) {
    const StatsRow* most = nullptr;
    for (const StatsRow& row : input.rows) {
      if (row.part == part && row.self > Duration{} && (most == nullptr || row.self > most->self)) most = &row;
    }
    if (most != nullptr)
      table.add_row({std::string(to_text(part)), most->name, most->self, percent_cell(most->share),
                     rounded(most->times.mean_ns)});
  }
  if (table.rows().empty()) return {};
  return {.title = titles("The most expensive"), .table = std::move(table)};
}

std::vector<Cell> use_cells(const TimeUse& use) {
  return {use.compute,
          use.exposed_communication,
          use.hidden_communication,
          use.exposed_copies,
          use.hidden_copies,
          use.idle,
          percent_cell(ratio(use.idle, use.span))};
}

const std::vector<Column> kUseColumns{{"compute"},
                                      {"exposed comm."},
                                      {"hidden comm."},
                                      {"exposed copies", Align::kRight, Use::kHelp},
                                      {"hidden copies", Align::kRight, Use::kDetail},
                                      {"idle"},
                                      {"idle share", Align::kRight, Use::kHelp}};

Cell device_cell(const DeviceUse& device) { return device.device < 0 ? Cell("host") : Cell(device.device); }

Section devices_section(const Statistics& input, const StatsTitles& titles) {
  if (input.devices.empty()) return {};
  std::vector<Column> columns{{"rank"}, {"device"}, {"span"}};
  columns.insert(columns.end(), kUseColumns.begin(), kUseColumns.end());
  Table table(std::move(columns));
  table.compare_times();
  bool any_host = false;
  for (const DeviceUse& device : input.devices) {
    std::vector<Cell> cells{device.rank, device_cell(device), device.use.span};
    const std::vector<Cell> use = use_cells(device.use);
    cells.insert(cells.end(), use.begin(), use.end());
    table.add_row(std::move(cells));
    any_host = any_host || (device.device < 0 && !device.has_operators);
  }
  Section section{.title = titles("Overlap by device", " (by the clock, from its first to its last work)"),
                  .table = std::move(table)};
  section.sentences.emplace_back(
      "span = compute + exposed communication + exposed copies + idle; what is hidden runs beside compute, a hidden "
      "copy also beside communication; memsets count as copies");
  if (any_host) section.sentences.emplace_back("host: no work of a device was recorded; its threads are the compute");
  return section;
}

Section streams_section(const Statistics& input, std::size_t rows, const StatsTitles& titles) {
  std::vector<Column> columns{{"stream", Align::kLeft}, {"rank"}, {"device"}, {"pieces", Align::kRight, Use::kHelp}};
  columns.insert(columns.end(), kUseColumns.begin(), kUseColumns.end());
  Table table(std::move(columns));
  table.compare_times();
  std::size_t all = 0;
  for (const DeviceUse& device : input.devices) {
    for (const DeviceUse::Stream& stream : device.streams) {
      if (all++ >= rows) continue;
      std::vector<Cell> cells{stream.name, device.rank, device_cell(device), stream.pieces};
      const std::vector<Cell> use = use_cells(stream.use);
      cells.insert(cells.end(), use.begin(), use.end());
      table.add_row(std::move(cells));
    }
  }
  if (table.rows().empty()) return {};
  Section section{.title = titles("Streams", " (hidden behind what any stream of the device does)"),
                  .table = std::move(table)};
  if (rows < all) section.sentences.emplace_back(fmt::format("{} more: --head all", all - rows));
  return section;
}

Section stages_section(const Statistics& input, const StatsTitles& titles) {
  if (input.stages.empty()) return {};
  Table table({{"stage", Align::kLeft},
               {"partitions"},
               {"queued"},
               {"mean"},
               {"longest", Align::kRight, Use::kHelp},
               {"worked"},
               {"mean"},
               {"longest", Align::kRight, Use::kHelp},
               {"in line", Align::kRight, Use::kHelp},
               {"waiting for workers", Align::kRight, Use::kHelp}});
  for (const StageUse& stage : input.stages) {
    table.add_row({stage.stage, stage.worked.count, stage.queued.total, rounded(stage.queued.mean_ns),
                   stage.queued.longest, stage.worked.total, rounded(stage.worked.mean_ns), stage.worked.longest,
                   stage.in_line.total, stage.waiting.count > 0 ? Cell(stage.waiting.total) : Cell("-")});
  }
  Section section{.title = titles("Stages of partitions"), .table = std::move(table)};
  section.sentences.emplace_back(
      "queued: from the end of the stage before, of the first one from the tensor's last operator, until the stage "
      "takes the partition; worked: in the stage, as recorded; of this, in line: behind other messages of its link, "
      "and waiting for workers: of a pull, until the last worker has pushed");
  return section;
}

std::string times_text(const Statistics& input) {
  std::string text;
  for (const WorkPart part : kParts) {
    const Duration sum = input.totals.of_part[static_cast<std::size_t>(part)];
    if (sum > Duration{})
      text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", stepsim::to_text(sum), to_text(part));
  }
  return text;
}

bool is_one(const std::string& numbers) { return numbers.find_first_of("-,") == std::string::npos; }

/// "steps 2-6", "step 7".
std::string steps_text(const std::string& numbers) {
  return fmt::format("{} {}", is_one(numbers) ? "step" : "steps", numbers);
}

std::string headline_of(const Statistics& input) {
  if (!input.headline.empty()) return input.headline;
  const std::string what =
      fmt::format("{} of work on {}", counted(input.pieces, "piece"), counted(input.ranks, "rank"));
  const std::string times = times_text(input);
  if (!input.measured && times.empty()) return fmt::format("{}, none of which says how long it takes.", what);
  if (!input.measured) return fmt::format("{} of a graph without recorded times: {}.", what, times);
  const std::string extent =
      input.chosen_steps ? fmt::format("in {}", steps_text(input.step_numbers))
      : input.steps > 0  ? fmt::format("over the whole capture, of which {} {} whole", steps_text(input.step_numbers),
                                      is_one(input.step_numbers) ? "is" : "are")
                         : std::string("over the whole capture, which marks no whole steps");
  return fmt::format("{}, as measured: {}, {}.", what, times, extent);
}

/// What titles call each input: nothing if there is one, else its file's name, or all of it where names are equal.
std::vector<std::string> names_in_titles(const std::vector<Statistics>& inputs) {
  std::vector<std::string> names(inputs.size());
  if (inputs.size() == 1) return names;
  const auto file_name = [](const Statistics& input) {
    const std::filesystem::path path(input.name);
    return (path.has_filename() ? path : path.parent_path()).filename().string();
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = file_name(inputs[i]);
    const auto same =
        std::count_if(inputs.begin(), inputs.end(), [&](const Statistics& other) { return file_name(other) == name; });
    names[i] = same > 1 || name.empty() ? inputs[i].name : name;
  }
  return names;
}

std::string joined(const std::vector<Statistics>& inputs, std::string Statistics::*text) {
  std::string all;
  for (const Statistics& input : inputs) {
    if ((input.*text).empty()) continue;
    all += fmt::format("{}{}{}", all.empty() ? "" : " ", inputs.size() > 1 ? input.name + ": " : "", input.*text);
  }
  return all;
}

}  // namespace

Document stats_document(const std::vector<Statistics>& inputs, std::size_t rows, const Provenance& provenance) {
  const bool several = inputs.size() > 1;
  Document document{.warning = joined(inputs, &Statistics::warning),
                    .headline = several
                                    ? fmt::format("Statistics of {}, each by itself.", counted(inputs.size(), "input"))
                                    : headline_of(inputs.front()),
                    .caution = joined(inputs, &Statistics::caution)};
  const std::vector<std::string> names = names_in_titles(inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Statistics& input = inputs[i];
    const StatsTitles titles(names[i]);
    Section table = rows_section(input, rows, titles);
    table.lead = several ? headline_of(input) : std::string();
    document.sections.push_back(std::move(table));
    document.sections.push_back(most_expensive_section(input, titles));
    document.sections.push_back(devices_section(input, titles));
    document.sections.push_back(streams_section(input, rows, titles));
    document.sections.push_back(stages_section(input, titles));
    for (Section& section : device_sections(input, rows, titles)) document.sections.push_back(std::move(section));
    for (Section& section : detail_sections(input, rows, titles)) document.sections.push_back(std::move(section));
  }
  std::erase_if(document.sections, [](const Section& section) { return section.empty(); });
  document.rows = [&inputs] { return rows_of(inputs); };
  document.json = [&inputs, &provenance](JsonWriter& json) { write_statistics(json, inputs, provenance); };
  return document;
}

}  // namespace stepsim::sim
