// When every task starts and finishes, by the id that its file gave it. For programs, if asked for.

#include "sim/report/report.h"

namespace stepsim::sim {
namespace {

void tasks_detail_members(JsonWriter& json, const Findings& findings) {
  if (!findings.tasks_detail) return;
  const Timeline& timeline = *findings.timeline;
  const std::vector<std::int64_t>& ids = findings.capture.task_ids;
  json.key("tasks_detail").begin_array();
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    json.new_line().begin_object().key("id").value(ids.empty() ? static_cast<std::int64_t>(i) : ids[i]);
    json.key("start_ns").value(timeline.start[i].time_since_epoch());
    json.key("finish_ns").value(timeline.finish[i].time_since_epoch()).end_object();
  }
  json.end_array();
}

}  // namespace

extern const CaptureReport tasks_detail_report;
const CaptureReport tasks_detail_report{.id = "tasks detail", .in = kReplay, .members = tasks_detail_members};

}  // namespace stepsim::sim
