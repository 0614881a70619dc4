#include "model/rewrite/parameter_server/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "model/base/error.h"
#include "model/job/parameter_server/workload.h"
#include "model/job/topology.h"
#include "model/rewrite/capture_edit.h"
#include "model/rewrite/parameter_server/job_graph.h"

namespace stepsim {
namespace {

InputLocation place_of(const Capture& capture) {
  return {capture.inputs.empty() ? "the capture" : capture.inputs.front().name, {}, {}};
}

void set_copy_cost(PsStageCosts& costs, PsStage stage, const HostRates& rates, const std::optional<Bandwidth>& rate) {
  if (!rate.has_value()) return;
  LineFit& time = costs[static_cast<std::size_t>(stage)].time;
  time.intercept = static_cast<double>(rates.copy_overhead.count());
  time.slope = 1e9 / rate->bytes_per_second();
}

/// Sets the time of copies from the cluster's rates. The recorded delay of GPUs other than the root includes waiting
/// for the root, so the root's delay is used for them.
void complete_costs(PsStageCosts& on_root, PsStageCosts& on_others, const HostRates& rates) {
  for (PsStageCosts* const costs : {&on_root, &on_others}) {
    set_copy_cost(*costs, PsStage::kCopyToHost, rates, rates.copy_to_host);
    set_copy_cost(*costs, PsStage::kCopyToDevice, rates, rates.copy_to_device);
  }
  for (const PsStage stage : {PsStage::kReduce, PsStage::kCopyToDevice, PsStage::kBroadcast}) {
    const auto i = static_cast<std::size_t>(stage);
    on_others[i].hand_over = on_root[i].hand_over;
  }
}

PsJobGraph graph_for(const Capture& capture, const PsOptions& options, const Cluster& cluster) {
  const PsWorkload& workload = *capture.parameter_server;
  PsJobGraph graph{.workload = workload,
                   .options = options,
                   .cluster = cluster,
                   .shape = shape_of(workload, options, place_of(capture)),
                   .on_root = stage_costs(workload, true),
                   .on_others = stage_costs(workload, false)};
  const std::size_t needed = std::size_t{graph.shape.workers} + graph.shape.servers;
  if (cluster.endpoints.size() < needed) {
    throw InputError(place_of(capture),
                     fmt::format("the cluster has {} endpoints; expected one for each of {} workers and {} servers",
                                 cluster.endpoints.size(), graph.shape.workers, graph.shape.servers));
  }
  complete_costs(graph.on_root, graph.on_others, cluster.rates);
  graph.names.resize(graph.shape.partitions);
  if (partition_bound(options.job) == partition_bound(workload.job)) {
    for (const PsStageRun& run : workload.stages)
      graph.stage_runs.try_emplace({run.gpu, run.step, run.key, run.stage}, run.run);
  }
  return graph;
}

/// Returns the approximate duration of an iteration of the captured job.
Duration iteration_of(const PsWorkload& workload) {
  const std::vector<PsOperator>& operators = workload.gpus.front().operators;
  const std::vector<PsRun>& first = operators.front().runs;
  if (first.size() > 1 && workload.steps[1] == workload.steps[0] + 1 && first[1].start > first[0].start)
    return first[1].start - first[0].start;
  return operators.back().runs.front().finish - first.front().start;
}

/// Adds a task before each worker's first step that delays its start, so that the starts are spread over an iteration.
void spread_workers(PsJobGraph& graph) {
  const Duration iteration = iteration_of(graph.workload);
  for (std::uint32_t worker = 0; worker < graph.shape.workers; ++worker) {
    for (std::uint32_t local_rank = 0; local_rank < graph.shape.local_size; ++local_rank) {
      PsGpuGraph& gpu = graph.gpu(worker, local_rank);
      for (const auto& [row, lane] : gpu.rows) {
        gpu.last_of_row[row] = graph.builder.add_task({.kind = TaskKind::kControl,
                                                       .name = graph.builder.intern("begins later"),
                                                       .lane = lane,
                                                       .duration = iteration * worker / graph.shape.workers});
      }
    }
  }
}

void add_steps(PsJobGraph& graph) {
  if (graph.options.spread) spread_workers(graph);
  const auto recorded = static_cast<std::uint32_t>(graph.workload.steps.size());
  for (std::uint32_t i = 0; i < graph.options.warm_up + recorded; ++i) {
    graph.is_recorded = i >= graph.options.warm_up;
    graph.step = graph.is_recorded ? i - graph.options.warm_up : 0;
    add_operators(graph);
    for (const PsCut& cut : graph.shape.tensors) add_partitions(graph, cut);
    let_updates_wait(graph);
    for (const PsOperator& op : graph.workload.gpus.front().operators) {
      const PsRun& run = op.runs[graph.step];
      graph.step_begin += run.finish - run.start;
    }
  }
}

// ---- recording

/// Returns the start of the first recorded step of each rank.
std::map<Rank, Time> first_starts(const PsJobGraph& graph) {
  std::map<Rank, Time> first;
  for (const PsGpuGraph& gpu : graph.gpus) first[gpu.rank] = gpu.source->operators.front().runs.front().start;
  return first;
}

std::vector<RecordedStep> recorded_steps(const PsJobGraph& graph) {
  const std::vector<std::int64_t>& numbers = graph.workload.steps;
  std::vector<RecordedStep> steps;
  for (const PsGpuGraph& gpu : graph.gpus) {
    for (std::size_t i = 0; gpu.recorded && i < numbers.size(); ++i) {
      const bool follows = i + 1 < numbers.size() && numbers[i + 1] == numbers[i] + 1;
      steps.push_back({gpu.rank, numbers[i], TaskId{}, follows, true});
    }
  }
  return steps;
}

void fill_recording(const PsJobGraph& graph, const DagBuilder::Result& built, Recording& recording) {
  const std::map<Rank, Time> first = first_starts(graph);
  recording.step.assign(built.dag.task_count(), -1);
  recording.start.resize(built.dag.task_count());
  for (const TaskId task : built.dag.tasks()) recording.start[task.index()] = first.at(built.dag.lane(task).rank);
  recording.finish = recording.start;
  for (std::size_t old = 0; old < graph.noted.size(); ++old) {
    const PsJobGraph::Noted& noted = graph.noted[old];
    if (noted.step < 0) continue;
    const std::size_t task = built.new_id[old].index();
    recording.start[task] = noted.run.start;
    recording.finish[task] = noted.run.finish;
    recording.step[task] = noted.step;
  }
  recording.steps = recorded_steps(graph);
  for (const auto& [task, step] : graph.step_first)
    recording.steps[static_cast<std::size_t>(step)].first = built.new_id[task.index()];
  for (const auto& [rank, start] : first) recording.ranks.push_back(rank);
}

DagBuilder::Result build(PsJobGraph& graph, const InputLocation& where) {
  try {
    return std::move(graph.builder).build();
  } catch (const CycleError& error) {
    throw InputError(where, fmt::format("the job cannot be rebuilt: {}", error.what()));
  }
}

}  // namespace

// ---- helpers of the graph

Time PsJobGraph::hint(const PsGpuGraph& gpu, Time recorded_time) const {
  const Time begin = gpu.source->operators.front().runs[step].start;
  return step_begin + (recorded_time - begin);
}

std::int32_t PsJobGraph::step_of(const PsGpuGraph& gpu) const {
  if (!is_recorded || !gpu.recorded) return -1;
  return static_cast<std::int32_t>(gpu.source_index * workload.steps.size() + step);
}

void PsJobGraph::note(TaskId task, const PsGpuGraph& gpu, const std::optional<PsRun>& run) {
  if (step_of(gpu) < 0 || !run.has_value()) return;
  noted.resize(std::max(noted.size(), task.index() + 1));
  noted[task.index()] = {*run, step_of(gpu)};
}

void PsJobGraph::note_first(TaskId task, const PsGpuGraph& gpu) {
  if (step_of(gpu) >= 0) step_first.emplace_back(task, step_of(gpu));
}

void PsJobGraph::link(TaskId from, TaskId to, EdgeKind kind, Duration lag) {
  if (from.valid() && to.valid()) builder.add_edge(from, to, kind, lag);
}

// ---- public functions

PsOptions as_captured(const PsWorkload& workload) { return {.job = workload.job, .compute_scale = {}}; }

Capture build_parameter_server(const Capture& capture, const PsOptions& options, const Cluster& cluster) {
  PsJobGraph graph = graph_for(capture, options, cluster);
  add_lanes(graph);
  add_steps(graph);
  DagBuilder::Result built = build(graph, place_of(capture));
  Capture result = without_tasks(capture);
  fill_recording(graph, built, result.recording);
  result.recording.clocks = capture.recording.clocks;
  result.dag = std::move(built.dag);
  result.job = options.job;
  result.cluster = cluster;
  return result;
}

PsPlaces places_in(const Cluster& cluster, std::uint32_t workers, std::uint32_t servers) {
  bool colocated = servers > 0 && workers > 0 && cluster.endpoints.size() >= std::size_t{workers} + servers;
  for (std::uint32_t server = 0; colocated && server < servers; ++server)
    colocated = cluster.endpoints[workers + server] == cluster.endpoints[server % workers];
  return {workers, servers, colocated};
}

Cluster with_places(const Cluster& cluster, const PsPlaces& before, const PsPlaces& after) {
  ClusterShape shape = shape_of(cluster);
  if (before.colocated) shape.endpoints.assign(cluster.endpoints.begin(), cluster.endpoints.begin() + before.workers);
  const std::array kinds{
      Resize{before.workers, after.workers},
      Resize{before.colocated ? 0 : before.servers, after.colocated ? 0 : after.servers},
  };
  shape = resized(std::move(shape), kinds);
  if (after.colocated) {
    shape.endpoints = endpoints_of(shape);
    for (std::uint32_t server = 0; server < after.servers; ++server)
      shape.endpoints.push_back(shape.endpoints[server % after.workers]);
  }
  return with_shape(cluster, std::move(shape));
}

}  // namespace stepsim
