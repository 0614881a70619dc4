#ifndef STEPSIM_SIM_CHECK_CHECK_FIELDS_H
#define STEPSIM_SIM_CHECK_CHECK_FIELDS_H

#include <string>
#include <string_view>
#include <vector>

#include "sim/check/checkup.h"
#include "sim/report/common_fields.h"

/// The fields of a check's JSON objects, in their order.
namespace stepsim::sim {

struct CheckAnswer {
  const Checkup* checkup;
  const Examined* examined;
};
/// Returns the fields of the whole answer, schema stepsim.check/1.
[[nodiscard]] Fields<CheckAnswer> check_fields();

inline constexpr auto kHostDeviceContents = std::to_array<Field<HostDeviceContents>>({
    {"rank", at<&HostDeviceContents::rank>, {"rank", Use::kMain, Form::kId}},
    {"world_size", at<&HostDeviceContents::world_size>},
    {"host", at<&HostDeviceContents::host>, {.title = "host", .use = Use::kDetail, .place = 2}},
    {"device", at<&HostDeviceContents::device_name>, {.title = "device", .use = Use::kHelp, .place = 1}},
    {"backend", at<&HostDeviceContents::backend>},
    {"has_base_time", at<&HostDeviceContents::has_base_time>},
    {"span_ns", at<&HostDeviceContents::span>, {.title = "span", .place = 3}},
    {"host_threads", at<&HostDeviceContents::host_threads>, {.title = "threads", .use = Use::kHelp, .place = 10}},
    {"devices", at<&HostDeviceContents::devices>},
    {"streams", at<&HostDeviceContents::streams>, {.title = "streams", .place = 9}},
    {"step_marks", at<&HostDeviceContents::step_marks>, {.title = "steps", .place = 4}},
    {"operators", at<&HostDeviceContents::operators>, {.title = "operators", .place = 5}},
    {"annotations", at<&HostDeviceContents::annotations>},
    {"calls", at<&HostDeviceContents::calls>, {.title = "calls", .place = 6}},
    {"kernels", at<&HostDeviceContents::kernels>, {.title = "kernels", .place = 7}},
    {"copies", at<&HostDeviceContents::copies>, {.title = "copies", .place = 8}},
    {"syncs", at<&HostDeviceContents::syncs>, {.title = "waits", .use = Use::kHelp, .place = 12}},
    {"launches", at<&HostDeviceContents::launches>},
    {"launches_without_work", at<&HostDeviceContents::launches_without_work>},
    {"work_without_launch", at<&HostDeviceContents::work_without_launch>},
    {"collectives", at<&HostDeviceContents::collectives>},
    {"sized_collectives", at<&HostDeviceContents::sized_collectives>},
    {"sequenced_collectives", at<&HostDeviceContents::sequenced_collectives>},
    {"host_collectives", at<&HostDeviceContents::host_collectives>},
    {"shaped_operators", at<&HostDeviceContents::shaped_operators>},
    {"python_calls", at<&HostDeviceContents::python_calls>},
    {"module_calls", at<&HostDeviceContents::module_calls>},
    {"memory_events", at<&HostDeviceContents::memory_events>},
    {"flops_events", at<&HostDeviceContents::flops_events>},
    {"",
     [](const HostDeviceContents& process) { return process.collectives + process.host_collectives; },
     {.title = "collectives", .place = 11}},
    {"overhead", at<&HostDeviceContents::overheads>, kOverheadUse},
});

/// Lists what the source contains: "2 traces and 12 stages".
[[nodiscard]] std::string holds(const SourceContents& source);

inline constexpr auto kSourceContents = std::to_array<Field<SourceContents>>({
    {"file", at<&SourceContents::file>, {"file"}},
    {"format",
     at<&SourceContents::format>,
     {.title = "format",
      .cell = [](const SourceContents& source) -> Cell { return source.format.empty() ? "-" : source.format; }}},
    {"problem", at<&SourceContents::problem>},
    {"events", at<&SourceContents::events>, {"records"}},
    {"skipped", at<&SourceContents::skipped>, {"skipped"}},
    {"stages", at<&SourceContents::stages>},
    {"partitions", at<&SourceContents::partitions>},
    {"operator_events", at<&SourceContents::operator_events>},
    {"operators_with_step", at<&SourceContents::operators_with_step>},
    {"operators_with_inputs", at<&SourceContents::operators_with_inputs>},
    {"graph_nodes", at<&SourceContents::graph_nodes>},
    {"tensors", at<&SourceContents::tensors>},
    {"graph_tasks", at<&SourceContents::graph_tasks>},
    {"ranges", at<&SourceContents::ranges>},
    {"samples", at<&SourceContents::samples>},
    {"", at<holds>, {"contents"}},
    {"processes", at<&SourceContents::processes>, kHostDeviceContents, kItemLines},
});

/// A row of the table of processes.
struct ProcessLine {
  const SourceContents* source;
  const HostDeviceContents* process;
};
inline constexpr auto kProcessLine = std::to_array<Field<ProcessLine>>({
    {"", at<&ProcessLine::process>, kHostDeviceContents},
    {"", at<&ProcessLine::source, &SourceContents::file>, {.title = "file", .use = Use::kDetail, .place = 13}},
});

[[nodiscard]] std::vector<std::string_view> words_of(Questions questions);

/// Returns the word that tables and texts show for `cost`: "critical", "secret", "major", "minor", "info".
[[nodiscard]] std::string_view severity_of(Cost cost) noexcept;

inline constexpr auto kFinding = std::to_array<Field<Finding>>({
    {"name", at<&Finding::name>, {"problem"}},
    {"cost",
     at<&Finding::cost>,
     {.title = "severity",
      .cell = [](const Finding& finding) -> Cell { return std::string(severity_of(finding.cost)); }}},
    {"questions",
     [](const Finding& finding) { return words_of(finding.weakens); },
     {.title = "affects",
      .align = Align::kLeft,
      .cell = [](const Finding& finding) -> Cell { return to_text(finding.weakens); }}},
    {"count",
     at<&Finding::count>,
     {.title = "count",
      .cell = [](const Finding& finding) { return finding.count == 0 ? Cell("") : Cell(finding.count); }}},
    {"share",
     at<&Finding::share>,
     {.title = "share",
      .cell = [](const Finding& finding) { return finding.share ? percent_cell(*finding.share) : Cell(""); }}},
    {"sentence", at<&Finding::sentence>},
    {"effect", at<&Finding::effect>},
    {"remedy", at<&Finding::remedy>},
});

}  // namespace stepsim::sim

#endif
