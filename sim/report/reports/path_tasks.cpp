// The critical path of an iteration, as the answer of critical-path: all of its tasks for programs.

#include "sim/report/members.h"
#include "sim/report/path_sections.h"
#include "sim/report/report.h"

namespace stepsim::sim {
namespace {

std::vector<Section> path_tasks_sections(const Findings& findings) {
  return path_sections(findings.capture.dag, findings.path.path, findings.path_rows);
}

void write_task(JsonWriter& json, const Dag& dag, const PathTask& task) {
  const Lane& lane = dag.lane(task.task);
  json.new_line().begin_object().key("name").value(dag.name(task.task)).key("rank").value(lane.rank);
  json.key("lane").value(lane.name).key("start_ns").value(task.start.time_since_epoch());
  json.key("duration_ns").value(task.duration).key("released_by").value(released_by_text(dag, task));
  json.key("kind").value(to_text(dag.kind(task.task))).key("wait_ns").value(task.wait);
  json.key("queueing_ns").value(task.queueing).end_object();
}

void path_tasks_members(JsonWriter& json, const Findings& findings) {
  write_members(json, findings.path);
  json.new_line().key("tasks").begin_array();
  for (const PathTask& task : findings.path.path.tasks) write_task(json, findings.capture.dag, task);
  json.end_array();
}

}  // namespace

extern const CaptureReport path_tasks_report;
const CaptureReport path_tasks_report{
    .id = "path tasks", .in = kCriticalPath, .sections = path_tasks_sections, .members = path_tasks_members};

}  // namespace stepsim::sim
