#include "ingest/stitch/trial/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "ingest/stitch/parameter_server/tasks.h"
#include "model/base/known_diagnostics.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

TaskKind kind_of(RoundPart part) noexcept {
  switch (part) {
    case RoundPart::kCopyIn:
    case RoundPart::kCopyOut: return TaskKind::kCopy;
    case RoundPart::kTransfer: return TaskKind::kCollective;
    default: return TaskKind::kControl;
  }
}

/// Identifies one of NCCL's chunks within its round, which is one reduction or broadcast.
using ChunkId = std::tuple<bool, std::int32_t, std::int32_t, std::int32_t, std::int32_t>;

ChunkId id_of(const ChunkEvent& chunk) { return {chunk.send, chunk.loop, chunk.channel, chunk.slice, chunk.chunk}; }

/// Returns the chunk that a rank sends after it received this one, in the next step of the ring.
ChunkId sent_after(const ChunkId& received) {
  const auto& [send, loop, channel, slice, chunk] = received;
  return {true, loop, channel, slice, chunk < std::numeric_limits<std::int32_t>::max() ? chunk + 1 : chunk};
}

/// The tasks of one rank for one round, which is one reduction or broadcast.
struct RoundTasks {
  std::vector<TaskId> agreement;
  std::vector<TaskId> transfer;  ///< transfers without recorded chunks
  std::map<ChunkId, TaskId> chunks;
};

/// Adds the tasks of one rank's rounds, which are reductions and broadcasts.
class RankPass {
 public:
  RankPass(PsTasks& tasks, std::size_t gpu, const GpuRounds& rounds)
      : tasks_(tasks), out_(tasks.out), recorded_(tasks.gpus[gpu]), gpu_(gpu), rounds_(rounds), links_(tasks, gpu) {}

  [[nodiscard]] std::vector<RoundTasks> run() {
    find_turns();
    std::vector<RoundTasks> made;
    for (const Round& round : rounds_.rounds) made.push_back(add_round(round));
    let_rounds_take_turns();
    return made;
  }

  /// Makes the chunks of a lane run in their recorded order. Call it after all other edges of chunks were added,
  /// because they change the chunks' begins.
  void order_chunks() {
    for (const auto& [lane, chunks] : by_lane_) let_take_turns(out_, chunks);
  }

 private:
  /// The first task and the last tasks of a round on one rank, not counting the agreement of the ranks.
  struct Work {
    TaskId first;
    std::vector<TaskId> last;
  };

  void find_turns() {
    std::vector<std::pair<Time, Time>> spans;
    for (const Round& round : rounds_.rounds) {
      for (const ChunkEvent& chunk : round.chunks) spans.emplace_back(chunk.start, chunk.start + chunk.duration);
    }
    both_ways_in_turn_ = one_at_a_time(std::move(spans));
  }

  RoundTasks add_round(const Round& round) {
    RoundTasks made;
    std::vector<TaskId> last;
    Work work;
    const bool chunked = !round.chunks.empty();
    for (const Round::Phase& phase : round.phases) {
      if (phase.part == RoundPart::kTransfer && chunked) continue;
      if (phase.part == RoundPart::kCopyOut) break;
      const bool works = phase.part != RoundPart::kAgreement;
      last = {add_phase(round, phase, last)};
      if (works && !work.first.valid()) work.first = last.front();
      if (phase.part == RoundPart::kAgreement) made.agreement.push_back(last.front());
      if (phase.part == RoundPart::kTransfer) made.transfer.push_back(last.front());
      if (&phase == &round.phases.front()) release(round, last.front());
    }
    if (chunked) last = add_chunks(round, last, made);
    for (const Round::Phase& phase : round.phases) {
      if (phase.part != RoundPart::kCopyOut) continue;
      const bool first = last.empty();
      last = {add_phase(round, phase, last)};
      if (first) release(round, last.front());
    }
    work.last = last;
    if (work.first.valid()) works_.push_back(std::move(work));
    for (const std::size_t chain : round.chains)
      links_.let_consumers_wait(recorded_.chains[chain].tensor, round.step, last);
    return made;
  }

  /// Adds edges between the rounds if one thread of Horovod did them all. This is assumed if no round's work began
  /// before the previous one had ended.
  void let_rounds_take_turns() {
    std::vector<std::pair<Time, Time>> spans;
    for (const Work& work : works_) {
      Time end = Time::min();
      for (const TaskId task : work.last) end = std::max(end, out_.finish[task.index()]);
      spans.emplace_back(out_.start[work.first.index()], end);
    }
    if (!one_at_a_time(std::move(spans))) return;
    std::stable_sort(works_.begin(), works_.end(), [&](const Work& a, const Work& b) {
      return std::pair{out_.start[a.first.index()], out_.finish[a.first.index()]} <
             std::pair{out_.start[b.first.index()], out_.finish[b.first.index()]};
    });
    for (std::size_t i = 1; i < works_.size(); ++i) {
      for (const TaskId task : works_[i - 1].last) follow(tasks_, task, works_[i].first, EdgeKind::kProgram);
    }
  }

  void release(const Round& round, TaskId first) {
    for (const std::size_t chain : round.chains) links_.release(chain, first);
  }

  TaskId add_phase(const Round& round, const Round::Phase& phase, const std::vector<TaskId>& before) {
    const TaskKind kind = kind_of(phase.part);
    const TaskId task = add_task(kind, fmt::format("{}{}.{}", kComm, round.group, phase.name), lane(kind), phase.start,
                                 phase.finish, round.step, kind == TaskKind::kControl ? Bytes{} : bytes_of(round));
    for (const TaskId one : before) follow(tasks_, one, task, EdgeKind::kStage);
    return task;
  }

  TaskId add_task(TaskKind kind, const std::string& name, LaneId lane, Time start, Time finish, std::int64_t step,
                  Bytes bytes) {
    return tasks_.add_task(kind, name, lane, tasks_.aligned(gpu_, start), tasks_.aligned(gpu_, finish),
                           tasks_.step_of(gpu_, step), bytes);
  }

  /// Adds the chunks and their edges on this rank. Returns the chunks that end the round on this rank.
  std::vector<TaskId> add_chunks(const Round& round, const std::vector<TaskId>& before, RoundTasks& made) {
    for (const ChunkEvent& chunk : round.chunks) {
      const std::string name = fmt::format("{}{}.{}.{}_{}_{}_{}", kComm, round.group, chunk.send ? "SEND" : "RECV",
                                           chunk.loop, chunk.channel, chunk.chunk, chunk.slice);
      const auto [slot, added] = made.chunks.try_emplace(id_of(chunk));
      if (!added) {
        out_.diagnostics.count(diagnostic("duplicate_record"));
        continue;
      }
      const LaneId lane = chunk_lane(chunk.send);
      slot->second =
          add_task(TaskKind::kTransfer, name, lane, chunk.start, chunk.start + chunk.duration, round.step, {});
      by_lane_[lane].push_back(slot->second);
      if (before.empty()) release(round, slot->second);
      for (const TaskId one : before) follow(tasks_, one, slot->second, EdgeKind::kStage);
    }
    std::vector<TaskId> last;
    for (const auto& [id, task] : made.chunks) {
      if (std::get<0>(id)) continue;
      const auto next = made.chunks.find(sent_after(id));
      if (next == made.chunks.end()) {
        last.push_back(task);
      } else {
        follow(tasks_, task, next->second, EdgeKind::kStage);
      }
    }
    if (last.empty()) {
      for (const auto& [id, task] : made.chunks) last.push_back(task);
    }
    return last;
  }

  [[nodiscard]] Bytes bytes_of(const Round& round) const {
    Bytes sum{};
    for (const std::uint32_t tensor : round.tensors) {
      const std::optional<Bytes> bytes = recorded_.tensors[tensor].bytes;
      if (!bytes.has_value() || bytes->count() > std::numeric_limits<std::int64_t>::max() - sum.count()) return Bytes{};
      sum += *bytes;
    }
    return sum;
  }

  LaneId lane(TaskKind kind) {
    switch (kind) {
      case TaskKind::kCopy: return lane("fusion buffer", LaneKind::kCopyEngine);
      case TaskKind::kCollective: return lane("reductions", LaneKind::kStream);
      default: return lane("Horovod", LaneKind::kThread);
    }
  }

  LaneId chunk_lane(bool send) { return lane(both_ways_in_turn_ ? "chunks" : send ? "SEND" : "RECV", LaneKind::kLink); }

  LaneId lane(const std::string& name, LaneKind kind) {
    const auto [slot, added] = lanes_.try_emplace(name);
    if (added) {
      const std::int32_t device = kind == LaneKind::kStream ? static_cast<std::int32_t>(recorded_.local_rank) : -1;
      slot->second = out_.builder.add_lane({name, recorded_.host, recorded_.rank, kind, LaneOrder::kEdges, device});
    }
    return slot->second;
  }

  PsTasks& tasks_;
  Assembly& out_;
  const RecordedGpu& recorded_;
  std::size_t gpu_;
  const GpuRounds& rounds_;
  TensorLinks links_;
  std::vector<Work> works_;
  bool both_ways_in_turn_ = true;  // sent and received chunks never overlap, so one thread or kernel handles both
  std::map<std::string, LaneId> lanes_;
  std::map<LaneId, std::vector<TaskId>> by_lane_;  // chunks by lane
};

/// Connects the tasks that a round, which is one reduction or broadcast, has on all ranks.
class JobPass {
 public:
  JobPass(PsTasks& tasks, const std::vector<GpuRounds>& rounds, const Rings& rings)
      : tasks_(tasks), rounds_(rounds), rings_(rings) {}

  void run() {
    std::vector<RankPass> ranks;
    ranks.reserve(tasks_.gpus.size());
    for (std::size_t gpu = 0; gpu < tasks_.gpus.size(); ++gpu) {
      made_.push_back(ranks.emplace_back(tasks_, gpu, rounds_[gpu]).run());
      for (std::size_t i = 0; i < made_[gpu].size(); ++i) {
        const Round& round = rounds_[gpu].rounds[i];
        everywhere_[{round.step, round.group}].try_emplace(gpu, &made_[gpu][i]);
      }
    }
    if (tasks_.gpus.size() > 1) {
      for (const auto& [round, on_ranks] : everywhere_) join(on_ranks);
    }
    for (RankPass& rank : ranks) rank.order_chunks();
  }

 private:
  using OnRanks = std::map<std::size_t, const RoundTasks*>;  // by gpu

  void join(const OnRanks& ranks) {
    if (ranks.size() < tasks_.gpus.size()) return tasks_.out.diagnostics.count(diagnostic("round_without_peers"));
    meet(ranks, &RoundTasks::agreement);
    meet(ranks, &RoundTasks::transfer);
    if (!rings_.unknown()) {
      for (const auto& [gpu, tasks] : ranks) receive(ranks, gpu, *tasks);
    }
  }

  /// `part` is a list of tasks that each rank has. For each k, adds the k-th tasks of all ranks to tasks.meetings as
  /// one group, because no task of the group ends before all have begun. Does nothing if the lists have different
  /// lengths.
  void meet(const OnRanks& ranks, std::vector<TaskId> RoundTasks::*part) {
    const std::size_t count = (ranks.begin()->second->*part).size();
    for (const auto& [gpu, tasks] : ranks) {
      if ((tasks->*part).size() != count) return;
    }
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<TaskId> members;
      for (const auto& [gpu, tasks] : ranks) members.push_back((tasks->*part)[k]);
      tasks_.meetings.push_back(std::move(members));
    }
  }

  void receive(const OnRanks& ranks, std::size_t gpu, const RoundTasks& mine) {
    for (const auto& [id, task] : mine.chunks) {
      const auto& [send, loop, channel, slice, chunk] = id;
      if (send) continue;
      const RoundTasks& sender = *ranks.at(rings_.sender_to(gpu, channel));
      const auto sent = sender.chunks.find({true, loop, channel, slice, chunk});
      if (sent == sender.chunks.end()) {
        tasks_.out.diagnostics.count(diagnostic("chunk_without_peer"));
      } else {
        follow(tasks_, sent->second, task, EdgeKind::kCrossRank);
      }
    }
  }

  PsTasks& tasks_;
  const std::vector<GpuRounds>& rounds_;
  const Rings& rings_;
  std::vector<std::vector<RoundTasks>> made_;                           // by gpu, round
  std::map<std::pair<std::int64_t, std::string>, OnRanks> everywhere_;  // by step, group
};

}  // namespace

void add_rounds(PsTasks& tasks, const std::vector<GpuRounds>& rounds, const Rings& rings) {
  JobPass(tasks, rounds, rings).run();
}

}  // namespace stepsim::ingest
