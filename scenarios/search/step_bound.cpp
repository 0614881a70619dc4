#include "scenarios/search/step_bound.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/base/error.h"
#include "model/cost/collective/algorithm.h"
#include "model/job/dag_builder.h"
#include "model/rewrite/buckets.h"
#include "model/rewrite/parallel/added_collectives.h"
#include "model/rewrite/parallel/divided_step.h"
#include "model/rewrite/parallel/pipeline.h"
#include "scenarios/change/on_machine.h"
#include "sim/engine/collectives_alone.h"

namespace stepsim::scenarios {
namespace {

/// Returns the parallelism of one stage with one microbatch, and one replica or those that divide the experts, in which
/// a device does the same work.
Parallelism of_one_stage(Parallelism parallelism) {
  parallelism.pipeline = parallelism.microbatches = parallelism.interleave = 1;
  parallelism.data = parallelism.expert;
  parallelism.schedule = {};
  parallelism.zero = 0;
  parallelism.split.clear();
  return parallelism;
}

/// Returns the edge from `from` to `to` exists.
bool is_followed_by(const Dag& dag, TaskId from, TaskId to) {
  const auto edges = dag.edges_from(from);
  return std::any_of(edges.begin(), edges.end(), [&](EdgeId edge) { return dag.target(edge) == to; });
}

/// Returns for each task of a stream the longest collective that waits for the task before it and is waited for by it.
std::map<TaskId, Duration> waits_between(const Dag& dag, const std::vector<TaskId>& stream,
                                         const std::vector<Duration>& alone) {
  std::map<TaskId, TaskId> next;
  for (std::size_t i = 1; i < stream.size(); ++i) next[stream[i - 1]] = stream[i];
  std::map<TaskId, Duration> waits;
  for (const auto& [before, after] : next) {
    for (const EdgeId edge : dag.edges_from(before)) {
      const TaskId collective = dag.target(edge);
      const RendezvousId rendezvous = dag.rendezvous(collective);
      // Replicas that divide experts also reduce gradients, but among fewer ranks than in the plan.
      if (!rendezvous.valid() || !dag.collective(rendezvous).of_activations) continue;
      if (!is_followed_by(dag, collective, after)) continue;
      Duration& wait = waits[after];
      wait = std::max(wait, alone[rendezvous.index()]);
    }
  }
  return waits;
}

/// Returns the tasks of a step on the stream with the most work, by start.
std::vector<TaskId> busiest_stream(const Capture& capture, std::int32_t step, const std::vector<Duration>& durations) {
  std::map<LaneId, std::vector<TaskId>> streams;
  std::map<LaneId, Duration> busy;
  for (const TaskId task : capture.dag.tasks()) {
    const LaneId lane = capture.dag.lane_id(task);
    if (capture.recording.step[task.index()] != step || capture.dag.lane(lane).kind != LaneKind::kStream ||
        capture.dag.rendezvous(task).valid())
      continue;
    streams[lane].push_back(task);
    busy[lane] += durations[task.index()];
  }
  const auto most =
      std::max_element(busy.begin(), busy.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == busy.end() ? std::vector<TaskId>{} : streams[most->first];
}

/// Returns how long an all-reduce of so many bytes takes among the replicas of one rank.
Duration time_of_reduction(const Plan& plan, Rank first, Bytes bytes) {
  const Parallelism& parallelism = plan.parallelism;
  DagBuilder builder;
  Group group = copied_group("replicas", first, parallelism.data, parallelism.distance_of_replicas());
  const RendezvousId rendezvous = builder.add_rendezvous({.op = CollectiveOp::kAllReduce,
                                                          .algorithm = find_collective_model("nccl"),
                                                          .bytes = bytes,
                                                          .group = builder.add_group(std::move(group))});
  const LaneId lane = builder.add_lane({.name = "stream", .rank = first, .kind = LaneKind::kStream});
  const TaskId task =
      builder.add_task({.kind = TaskKind::kCollective, .name = builder.intern("all_reduce"), .lane = lane});
  builder.join(rendezvous, task);
  const Dag dag = std::move(builder).build().dag;
  return sim::collectives_alone(dag, *plan.network, *cluster_on_machine(plan)).front();
}

/// Returns how long a message takes between two ranks with an idle network.
Duration alone(const Plan& plan, Rank from, Rank to, Bytes bytes) {
  DagBuilder builder;
  const RendezvousId rendezvous =
      builder.add_rendezvous({.op = CollectiveOp::kSendRecv,
                              .algorithm = find_collective_model("nccl"),
                              .bytes = bytes,
                              .group = builder.add_group({.name = "stages", .size = 2, .ranks = {from, to}})});
  for (const Rank rank : {from, to}) {
    const LaneId lane = builder.add_lane({.name = "stream", .rank = rank, .kind = LaneKind::kStream});
    builder.join(rendezvous,
                 builder.add_task({.kind = TaskKind::kCollective, .name = builder.intern("message"), .lane = lane}));
  }
  const Dag dag = std::move(builder).build().dag;
  return sim::collectives_alone(dag, *plan.network, *cluster_on_machine(plan)).front();
}

}  // namespace

StepBounds::StepBounds(Predictor& predictor, const Plan& plan) : predictor_(predictor) {
  if (predictor.frees_kernels() || plan.network->make == nullptr) return;
  Plan stage = plan;
  stage.parallelism = of_one_stage(plan.parallelism);
  stage.job.bucket_bytes = plan.captured->job.bucket_bytes;
  graph_key_ = stage.graph_key();
  PlannedWork work = predictor.work(stage);
  graph_ = std::move(work.graph);
  read_stream(stage, work.durations);
}

StepBounds::~StepBounds() {
  if (graph_ != nullptr) predictor_.forget(graph_key_);
}

void StepBounds::read_stream(const Plan& plan, const std::vector<Duration>& durations) {
  const Recording& recording = graph_->recording;
  calls_ = calls_of_typical_step(*graph_);
  if (calls_.empty()) return;
  call_of_ = calls_by_work(device_launches(*graph_));
  const std::int32_t step = recording.step[calls_.front().first.index()];
  is_one_step_ = recording.steps.size() == 1;
  const auto gradients = gradients_of_steps(*graph_);
  if (const auto found = gradients.find(step); found != gradients.end()) gradients_ = found->second.gradients;
  const std::vector<TaskId> stream = busiest_stream(*graph_, step, durations);
  for (std::size_t i = 1; i < stream.size(); ++i) {
    if (!is_followed_by(graph_->dag, stream[i - 1], stream[i])) return;
  }
  const bool has_collectives = graph_->dag.rendezvous_count() > 0;
  const auto waits = has_collectives
                         ? waits_between(graph_->dag, stream,
                                         sim::collectives_alone(graph_->dag, *plan.network, *cluster_on_machine(plan)))
                         : std::map<TaskId, Duration>{};
  for (const TaskId task : stream) {
    const auto wait = waits.find(task);
    stream_.push_back({launch_time(recording, call_of_, task), durations[task.index()],
                       wait == waits.end() ? Duration{} : wait->second});
  }
}

/// Cuts the step where model/rewrite/parallel/pipeline.cpp does: device work belongs to the piece in which it was
/// launched.
StepBounds::Pieces StepBounds::cut(const Cut& cut) const {
  const auto& [parts, split] = cut;
  const StageCuts cuts = stage_cuts(*graph_, calls_, parts, split);
  const std::vector<Time> begins = piece_begins(*graph_, calls_, call_of_, cuts);
  const auto piece_at = [&begins](Time time) {
    return static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), time) - begins.begin());
  };
  Pieces pieces{std::vector<Duration>(2 * std::size_t{parts} + 1), std::vector<Bytes>(2 * std::size_t{parts} + 1),
                cuts.activations};
  std::size_t before = pieces.time.size();
  for (const Work& work : stream_) {
    const std::size_t piece = piece_at(work.launched);
    pieces.time[piece] += work.time + (piece == before ? work.wait : Duration{});
    before = piece;
  }
  for (const Gradient& gradient : gradients_)
    pieces.gradients[piece_at(graph_->recording.start[gradient.ready.index()])] += gradient.bytes;
  return pieces;
}

const StepBounds::Pieces& StepBounds::pieces(const Cut& wanted) {
  const auto known = pieces_.find(wanted);
  return known != pieces_.end() ? known->second : pieces_.emplace(wanted, cut(wanted)).first->second;
}

double StepBounds::time_per_byte(const Plan& plan, std::uint32_t stage) {
  const Parallelism& parallelism = plan.parallelism;
  const std::uint32_t first = parallelism.first_rank(stage);
  const auto [known, is_new] =
      time_per_byte_.try_emplace({parallelism.data, parallelism.distance_of_replicas(), first}, 0.0);
  if (!is_new) return known->second;
  constexpr Bytes kLarge{std::int64_t{1} << 36U};
  const Duration once = time_of_reduction(plan, static_cast<Rank>(first), kLarge);
  const Duration twice = time_of_reduction(plan, static_cast<Rank>(first), kLarge + kLarge);
  const auto more = static_cast<double>((twice - once).count());
  return known->second = std::max(0.0, more / static_cast<double>(kLarge.count()));
}

StepBounds::Message StepBounds::message(const Plan& plan, std::uint32_t stage, Bytes activations) {
  // The change of the samples and the divisions each round the size.
  const double share = plan.size_of_sent_activations() / plan.parallelism.tensor;
  const Bytes bytes = scaled(activations, plan.batches / plan.parallelism.microbatches * share) - Bytes{2};
  if (bytes <= Bytes{}) return {};
  const Rank from = static_cast<Rank>(plan.parallelism.first_rank(stage));
  const Rank to = static_cast<Rank>(plan.parallelism.first_rank(stage + 1));
  const auto [known, is_new] = messages_.try_emplace({from, to, bytes});
  if (!is_new) return known->second;
  const Duration once = alone(plan, from, to, bytes);
  return known->second = {once, std::max(Duration{}, alone(plan, from, to, bytes + bytes) - once)};
}

Duration StepBounds::of(const Plan& plan) {
  const Parallelism& parallelism = plan.parallelism;
  if (stream_.empty() || (!parallelism.has_pieces() && !is_one_step_)) return {};
  const std::uint32_t stages = parallelism.pipeline;
  const std::uint32_t parts = parallelism.parts_of_pipeline();
  const Pieces& all = pieces({parts, plan.divided_step->cut(parallelism).split});
  const auto backward = [parts](std::uint32_t part) { return 2 * std::size_t{parts} - 1 - part; };
  const bool reduces = parallelism.data > 1 && parallelism.zero == 0 && parallelism.expert == 1;
  Duration bound{};
  Duration arrives{};
  Duration returns{};
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    Duration of_microbatch{};
    for (std::uint32_t part = stage; part < parts; part += stages)
      of_microbatch += all.time[part] + all.time[backward(part)];
    const Duration busy = arrives + of_microbatch * static_cast<std::int64_t>(parallelism.microbatches);
    bound = std::max(bound, busy + returns);
    if (reduces) {
      const auto bytes = static_cast<double>(all.gradients[backward(stage)].count()) / parallelism.tensor;
      const Duration reduction{static_cast<std::int64_t>(bytes * time_per_byte(plan, stage))};
      bound = std::max(bound, busy - all.time[backward(stage)] + reduction);
    }
    arrives += all.time[stage];
    returns += all.time[backward(stage)];
    if (stage + 1 == stages) break;
    const Message next = message(plan, stage, all.activations[stage]);
    const auto more = static_cast<std::int64_t>(parallelism.microbatches - 1);
    arrives += next.alone;
    returns += next.alone;
    bound = std::max(bound, arrives + next.more * more);
  }
  return bound;
}

}  // namespace stepsim::scenarios
