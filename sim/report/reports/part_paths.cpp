// The longest path of each GPU alone, and of each worker, beside the job's critical path:
//
//     Each GPU alone, step 5
//      rank  worker      alone  compute  communication  ...
//         0  0       95.151 ms   99.0 %          1.0 %

#include <fmt/format.h>

#include <algorithm>

#include "model/base/text.h"
#include "sim/analysis/longest_path.h"
#include "sim/report/path_sections.h"
#include "sim/report/report.h"

namespace stepsim::sim {
namespace {

/// Of more GPUs than this only the table is shown.
constexpr std::size_t kMostListed = 8;
constexpr std::size_t kRows = 3;

std::string ranks_of(const PartPath& part) {
  std::string text;
  for (const Rank rank : part.ranks) text += fmt::format("{}{}", text.empty() ? "" : ", ", rank);
  return text;
}

/// One row a part.
Table table_of(const std::vector<PartPath>& parts) {
  std::vector<Column> columns{{"rank"}, {"worker", Align::kLeft, Use::kHelp}, {"tasks"}, {"alone"}};
  for (std::size_t c = 0; c < kPathClassCount; ++c) {
    if (static_cast<PathClass>(c) != PathClass::kQueueing)
      columns.push_back({std::string{to_text(static_cast<PathClass>(c))}, Align::kRight, Use::kHelp});
  }
  Table table{std::move(columns)};
  table.compare_times();
  for (const PartPath& part : parts) {
    std::vector<Cell> cells{ranks_of(part), part.host, part.path.tasks.size(), part.path.length};
    for (std::size_t c = 0; c < kPathClassCount; ++c) {
      if (static_cast<PathClass>(c) != PathClass::kQueueing)
        cells.push_back(percent_cell(ratio(part.path.classes[c], part.path.length)));
    }
    table.add_row(std::move(cells));
  }
  return table;
}

void add_parts(std::vector<Section>& sections, const Findings& findings, const std::vector<PartPath>& parts,
               std::string_view what, const std::string& where) {
  if (parts.empty()) return;
  sections.push_back({.title = fmt::format("Each {} alone{}", what, where), .table = table_of(parts)});
  sections.back().lead = fmt::format(
      "The longest path through its own tasks: what it would take if it waited for no "
      "other {}.",
      what);
  if (parts.size() > kMostListed) {
    sections.back().sentences.emplace_back("--json has the tasks of each path.");
    return;
  }
  for (const PartPath& part : parts) {
    const std::size_t rows = std::min({kRows, findings.path_rows, part.path.tasks.size()});
    if (rows == 0) continue;
    sections.push_back({.title = fmt::format(
                            "{} {} alone: {}, its {} of {}", what, part.ranks.size() > 1 ? part.host : ranks_of(part),
                            stepsim::to_text(part.path.length), counted(rows, "longest task"), part.path.tasks.size()),
                        .table = path_table(findings.capture.dag, part.path, rows)});
  }
}

std::vector<Section> part_paths_sections(const Findings& findings) {
  const PartPaths paths = part_paths(findings.capture, *findings.timeline, findings.path.path);
  const std::string where = paths.step < 0 ? std::string{} : fmt::format(", step {}", paths.step);
  std::vector<Section> sections;
  add_parts(sections, findings, paths.gpus, "GPU", where);
  add_parts(sections, findings, paths.workers, "worker", where);
  if (!sections.empty())
    sections.push_back({.title = fmt::format("The job: {}", path_subject(findings.path)),
                        .lead = "Its critical path, through all of them:"});
  return sections;
}

void write_parts(JsonWriter& json, const Dag& dag, const std::vector<PartPath>& parts) {
  json.begin_array();
  for (const PartPath& part : parts) {
    json.new_line().begin_object().key("host").value(part.host).key("ranks").begin_array();
    for (const Rank rank : part.ranks) json.value(rank);
    json.end_array().key("length_ns").value(part.path.length).key("classes").begin_object();
    for (std::size_t c = 0; c < kPathClassCount; ++c)
      json.key(to_text(static_cast<PathClass>(c))).value(part.path.classes[c]);
    json.end_object().key("tasks").begin_array();
    for (const PathTask& task : part.path.tasks) {
      json.begin_object().key("name").value(dag.name(task.task)).key("rank").value(dag.lane(task.task).rank);
      json.key("duration_ns").value(task.duration).key("wait_ns").value(task.wait).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

void part_paths_members(JsonWriter& json, const Findings& findings) {
  const PartPaths paths = part_paths(findings.capture, *findings.timeline, findings.path.path);
  json.key("gpus");
  write_parts(json, findings.capture.dag, paths.gpus);
  json.key("workers");
  write_parts(json, findings.capture.dag, paths.workers);
}

}  // namespace

extern const CaptureReport part_paths_report;
const CaptureReport part_paths_report{
    .id = "part paths", .in = kCriticalPath, .sections = part_paths_sections, .members = part_paths_members};

}  // namespace stepsim::sim
