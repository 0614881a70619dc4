#include "sim/report/capture_documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/text.h"
#include "sim/report/class_style.h"
#include "sim/report/common_fields.h"
#include "sim/report/headline.h"
#include "sim/report/path_sections.h"

namespace stepsim::sim {
namespace {

Document document_of(CaptureDocument kind, std::string_view schema, std::string headline, std::function<Table()> rows,
                     const Findings& findings, const Provenance& provenance) {
  Document document{
      .warning = findings.trust.warning, .headline = std::move(headline), .caution = findings.trust.caution};
  add_sections(document, capture_reports(), findings, kind);
  document.rows = std::move(rows);
  document.json = [kind, schema, &findings, &provenance](JsonWriter& json) {
    write_object(json, schema, capture_reports(), findings, provenance, kind);
  };
  return document;
}

/// Returns one row per length of time; "measured_ns" is empty if nothing was measured.
Table rows_of(const Summary& summary) {
  Table table({{"part", Align::kLeft}, {"rank"}, {"step"}, {"what", Align::kLeft}, {"measured_ns"}, {"replayed_ns"}});
  const auto measured = [&summary](Duration duration) { return summary.measured ? nanoseconds_cell(duration) : ""; };
  table.add_row(
      {"job", "", "", "iteration", measured(summary.iteration.measured), nanoseconds_cell(summary.iteration.replayed)});
  for (const StepReport& step : summary.steps) {
    table.add_row({"step", step.rank, step.step, "step", measured(step.measured), nanoseconds_cell(step.replayed)});
  }
  for (const RankBreakdown& rank : summary.ranks) {
    const auto add = [&](std::string_view what, Duration time) {
      table.add_row({"rank", rank.rank, "", std::string(what), "", nanoseconds_cell(time)});
    };
    add("iteration", rank.iteration);
    add("compute", rank.compute);
    add("communication", rank.communication);
    add("exposed communication", rank.exposed_communication);
    add("copies", rank.copies);
    add("waiting for ranks", rank.collective_wait);
    if (rank.loader > Duration{}) add("waiting for data", rank.loader);
    add("host", rank.host);
    if (rank.other_steps > Duration{}) add("work of other steps", rank.other_steps);
    add("idle", rank.idle);
    add("unexplained", rank.unexplained);
  }
  return table;
}

/// Returns one row per task; "start_ns" is empty if the tasks were never run, "step" if a task is in none.
Table rows_of(const Capture& capture) {
  Table table({{"task"},
               {"name", Align::kLeft},
               {"kind", Align::kLeft},
               {"rank"},
               {"lane", Align::kLeft},
               {"step"},
               {"start_ns"},
               {"duration_ns"},
               {"bytes"}});
  const Dag& dag = capture.dag;
  const Recording& recording = capture.recording;
  for (const TaskId task : dag.tasks()) {
    const std::size_t i = task.index();
    const std::int32_t step = recording.step.empty() ? -1 : recording.step[i];
    table.add_row({i, std::string(dag.name(task)), std::string(to_text(dag.kind(task))), dag.lane(task).rank,
                   dag.lane(task).name,
                   step < 0 ? Cell("") : Cell(recording.steps[static_cast<std::size_t>(step)].number),
                   recording.start.empty() ? Cell("") : nanoseconds_cell(recording.start[i] - Time{}),
                   nanoseconds_cell(dag.duration(task)), dag.bytes(task).count()});
  }
  return table;
}

}  // namespace

namespace {

/// Returns " In the long run a step takes 130.9 ms." if the captured steps took at least 5 % more or less, for example
/// because the device still had earlier work or a rank began late.
std::string long_run_text(const Findings& findings) {
  constexpr double kLeast = 0.05;
  if (!findings.steady) return {};
  const Duration captured = findings.summary.iteration.replayed;
  if (std::abs(ratio(findings.steady->length - captured, captured)) < kLeast) return {};
  return fmt::format(" In the long run a step takes {}.", to_text(findings.steady->length));
}

}  // namespace

Document replay_document(const Findings& findings, const Provenance& provenance) {
  Document document = document_of(
      kReplay, "stepsim.replay/1",
      headline(findings.capture, findings.summary, findings.path.path) + long_run_text(findings),
      [&findings] { return rows_of(findings.summary); }, findings, provenance);
  document.trust = trust_line(findings.capture, findings.summary, findings.path.path, findings.perturbation);
  return document;
}

Document critical_path_document(const Findings& findings, const Provenance& provenance) {
  const CriticalPath& path = findings.path.path;
  std::string sentence = fmt::format("Critical path of {}: {} in {}{}.", path_subject(findings.path),
                                     to_text(path.length), counted(path.tasks.size(), "task"), shares_text(path));
  return document_of(
      kCriticalPath, "stepsim.critical_path/1", std::move(sentence),
      [&findings] { return rows_table(kPathLine, lines_of(findings.capture.dag, findings.path.path)); }, findings,
      provenance);
}

Document calibration_document(const Findings& findings, const Provenance& provenance) {
  return document_of(
      kCalibration, "stepsim.calibrate/1", headline(*findings.calibration, findings.capture),
      [&findings] { return rows_table(kFit, findings.calibration->fits); }, findings, provenance);
}

Document conversion_document(const Findings& findings, std::string_view form, const Provenance& provenance) {
  const Capture& capture = findings.capture;
  std::string sentence = fmt::format("Wrote {} ({}): {}, {} of {} used.", shown(findings.output), form,
                                     counted(capture.dag.task_count(), "task"),
                                     grouped(capture.events - capture.skipped), counted(capture.events, "record"));
  return document_of(
      kConversion, "stepsim.convert/1", std::move(sentence), [&capture] { return rows_of(capture); }, findings,
      provenance);
}

std::vector<AnswerSchema> capture_schemas() {
  return {schema_of("stepsim.replay/1", capture_reports(), kReplay),
          schema_of("stepsim.critical_path/1", capture_reports(), kCriticalPath),
          schema_of("stepsim.calibrate/1", capture_reports(), kCalibration),
          schema_of("stepsim.convert/1", capture_reports(), kConversion)};
}

}  // namespace stepsim::sim
