#ifndef STEPSIM_SIM_REPORT_REPORT_H
#define STEPSIM_SIM_REPORT_REPORT_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/calibration/calibration.h"
#include "model/cost/network/network.h"
#include "model/job/recording.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/perturbation.h"
#include "sim/analysis/slow_ranks.h"
#include "sim/analysis/steady.h"
#include "sim/analysis/summary.h"
#include "sim/analysis/where_to_look.h"
#include "sim/engine/timeline.h"
#include "sim/output/json_writer.h"
#include "sim/output/provenance.h"
#include "sim/report/capture_trust.h"
#include "sim/report/document.h"
#include "sim/report/field.h"

namespace stepsim::sim {

/// One part of a document about a `Found`: sections for people, and fields of the JSON object for programs. Either may
/// be missing. Both appear in the order of the list of reports.
template <class Found>
struct Report {
  std::string_view id;     ///< for example "steps"
  std::uint8_t in = 0xFF;  ///< the documents that contain it, as a set of flags
  /// Returns the sections; empty sections are left out.
  std::vector<Section> (*sections)(const Found& found) = nullptr;
  Fields<Found> fields{};  ///< the fields for programs
};

/// The results of replaying a capture, from which documents are made.
struct Findings {
  const Capture& capture;
  const Timeline* timeline = nullptr;  ///< a replay of capture.dag
  Summary summary;                     ///< summary of `timeline`
  IterationPath path;
  /// Absent if the steps cannot be repeated, or if the captured steps contradict the repetition.
  std::optional<SteadyIteration> steady{};
  std::optional<Duration> contradicted_repetition{};  ///< result of the function of this name
  std::optional<Perturbation> perturbation;  ///< result of the perturbation test; absent if it was not possible
  std::vector<Straggler> stragglers;
  std::optional<SlowRanks> slow_ranks{};     ///< set if it was requested
  const NetworkModel* network = nullptr;     ///< the model that timed transfers
  const Calibration* calibration = nullptr;  ///< set if the hardware was calibrated
  CaptureTrust trust;                        ///< how far the capture can be trusted
  std::string output;                        ///< the file that a conversion writes
  std::size_t path_rows = 10;                ///< maximum number of path tasks to list
  bool tasks_detail = false;                 ///< true if JSON includes the times of every task
};

/// The documents that can be made of findings. The values are flags and can be combined.
enum CaptureDocument : std::uint8_t { kReplay = 1, kCriticalPath = 2, kCalibration = 4, kConversion = 8 };

/// Returns the reports on a capture, in document order; they are listed in capture_reports.cpp.
using CaptureReport = Report<Findings>;
[[nodiscard]] std::span<const CaptureReport> capture_reports();

/// Returns three to five sentences about what to look at first.
[[nodiscard]] std::vector<Section> where_to_look_sections(const Findings& findings);

/// Appends the sections of `reports` that belong to `document`.
template <class Found>
void add_sections(Document& document, std::span<const Report<Found>> reports, const Found& found,
                  std::uint8_t in = 0xFF) {
  for (const Report<Found>& report : reports) {
    if ((report.in & in) == 0 || report.sections == nullptr) continue;
    for (Section& section : report.sections(found)) {
      if (section.empty()) continue;
      section.report = report.id;
      document.sections.push_back(std::move(section));
    }
  }
}

/// Writes {"schema":..., the fields of the reports that belong to the document, "provenance":...}.
template <class Found>
void write_object(JsonWriter& json, std::string_view schema, std::span<const Report<Found>> reports, const Found& found,
                  const Provenance& provenance, std::uint8_t in = 0xFF) {
  json.begin_object().key("schema").value(schema).new_line();
  for (const Report<Found>& report : reports) {
    if ((report.in & in) == 0 || report.fields.empty()) continue;
    write_members(json, report.fields, found);
    json.new_line();
  }
  write_provenance(json, provenance);
  json.end_object();
}

/// Returns the schema of the object that write_object() writes.
template <class Found>
[[nodiscard]] AnswerSchema schema_of(std::string_view id, std::span<const Report<Found>> reports,
                                     std::uint8_t in = 0xFF) {
  AnswerSchema schema{.id = id, .fields = {}};
  for (const Report<Found>& report : reports) {
    if ((report.in & in) != 0) schema.fields.emplace_back(report.fields);
  }
  return schema;
}

}  // namespace stepsim::sim

#endif
