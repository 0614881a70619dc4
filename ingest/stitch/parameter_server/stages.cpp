#include "ingest/stitch/parameter_server/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "ingest/parts/byteps_names.h"
#include "ingest/stitch/parameter_server/tensor_links.h"
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

/// True for stages in which one thread or engine handles one partition after another. Not so: NCCL
/// groups several partitions, whose records overlap, if the GPU is not `alone`; compression has a pool
/// of threads; and transfers.cpp orders what goes over links.
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

/// True if no REDUCE began while another partition was being copied. Then one thread does both, as
/// happens where there is nothing to reduce.
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
      const std::string stage = fmt::format("Comm.{}.{}", tensor.name, to_text(span.stage));
      const std::string name = chain.key < 0 ? stage : fmt::format("{}.{}", stage, chain.partition());
      const TaskKind kind = kind_of(span.stage);
      made.push_back(out_.add_task(kind, out_.builder.intern(name), lane(span.stage, server),
                                   tasks_.aligned(gpu_, span.start), tasks_.aligned(gpu_, span.finish), step,
                                   kind == TaskKind::kControl ? Bytes{} : bytes));
      if (out_.details != nullptr) {
        out_.details->tasks.push_back(
            {made.back(), tasks_.aligned(gpu_, span.start), tasks_.aligned(gpu_, span.finish)});
      }
      const bool pull = span.stage == Stage::kPull;  // transfers.cpp joins it to its PUSH
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
          lane_kind_of(stage) == LaneKind::kStream ? static_cast<std::int32_t>(recorded_.local_rank) : -1;
      slot->second =
          out_.builder.add_lane({name, recorded_.host, recorded_.rank, lane_kind_of(stage), LaneOrder::kEdges, device});
      if (is_serial(stage, alone_)) tasks_.serial_lanes.push_back(slot->second);
    }
    return slot->second;
  }

  PsTasks& tasks_;
  Assembly& out_;
  const RecordedGpu& recorded_;
  std::size_t gpu_;
  bool alone_;       // the worker has no other GPU
  bool one_thread_;  // does both REDUCE and COPYD2H
  std::map<std::pair<Stage, std::int64_t>, LaneId> lanes_;
  std::map<std::pair<std::uint32_t, std::int64_t>, std::vector<std::size_t>> by_tensor_;  // tensor, step
  TensorLinks links_;
};

}  // namespace

void add_stages(PsTasks& tasks) {
  tasks.stage_task.resize(tasks.gpus.size());
  std::map<std::uint32_t, std::size_t> gpus_of_worker;
  for (const RecordedGpu& gpu : tasks.gpus) ++gpus_of_worker[gpu.worker];
  for (std::size_t gpu = 0; gpu < tasks.gpus.size(); ++gpu)
    StagePass(tasks, gpu, gpus_of_worker[tasks.gpus[gpu].worker] == 1).run();
}

}  // namespace stepsim::ingest
