#include "ingest/stitch/parameter_server/tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "ingest/parts/names.h"
#include "model/job/parameter_server/workload.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

LaneKind lane_kind_of(Stage stage) noexcept {
  switch (role_of(stage).kind) {
    case TaskKind::kCollective: return LaneKind::kStream;
    case TaskKind::kCopy: return LaneKind::kCopyEngine;
    case TaskKind::kTransfer: return LaneKind::kLink;
    default: return LaneKind::kThread;
  }
}

/// Returns true if no REDUCE began while another partition was being copied. Then one thread is assumed to do both, as
/// BytePS does if there is nothing to reduce.
bool reduce_and_copy_take_turns(const RecordedGpu& gpu) {
  std::vector<std::pair<Time, Time>> copies;
  std::vector<Time> reduces;
  for (const StageChain& chain : gpu.chains) {
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
        recorded_(tasks.gpus[gpu]),
        gpu_(gpu),
        alone_(alone),
        one_thread_(alone && reduce_and_copy_take_turns(recorded_)),
        links_(tasks, gpu) {}

  void run() {
    for (std::size_t chain = 0; chain < recorded_.chains.size(); ++chain) {
      add_tasks(chain);
      links_.release(chain, tasks_.stage_task[gpu_][chain].front());
      by_tensor_[{recorded_.chains[chain].tensor, recorded_.chains[chain].step}].push_back(chain);
    }
    for (const auto& [tensor_step, chains] : by_tensor_) {
      std::vector<TaskId> last_stages;
      for (const std::size_t chain : chains) last_stages.push_back(tasks_.stage_task[gpu_][chain].back());
      links_.let_consumers_wait(tensor_step.first, tensor_step.second, std::move(last_stages));
    }
  }

 private:
  void add_tasks(std::size_t index) {
    const StageChain& chain = recorded_.chains[index];
    const RecordedTensor& tensor = recorded_.tensors[chain.tensor];
    const std::optional<std::uint32_t> server = server_of(chain.key, tasks_.job);
    const Bytes bytes = partition_bytes(tensor, chain.key, tasks_.job).value_or(Bytes{});
    const std::int32_t step = tasks_.step_of(gpu_, chain.step);
    std::vector<TaskId>& made = tasks_.stage_task[gpu_].emplace_back();
    for (const StageSpan& span : chain.stages) {
      const std::string stage = fmt::format("{}{}.{}", kComm, tensor.name, stage_name(span.stage));
      const std::string name = chain.key < 0 ? stage : fmt::format("{}.{}", stage, chain.partition());
      const TaskKind kind = role_of(span.stage).kind;
      made.push_back(tasks_.add_task(kind, name, lane(span.stage, server), tasks_.aligned(gpu_, span.start),
                                     tasks_.aligned(gpu_, span.finish), step,
                                     kind == TaskKind::kControl ? Bytes{} : bytes));
      const bool pull = span.stage == Stage::kPull;  // join_transfers() connects a PULL to its PUSH
      if (made.size() > 1 && !pull) tasks_.link(made[made.size() - 2], made.back(), EdgeKind::kStage);
    }
    tasks_.chain_of.try_emplace({gpu_, chain.key, chain.step}, index);
  }

  [[nodiscard]] bool is_serial(Stage stage) const {
    const StageRole::Serial serial = role_of(stage).serial;
    return serial == StageRole::Serial::kAlways || (serial == StageRole::Serial::kIfAlone && alone_);
  }

  LaneId lane(Stage stage, std::optional<std::uint32_t> server) {
    const bool link = stage == Stage::kPush || stage == Stage::kPull;
    if (one_thread_ && stage == Stage::kReduce) stage = Stage::kCopyD2H;
    const std::int64_t other_end = link && server.has_value() ? static_cast<std::int64_t>(*server) : -1;
    const auto [slot, added] = lanes_.try_emplace({stage, other_end});
    if (added) {
      std::string name(stage_name(stage));
      if (other_end >= 0) name += fmt::format(" {} server {}", stage == Stage::kPush ? "to" : "from", other_end);
      const std::int32_t device =
          lane_kind_of(stage) == LaneKind::kStream ? static_cast<std::int32_t>(recorded_.local_rank) : -1;
      slot->second =
          out_.builder.add_lane({name, recorded_.host, recorded_.rank, lane_kind_of(stage), LaneOrder::kEdges, device});
      if (is_serial(stage)) tasks_.serial_lanes.push_back(slot->second);
    }
    return slot->second;
  }

  PsTasks& tasks_;
  Assembly& out_;
  const RecordedGpu& recorded_;
  std::size_t gpu_;
  bool alone_;       // the worker has no other GPU
  bool one_thread_;  // one thread does both REDUCE and COPYD2H
  std::map<std::pair<Stage, std::int64_t>, LaneId> lanes_;
  std::map<std::pair<std::uint32_t, std::int64_t>, std::vector<std::size_t>> by_tensor_;  // tensor, step
  TensorLinks links_;
};

}  // namespace

const StageRole& role_of(Stage stage) noexcept {
  using Serial = StageRole::Serial;
  static constexpr std::array<StageRole, 13> kRoles{{
      {TaskKind::kTransfer, Serial::kNever},                                 // kTotal
      {TaskKind::kControl, Serial::kAlways, PsStage::kCoordinateReduce},     // kCoordinateReduce
      {TaskKind::kCollective, Serial::kIfAlone, PsStage::kReduce},           // kReduce
      {TaskKind::kCopy, Serial::kAlways, PsStage::kCopyToHost},              // kCopyD2H
      {TaskKind::kHost, Serial::kAlways},                                    // kPcieReduce
      {TaskKind::kControl, Serial::kAlways, PsStage::kCoordinatePush},       // kCoordinatePush
      {TaskKind::kHost, Serial::kNever},                                     // kCompress
      {TaskKind::kTransfer, Serial::kNever, PsStage::kPush},                 // kPush
      {TaskKind::kTransfer, Serial::kNever, PsStage::kPull},                 // kPull
      {TaskKind::kHost, Serial::kNever},                                     // kDecompress
      {TaskKind::kCopy, Serial::kAlways, PsStage::kCopyToDevice},            // kCopyH2D
      {TaskKind::kControl, Serial::kAlways, PsStage::kCoordinateBroadcast},  // kCoordinateBroadcast
      {TaskKind::kCollective, Serial::kIfAlone, PsStage::kBroadcast},        // kBroadcast
  }};
  return kRoles[static_cast<std::size_t>(stage)];
}

void add_stages(PsTasks& tasks) {
  tasks.stage_task.resize(tasks.gpus.size());
  std::map<std::uint32_t, std::size_t> gpus_of_worker;
  for (const RecordedGpu& gpu : tasks.gpus) ++gpus_of_worker[gpu.worker];
  for (std::size_t gpu = 0; gpu < tasks.gpus.size(); ++gpu)
    StagePass(tasks, gpu, gpus_of_worker[tasks.gpus[gpu].worker] == 1).run();
}

namespace {

/// Joins the GPUs of one worker; see join_local_gpus().
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
    const StageChain& own = tasks_.gpus[root].chains[chain];
    if (tasks_.chain_of.at({root, own.key, own.step}) != chain) return;  // a second tensor has the same key
    Peers peers;
    for (const std::size_t gpu : gpus_) {
      const auto found = tasks_.chain_of.find({gpu, own.key, own.step});
      if (gpu != root && found != tasks_.chain_of.end()) peers.emplace_back(gpu, found->second);
    }
    collective(root, chain, peers, Stage::kCoordinateReduce, Stage::kReduce);
    signal(root, chain, peers);
    collective(root, chain, peers, Stage::kCoordinateBroadcast, Stage::kBroadcast);
  }

  /// Connects the parts of one REDUCE or BROADCAST (`work`). The root starts after the `coordinate` signals of all
  /// peers. The parts become a group of tasks.meetings, because no part ends before all have begun.
  void collective(std::size_t root, std::size_t chain, const Peers& peers, Stage coordinate, Stage work) {
    const std::optional<TaskId> lead = tasks_.stage(root, chain, work);
    if (!lead.has_value()) return;
    std::vector<TaskId> members{*lead};
    for (const auto& [gpu, peer_chain] : peers) {
      const std::optional<TaskId> member = tasks_.stage(gpu, peer_chain, work);
      const std::optional<TaskId> ready = tasks_.stage(gpu, peer_chain, coordinate);
      if (ready.has_value()) tasks_.link(*ready, *lead, EdgeKind::kHandOff);
      if (!member.has_value()) continue;
      // The member was ready when it signalled, and then waited for the root. This wait belongs to its task.
      if (ready.has_value())
        out_.start[member->index()] = std::min(out_.start[member->index()], out_.finish[ready->index()]);
      members.push_back(*member);
    }
    if (members.size() > 1) tasks_.meetings.push_back(std::move(members));
  }

  /// Adds the signals between the peers and the root: a peer signals that its part is in host memory, and the root
  /// signals that the result has arrived.
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
  std::vector<std::size_t> gpus_;  // GPUs of the worker, the root last
};

}  // namespace

void join_local_gpus(PsTasks& tasks) {
  std::map<std::uint32_t, std::vector<std::size_t>> workers;
  for (std::size_t gpu = 0; gpu < tasks.gpus.size(); ++gpu) workers[tasks.gpus[gpu].worker].push_back(gpu);
  for (const auto& [worker, gpus] : workers) {
    if (gpus.size() > 1) WorkerPass(tasks, gpus).run();
  }
}

}  // namespace stepsim::ingest
