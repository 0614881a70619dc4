#include "cli/report/report_json.h"

#include <algorithm>

#include "cli/report/json_parts.h"
#include "sim/output/json_writer.h"

namespace stepsim::cli {
namespace {

/// null where nothing was measured.
void write_measured(JsonWriter& json, bool measured, Duration duration) {
  json.key("measured_ns");
  measured ? json.value(duration.count()) : json.null();
}

void write_error(JsonWriter& json, std::string_view name, bool measured, double error) {
  json.key(name);
  measured ? json.value(error) : json.null();
}

void write_steps(JsonWriter& json, const sim::Summary& summary) {
  json.key("steps").begin_array();
  for (const sim::StepReport& step : summary.steps) {
    json.new_line().begin_object().key("rank").value(step.rank).key("step").value(step.step);
    write_measured(json, summary.measured, step.measured);
    write_duration(json, "replayed_ns", step.replayed);
    write_error(json, "error", summary.measured, step.error);
    json.key("held_out_error");
    step.held_out_error ? json.value(*step.held_out_error) : json.null();
    json.end_object();
  }
  json.end_array().new_line();
  json.key("set_aside").begin_array();
  for (const auto& [rank, step] : summary.set_aside) {
    json.begin_object().key("rank").value(rank).key("step").value(step).end_object();
  }
  json.end_array().new_line();
}

void write_iteration(JsonWriter& json, const sim::Summary& summary) {
  const sim::IterationReport& iteration = summary.iteration;
  json.key("iteration").begin_object();
  write_measured(json, summary.measured, iteration.measured);
  write_duration(json, "replayed_ns", iteration.replayed);
  write_error(json, "error", summary.measured, iteration.error);
  write_error(json, "mean_abs_error", summary.measured, iteration.mean_abs_error);
  write_error(json, "worst_abs_error", summary.measured, iteration.worst_abs_error);
  json.end_object().new_line();
}

void write_unexplained(JsonWriter& json, const sim::Summary& summary) {
  write_duration(json, "unexplained_wait_ns", summary.unexplained_wait);
  json.key("unexplained").begin_array();
  for (const sim::UnexplainedKind& kind : summary.unexplained) {
    json.begin_object().key("kind").value(kind.kind);
    write_duration(json, "wait_ns", kind.wait);
    json.key("count").value(kind.count).end_object();
  }
  json.end_array().new_line();
}

void write_breakdown(JsonWriter& json, const sim::Summary& summary) {
  json.key("breakdown").begin_array();
  for (const sim::RankBreakdown& rank : summary.ranks) {
    json.new_line().begin_object().key("rank").value(rank.rank);
    write_duration(json, "iteration_ns", rank.iteration);
    write_parts(json, rank);
    write_duration(json, "unexplained_ns", rank.unexplained);
    json.end_object();
  }
  json.end_array().new_line();
}

void write_path(JsonWriter& json, const NamedPath& path) {
  json.key("of").value(path.of);
  write_duration(json, "length_ns", path.path.length);
  json.key("classes").begin_object();
  for (std::size_t i = 0; i < sim::kPathClassCount; ++i) {
    const auto path_class = static_cast<sim::PathClass>(i);
    write_duration(json, sim::to_text(path_class), path.path[path_class]);
  }
  json.end_object();
  write_duration(json, "unexplained_ns", path.path.unexplained);
}

void write_path_task(JsonWriter& json, const Dag& dag, const sim::PathTask& task) {
  const Lane& lane = dag.lane(task.task);
  json.new_line().begin_object().key("name").value(dag.name(task.task)).key("rank").value(lane.rank);
  json.key("lane").value(lane.name).key("start_ns").value(task.start.time_since_epoch().count());
  write_duration(json, "duration_ns", task.duration);
  json.key("released_by").value(sim::released_by_text(dag, task));
  json.key("kind").value(to_text(dag.kind(task.task)));
  write_duration(json, "wait_ns", task.wait);
  write_duration(json, "queueing_ns", task.queueing);
  json.end_object();
}

void write_stragglers(JsonWriter& json, const Replayed& replayed) {
  json.key("stragglers").begin_array();
  for (const sim::Straggler& straggler : sim::stragglers(replayed.capture.dag, replayed.timeline)) {
    json.new_line().begin_object().key("rank").value(straggler.rank);
    write_duration(json, "others_waited_ns", straggler.each);
    json.key("last_in").value(straggler.last_in).key("collectives").value(straggler.collectives).end_object();
  }
  json.end_array().new_line();
}

void write_clock(JsonWriter& json, const Recording& recording) {
  json.key("clock").begin_object().key("hosts").begin_array();
  for (const HostClock& clock : recording.clocks) {
    json.begin_object().key("host").value(clock.host);
    write_duration(json, "offset_ns", clock.offset);
    write_duration(json, "residual_ns", clock.residual);
    json.key("slope").value(clock.slope).end_object();
  }
  json.end_array().end_object().new_line();
}

void write_network(JsonWriter& json, const Replayed& replayed) {
  json.key("network").begin_object().key("model").value(replayed.network->name);
  write_fits(json, replayed.hardware.calibration ? replayed.hardware.calibration->fits : std::vector<Fit>{});
  json.end_object().new_line();
}

void write_rate(JsonWriter& json, std::string_view name, const std::optional<Bandwidth>& rate) {
  json.key(name);
  rate ? json.value(rate->bytes_per_second()) : json.null();
}

void write_links(Output& out, JsonWriter& json, const std::vector<Link>& links) {
  json.key("links").begin_array();
  for (const Link& link : links) {
    json.new_line().begin_object().key("name").value(link.name);
    write_rate(json, "bandwidth_bytes_per_s", link.bandwidth);
    write_duration(json, "latency_ns", link.latency);
    json.key("efficiency").value(link.efficiency).end_object();
    out.write(json.take());
  }
  json.end_array().new_line();
}

void write_messages(JsonWriter& json, const NetworkParameters& network) {
  json.key("messages").begin_object();
  write_duration(json, "overhead_ns", network.message_overhead);
  write_duration(json, "collective_overhead_ns", network.collective_overhead);
  json.key("sharing").value(network.sharing);
  write_duration(json, "loggp_o_ns", network.overhead);
  write_duration(json, "loggp_g_ns", network.gap);
  json.end_object().new_line();
}

void write_rates(JsonWriter& json, const HostRates& rates) {
  json.key("rates").begin_object();
  write_rate(json, "copy_to_host_bytes_per_s", rates.copy_to_host);
  write_rate(json, "copy_to_device_bytes_per_s", rates.copy_to_device);
  write_duration(json, "copy_overhead_ns", rates.copy_overhead);
  write_rate(json, "sum_bytes_per_s", rates.sum);
  write_duration(json, "sum_overhead_ns", rates.sum_overhead);
  json.key("launch_overhead_ns");
  rates.launch_overhead ? json.value(rates.launch_overhead->count()) : json.null();
  json.end_object().new_line();
}

void write_tasks(Output& out, JsonWriter& json, const Capture& capture, const sim::Timeline& timeline) {
  json.key("tasks_detail").begin_array();
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    const std::int64_t id = capture.task_ids.empty() ? static_cast<std::int64_t>(i) : capture.task_ids[i];
    json.new_line().begin_object().key("id").value(id);
    json.key("start_ns").value(timeline.start[i].time_since_epoch().count());
    json.key("finish_ns").value(timeline.finish[i].time_since_epoch().count()).end_object();
    out.write(json.take());
  }
  json.end_array().new_line();
}

}  // namespace

void write_replay(Output& out, const Replayed& replayed, const sim::Summary& summary, const NamedPath& path,
                  const Provenance& provenance, bool tasks) {
  const Capture& capture = replayed.capture;
  JsonWriter json;
  begin(json, "stepsim.replay/1");
  json.key("tasks").value(capture.dag.task_count()).key("edges").value(capture.dag.edge_count());
  json.key("ranks").begin_array();
  for (const Rank rank : capture.recording.ranks) {
    json.value(rank);
  }
  json.end_array().new_line();
  write_steps(json, summary);
  write_iteration(json, summary);
  write_unexplained(json, summary);
  write_breakdown(json, summary);
  json.key("critical_path").begin_object();
  write_path(json, path);
  json.end_object().new_line();
  write_stragglers(json, replayed);
  write_clock(json, capture.recording);
  write_network(json, replayed);
  write_ingest(json, capture);
  write_assumptions(json, capture.assumptions);
  if (tasks) {
    write_tasks(out, json, capture, replayed.timeline);
  }
  write_provenance(json, provenance);
  end(out, json);
}

void write_critical_path(Output& out, const Replayed& replayed, const NamedPath& path, const Provenance& provenance) {
  const Dag& dag = replayed.capture.dag;
  JsonWriter json;
  begin(json, "stepsim.critical_path/1");
  write_path(json, path);
  json.new_line().key("tasks").begin_array();
  for (const sim::PathTask& task : path.path.tasks) {
    write_path_task(json, dag, task);
    out.write(json.take());
  }
  json.end_array().new_line();
  write_stragglers(json, replayed);
  write_ingest(json, replayed.capture);
  write_assumptions(json, replayed.capture.assumptions);
  write_provenance(json, provenance);
  end(out, json);
}

void write_conversion(Output& out, const Replayed& replayed, const std::string& output, const Provenance& provenance) {
  const Dag& dag = replayed.capture.dag;
  JsonWriter json;
  begin(json, "stepsim.convert/1");
  json.key("output").value(output).key("tasks").value(dag.task_count()).key("edges").value(dag.edge_count()).new_line();
  write_ingest(json, replayed.capture);
  write_provenance(json, provenance);
  end(out, json);
}

void write_calibration(Output& out, const Capture& capture, const Calibration& calibration,
                       const Provenance& provenance) {
  const Cluster& cluster = calibration.cluster;
  JsonWriter json;
  begin(json, "stepsim.calibrate/1");
  json.key("hosts").value(cluster.hosts.size()).key("endpoints").value(cluster.endpoints.size()).new_line();
  write_links(out, json, cluster.links);
  write_messages(json, cluster.network);
  write_rates(json, cluster.rates);
  write_fits(json, calibration.fits);
  json.new_line();
  write_ingest(json, capture);
  write_assumptions(json, calibration.assumptions);
  write_provenance(json, provenance);
  end(out, json);
}

}  // namespace stepsim::cli
