#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "ingest/parts/byteps_names.h"
#include "ingest/stitch/parameter_server/tasks.h"
#include "model/job/parameter_server/partition.h"

namespace stepsim::ingest {
namespace {

TaskKind kind_of(Stage stage) noexcept {
  switch (stage) {
    case Stage::kReduce:
    case Stage::kBroadcast: return TaskKind::kCollective;
    case Stage::kCopyD2H:
    case Stage::kCopyH2D: return TaskKind::kCopy;
    case Stage::kTotal:
    case Stage::kPush:
    case Stage::kPull: return TaskKind::kTransfer;
    case Stage::kPcieReduce:
    case Stage::kCompress:
    case Stage::kDecompress: return TaskKind::kHost;
    default: return TaskKind::kControl;
  }
}

LaneKind lane_kind_of(Stage stage) noexcept {
  switch (kind_of(stage)) {
    case TaskKind::kCollective: return LaneKind::kStream;
    case TaskKind::kCopy: return LaneKind::kCopyEngine;
    case TaskKind::kTransfer: return LaneKind::kLink;
    default: return LaneKind::kThread;
  }
}

/// Stages of which one thread or engine takes one partition after another. NCCL groups
/// several, whose records overlap; compression has a pool; links are ordered in ps_links.cpp.
bool is_serial(Stage stage, bool alone) noexcept {
  switch (stage) {
    case Stage::kReduce:
    case Stage::kBroadcast: return alone;
    case Stage::kTotal:
    case Stage::kPush:
    case Stage::kPull:
    case Stage::kCompress:
    case Stage::kDecompress: return false;
    default: return true;
  }
}

/// True if no partition was taken up for REDUCE while another was being copied: one thread
/// does both, as where there is nothing to reduce.
bool reduce_and_copy_take_turns(const GpuPlan& plan) {
  std::vector<std::pair<Time, Time>> copies;
  std::vector<Time> reduces;
  for (const Chain& chain : plan.chains) {
    for (const StageSpan& span : chain.stages) {
      if (span.stage == Stage::kCopyD2H && span.finish > span.start) copies.emplace_back(span.start, span.finish);
      if (span.stage == Stage::kReduce) reduces.push_back(span.start);
    }
  }
  std::sort(copies.begin(), copies.end());
  return !copies.empty() && std::none_of(reduces.begin(), reduces.end(), [&](Time time) {
    const auto after = std::upper_bound(copies.begin(), copies.end(), std::pair{time, Time::min()});
    return after != copies.begin() && time < (after - 1)->second;
  });
}

class StagePass {
 public:
  StagePass(PsTasks& tasks, std::size_t gpu, bool alone)
      : tasks_(tasks),
        out_(tasks.out),
        plan_(tasks.gpus[gpu]),
        gpu_(gpu),
        alone_(alone),
        one_thread_(alone && reduce_and_copy_take_turns(plan_)) {}

  void run() {
    for (std::size_t i = 0; i < plan_.operators.size(); ++i) note_run(i);
    for (std::size_t chain = 0; chain < plan_.chains.size(); ++chain) {
      add_tasks(chain);
      release(chain);
      by_tensor_[{plan_.chains[chain].tensor, plan_.chains[chain].step}].push_back(chain);
    }
    for (const auto& [tensor_step, chains] : by_tensor_)
      let_consumers_wait(plan_.tensors[tensor_step.first], tensor_step.second, chains);
  }

 private:
  /// Of the runs of an operator in one step: which began first and which ended last.
  struct Runs {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  void note_run(std::size_t i) {
    const OperatorSpan& span = plan_.operators[i];
    Runs& runs = runs_.try_emplace({span.name, span.step}, Runs{i, i}).first->second;
    if (span.finish > plan_.operators[runs.last].finish) runs.last = i;
  }

  void add_tasks(std::size_t index) {
    const Chain& chain = plan_.chains[index];
    const TensorPlan& tensor = plan_.tensors[chain.tensor];
    const std::optional<std::uint32_t> server = server_of(chain.key, tasks_.job);
    const Bytes bytes = partition_bytes(tensor, chain.key, tasks_.job).value_or(Bytes{});
    const std::int32_t step = tasks_.step_of(gpu_, chain.step);
    std::vector<TaskId>& made = tasks_.stage_task[gpu_].emplace_back();
    for (const StageSpan& span : chain.stages) {
      const std::string stage = fmt::format("Comm.{}.{}", tensor.name, to_text(span.stage));
      const std::string name = chain.key < 0 ? stage : fmt::format("{}.{}", stage, chain.key & 0xFFFF);
      const TaskKind kind = kind_of(span.stage);
      made.push_back(out_.add_task(kind, out_.builder.intern(name), lane(span.stage, server),
                                   tasks_.aligned(gpu_, span.start), tasks_.aligned(gpu_, span.finish), step,
                                   kind == TaskKind::kControl ? Bytes{} : bytes));
      const bool pull = span.stage == Stage::kPull;  // joined to its PUSH in ps_links.cpp
      if (made.size() > 1 && !pull) tasks_.link(made[made.size() - 2], made.back(), EdgeKind::kStage);
    }
    tasks_.chain_of.try_emplace({gpu_, chain.key, chain.step}, index);
  }

  LaneId lane(Stage stage, std::optional<std::uint32_t> server) {
    const bool link = stage == Stage::kPush || stage == Stage::kPull;
    if (one_thread_ && stage == Stage::kReduce) stage = Stage::kCopyD2H;
    const std::int64_t other_end = link && server.has_value() ? static_cast<std::int64_t>(*server) : -1;
    const auto [slot, added] = lanes_.try_emplace({stage, other_end});
    if (added) {
      std::string name(to_text(stage));
      if (other_end >= 0) name += fmt::format(" {} server {}", stage == Stage::kPush ? "to" : "from", other_end);
      const std::int32_t device =
          lane_kind_of(stage) == LaneKind::kStream ? static_cast<std::int32_t>(plan_.local_rank) : -1;
      slot->second =
          out_.builder.add_lane({name, plan_.host, plan_.rank, lane_kind_of(stage), LaneOrder::kEdges, device});
      if (is_serial(stage, alone_)) tasks_.serial_lanes.push_back(slot->second);
    }
    return slot->second;
  }

  /// The first stage may begin when the last of the tensor's producers has ended.
  void release(std::size_t index) {
    const Chain& chain = plan_.chains[index];
    const auto [known, added] = producer_.try_emplace({chain.tensor, chain.step});
    if (added) known->second = producer_of(chain);
    const std::optional<std::size_t> run = known->second.has_value() ? known->second : last_ended_before(chain);
    if (run.has_value())
      tasks_.link(tasks_.operator_task[gpu_][*run], tasks_.stage_task[gpu_][index].front(), EdgeKind::kData);
  }

  [[nodiscard]] std::optional<std::size_t> producer_of(const Chain& chain) const {
    std::optional<std::size_t> last;
    for (const std::uint32_t producer : plan_.tensors[chain.tensor].producers) {
      const auto runs = runs_.find({producer, chain.step});
      if (runs == runs_.end()) continue;
      if (!last.has_value() || plan_.operators[runs->second.last].finish > plan_.operators[*last].finish)
        last = runs->second.last;
    }
    return last;
  }

  /// With no name to go by: the operator that ended last before the partition was taken up.
  [[nodiscard]] std::optional<std::size_t> last_ended_before(const Chain& chain) {
    if (by_finish_.empty()) {
      for (std::size_t i = 0; i < plan_.operators.size(); ++i) by_finish_.emplace_back(plan_.operators[i].finish, i);
      std::sort(by_finish_.begin(), by_finish_.end());
    }
    out_.diagnostics.count(
        "release_by_time", Severity::kNotice,
        "record dag.gml or args.inputN: without them a gradient is released by the operator that ended last before it");
    const auto next = std::upper_bound(by_finish_.begin(), by_finish_.end(),
                                       std::pair{chain.stages.front().start, plan_.operators.size()});
    return next == by_finish_.begin() ? std::nullopt : std::optional{(next - 1)->second};
  }

  void let_consumers_wait(const TensorPlan& tensor, std::int64_t step, const std::vector<std::size_t>& chains) {
    std::vector<TaskId> waiting;
    for (const std::uint32_t consumer : tensor.consumers) {
      const std::int64_t number = is_update(plan_.names[consumer]) ? step : next_step(step);
      const auto runs = runs_.find({consumer, number});
      if (runs != runs_.end()) waiting.push_back(tasks_.operator_task[gpu_][runs->second.first]);
    }
    if (waiting.empty()) return;
    std::vector<TaskId> last_stages;
    last_stages.reserve(chains.size());
    for (const std::size_t chain : chains) last_stages.push_back(tasks_.stage_task[gpu_][chain].back());
    if (waiting.size() > 1 && last_stages.size() > 1) last_stages = {gathered(tensor, step, last_stages)};
    for (const TaskId from : last_stages) {
      for (const TaskId to : waiting) tasks_.link(from, to, EdgeKind::kData);
    }
  }

  /// One task that all partitions of a tensor lead to, so that many consumers need few edges.
  TaskId gathered(const TensorPlan& tensor, std::int64_t step, const std::vector<TaskId>& last_stages) {
    Time end = Time::min();
    for (const TaskId task : last_stages) end = std::max(end, out_.finish[task.index()]);
    if (!gather_lane_.valid()) {
      gather_lane_ =
          out_.builder.add_lane({"gathered", plan_.host, plan_.rank, LaneKind::kThread, LaneOrder::kEdges, -1});
    }
    const TaskId done = out_.add_task(TaskKind::kControl, out_.builder.intern("Comm." + tensor.name), gather_lane_, end,
                                      end, tasks_.step_of(gpu_, step));
    for (const TaskId task : last_stages) out_.add_edge(task, done, EdgeKind::kData);
    return done;
  }

  [[nodiscard]] std::int64_t next_step(std::int64_t number) const {
    const auto next = tasks_.step_index.upper_bound({gpu_, number});
    return next != tasks_.step_index.end() && next->first.first == gpu_ ? next->first.second : Chain::kNoStep;
  }

  PsTasks& tasks_;
  Assembly& out_;
  const GpuPlan& plan_;
  std::size_t gpu_;
  bool alone_;       // the worker's only GPU
  bool one_thread_;  // for REDUCE and COPYD2H
  std::map<std::pair<Stage, std::int64_t>, LaneId> lanes_;
  std::map<std::pair<std::uint32_t, std::int64_t>, Runs> runs_;                            // operator name, step
  std::map<std::pair<std::uint32_t, std::int64_t>, std::optional<std::size_t>> producer_;  // tensor, step
  std::map<std::pair<std::uint32_t, std::int64_t>, std::vector<std::size_t>> by_tensor_;   // tensor, step
  std::vector<std::pair<Time, std::size_t>> by_finish_;  // operators; made when it is needed
  LaneId gather_lane_;
};

/// The GPUs of one worker work on a partition together: the root (the largest local rank)
/// waits for the others' signals, pushes and pulls, and they wait for it.
class WorkerPass {
 public:
  WorkerPass(PsTasks& tasks, std::vector<std::size_t> gpus) : tasks_(tasks), out_(tasks.out), gpus_(std::move(gpus)) {}

  void run() {
    const std::size_t root = gpus_.back();
    for (std::size_t chain = 0; chain < tasks_.gpus[root].chains.size(); ++chain) join(root, chain);
  }

 private:
  using Peers = std::vector<std::pair<std::size_t, std::size_t>>;  // gpu, chain

  void join(std::size_t root, std::size_t chain) {
    const Chain& own = tasks_.gpus[root].chains[chain];
    if (tasks_.chain_of.at({root, own.key, own.step}) != chain) return;  // a second tensor claims the key
    Peers peers;
    for (const std::size_t gpu : gpus_) {
      const auto found = tasks_.chain_of.find({gpu, own.key, own.step});
      if (gpu != root && found != tasks_.chain_of.end()) peers.emplace_back(gpu, found->second);
    }
    collective(root, chain, peers, Stage::kCoordinateReduce, Stage::kReduce);
    signal(root, chain, peers);
    collective(root, chain, peers, Stage::kCoordinateBroadcast, Stage::kBroadcast);
  }

  /// The root starts when all have signalled; nobody's part ends before all have arrived.
  void collective(std::size_t root, std::size_t chain, const Peers& peers, Stage coordinate, Stage work) {
    const std::optional<TaskId> lead = tasks_.stage(root, chain, work);
    if (!lead.has_value()) return;
    std::vector<TaskId> members{*lead};
    for (const auto& [gpu, peer_chain] : peers) {
      const std::optional<TaskId> member = tasks_.stage(gpu, peer_chain, work);
      const std::optional<TaskId> ready = tasks_.stage(gpu, peer_chain, coordinate);
      if (ready.has_value()) tasks_.link(*ready, *lead, EdgeKind::kHandOff);
      if (!member.has_value()) continue;
      // It has arrived when it signalled: what it waited from then on was the root.
      if (ready.has_value())
        out_.start[member->index()] = std::min(out_.start[member->index()], out_.finish[ready->index()]);
      members.push_back(*member);
    }
    if (members.size() > 1) tasks_.meetings.push_back(std::move(members));
  }

  /// Peers tell the root that their part is in host memory; the root tells them that the
  /// result has come.
  void signal(std::size_t root, std::size_t chain, const Peers& peers) {
    std::optional<TaskId> sends = tasks_.stage(root, chain, Stage::kCompress);
    if (!sends.has_value()) sends = tasks_.stage(root, chain, Stage::kPush);
    std::optional<TaskId> has_result = tasks_.stage(root, chain, Stage::kDecompress);
    if (!has_result.has_value()) has_result = tasks_.stage(root, chain, Stage::kPull);
    for (const auto& [gpu, peer_chain] : peers) {
      const std::optional<TaskId> pushed = tasks_.stage(gpu, peer_chain, Stage::kCoordinatePush);
      const std::optional<TaskId> copies = tasks_.stage(gpu, peer_chain, Stage::kCopyH2D);
      if (pushed.has_value() && sends.has_value()) tasks_.link(*pushed, *sends, EdgeKind::kHandOff);
      if (copies.has_value() && has_result.has_value()) tasks_.link(*has_result, *copies, EdgeKind::kHandOff);
    }
  }

  PsTasks& tasks_;
  Assembly& out_;
  std::vector<std::size_t> gpus_;  // the root last
};

}  // namespace

void add_stages(PsTasks& tasks) {
  tasks.stage_task.resize(tasks.gpus.size());
  std::map<std::uint32_t, std::vector<std::size_t>> workers;
  for (std::size_t gpu = 0; gpu < tasks.gpus.size(); ++gpu) workers[tasks.gpus[gpu].worker].push_back(gpu);
  for (std::size_t gpu = 0; gpu < tasks.gpus.size(); ++gpu)
    StagePass(tasks, gpu, workers[tasks.gpus[gpu].worker].size() == 1).run();
  for (auto& [worker, gpus] : workers) {
    if (gpus.size() > 1) WorkerPass(tasks, gpus).run();
  }
}

}  // namespace stepsim::ingest
