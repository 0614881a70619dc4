#include "sim/check/check_json.h"

#include <array>
#include <string_view>
#include <utility>

#include "sim/check/check_document.h"
#include "sim/check/recorded.h"
#include "sim/output/json_writer.h"
#include "sim/report/members.h"

namespace stepsim::sim {
namespace {

void write_questions(JsonWriter& json, const Checkup& checkup) {
  json.key("questions").begin_object();
  for (const Question question : kQuestions) {
    json.key(to_text(question));
    if (checkup.applicable.has(question)) {
      json.value(to_text(checkup.cost_of(question)));
    } else {
      json.null();
    }
  }
  json.end_object().new_line();
}

void write_findings(JsonWriter& json, const Checkup& checkup) {
  json.key("findings").begin_array();
  for (const Finding& finding : checkup.findings) {
    json.new_line().begin_object().key("name").value(finding.name).key("cost").value(to_text(finding.cost));
    json.key("questions").begin_array();
    for (const Question question : kQuestions) {
      if (finding.weakens.has(question)) json.value(to_text(question));
    }
    json.end_array().key("count").value(finding.count).key("share").value(finding.share);
    json.key("sentence").value(finding.sentence).key("effect").value(finding.effect);
    json.key("remedy").value(finding.remedy).end_object();
  }
  json.end_array().new_line();
}

/// Columns of counts by the name of their member.
template <class Contents>
using CountMember = std::pair<std::string_view, std::uint64_t Contents::*>;

constexpr auto kProcessCounts = std::to_array<CountMember<HostDeviceContents>>({
    {"host_threads", &HostDeviceContents::host_threads},
    {"devices", &HostDeviceContents::devices},
    {"streams", &HostDeviceContents::streams},
    {"step_marks", &HostDeviceContents::step_marks},
    {"operators", &HostDeviceContents::operators},
    {"annotations", &HostDeviceContents::annotations},
    {"calls", &HostDeviceContents::calls},
    {"kernels", &HostDeviceContents::kernels},
    {"copies", &HostDeviceContents::copies},
    {"syncs", &HostDeviceContents::syncs},
    {"launches", &HostDeviceContents::launches},
    {"launches_without_work", &HostDeviceContents::launches_without_work},
    {"work_without_launch", &HostDeviceContents::work_without_launch},
    {"collectives", &HostDeviceContents::collectives},
    {"sized_collectives", &HostDeviceContents::sized_collectives},
    {"sequenced_collectives", &HostDeviceContents::sequenced_collectives},
    {"host_collectives", &HostDeviceContents::host_collectives},
    {"shaped_operators", &HostDeviceContents::shaped_operators},
    {"python_calls", &HostDeviceContents::python_calls},
    {"module_calls", &HostDeviceContents::module_calls},
    {"memory_events", &HostDeviceContents::memory_events},
    {"flops_events", &HostDeviceContents::flops_events},
});

constexpr auto kSourceCounts = std::to_array<CountMember<SourceContents>>({
    {"events", &SourceContents::events},
    {"skipped", &SourceContents::skipped},
    {"stages", &SourceContents::stages},
    {"partitions", &SourceContents::partitions},
    {"operator_events", &SourceContents::operator_events},
    {"operators_with_step", &SourceContents::operators_with_step},
    {"operators_with_inputs", &SourceContents::operators_with_inputs},
    {"graph_nodes", &SourceContents::graph_nodes},
    {"tensors", &SourceContents::tensors},
    {"graph_tasks", &SourceContents::graph_tasks},
    {"ranges", &SourceContents::ranges},
    {"samples", &SourceContents::samples},
});

void write_process(JsonWriter& json, const HostDeviceContents& process) {
  json.new_line().begin_object().key("rank").value(process.rank).key("world_size").value(process.world_size);
  json.key("host").value(process.host).key("device").value(process.device_name);
  json.key("backend").value(process.backend).key("has_base_time").value(process.has_base_time);
  json.key("span_ns").value(process.span);
  for (const auto& [name, count] : kProcessCounts) json.key(name).value(process.*count);
  json.key("overhead").begin_array();
  for (const OverheadUse& use : process.overheads) {
    json.begin_object().key("kind").value(use.kind).key("of").value(use.of_profiler ? "profiler" : "CUDA");
    json.key("count").value(use.count).key("total_ns").value(use.total).key("by_clock_ns").value(use.by_clock);
    json.key("longest_ns").value(use.longest).end_object();
  }
  json.end_array();
  json.end_object();
}

void write_sources(JsonWriter& json, const CaptureContents& contents) {
  json.key("files").begin_array();
  for (const SourceContents& source : contents.sources) {
    json.new_line().begin_object().key("file").value(source.file).key("format").value(source.format);
    json.key("problem").value(source.problem);
    for (const auto& [name, count] : kSourceCounts) json.key(name).value(source.*count);
    json.key("processes").begin_array();
    for (const HostDeviceContents& process : source.processes) write_process(json, process);
    json.end_array().end_object();
  }
  json.end_array().new_line();
}

void write_replay(JsonWriter& json, const ReplayCheck& replay) {
  const IterationReport& iteration = replay.summary.iteration;
  json.key("replay").begin_object().key("measured_ns");
  if (replay.summary.measured) {
    json.value(iteration.measured).key("replayed_ns").value(iteration.replayed).key("error").value(iteration.error);
  } else {
    json.null().key("replayed_ns").value(iteration.replayed).key("error").null();
  }
  json.key("test_error");
  if (replay.perturbation) {
    json.value(replay.perturbation->error);
  } else {
    json.null();
  }
  const CriticalPath& path = replay.path.path;
  json.key("path").begin_object().key("length_ns").value(path.length).key("unexplained_ns").value(path.unexplained);
  json.key("silent_ns").value(path.silent).key("hand_overs").value(path.hand_overs);
  json.key("inferred").value(path.inferred).end_object().end_object().new_line();
}

}  // namespace

void write_members(JsonWriter& json, std::string_view key, const std::vector<PrivateContent>& parts) {
  json.key(key).begin_array();
  for (const PrivateContent& part : parts) {
    json.new_line().begin_object().key("kind").value(part.kind).key("secret").value(part.secret);
    json.key("count").value(part.count).key("first").value(part.first).end_object();
  }
  json.end_array().new_line();
}

void write_checkup(JsonWriter& json, const Checkup& checkup, const Examined& examined, const Provenance& provenance) {
  json.begin_object().key("schema").value("stepsim.check/1").new_line();
  json.key("verdict").value(to_text(checkup.verdict));
  json.key("usable").value(checkup.verdict != Verdict::kUnusable);
  json.key("sentence").value(verdict_sentence(checkup, examined)).new_line();
  json.key("ranks").value(ranks_in(examined)).key("whole_steps");
  json.value(examined.capture == nullptr ? std::size_t{0} : whole_steps_in(*examined.capture)).new_line();
  write_questions(json, checkup);
  write_findings(json, checkup);
  write_sources(json, examined.contents);
  write_members(json, "private", examined.contents.private_parts);
  if (examined.replay != nullptr) write_replay(json, *examined.replay);
  if (examined.capture != nullptr) {
    write_assumptions(json, examined.capture->assumptions);
    json.new_line();
  }
  write_provenance(json, provenance);
  json.end_object();
}

}  // namespace stepsim::sim
