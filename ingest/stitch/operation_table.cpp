#include "ingest/stitch/operation_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "model/base/known_diagnostics.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

using Operation = OperationTable::Operation;

/// The other ranks that take part in an operation.
enum class With : std::uint8_t {
  kNone,       ///< a computation
  kNextStage,  ///< the rank of the same data-parallel rank in the next stage (previous for a backward operation)
  kStage,      ///< all data-parallel ranks of the stage
  kEnds,       ///< the first and the last stage of the data-parallel rank
  kAll,
};

/// Operations by a part of their name; the first that fits decides. Others are computations. The names are those of
/// Megatron-LM's timers, as ByteDance's traces have them.
struct Named {
  std::string_view part;
  With with = With::kNone;
  CollectiveOp op = CollectiveOp::kUnknown;
  bool sends = false;  ///< only for kNextStage
};
constexpr std::array<Named, 9> kNamed{{{"-send", With::kNextStage, CollectiveOp::kSendRecv, true},
                                       {"-recv", With::kNextStage, CollectiveOp::kSendRecv},
                                       {"embedding-grads", With::kEnds, CollectiveOp::kAllReduce},
                                       {"optimizer-clip", With::kAll, CollectiveOp::kAllReduce},
                                       {"layernorm-grads", With::kNone},  // within the tensor-parallel group
                                       {"-all-gather", With::kStage, CollectiveOp::kAllGather},
                                       {"-reduce-scatter", With::kStage, CollectiveOp::kReduceScatter},
                                       {"-all-reduce", With::kStage, CollectiveOp::kAllReduce},
                                       {"-broadcast", With::kStage, CollectiveOp::kBroadcast}}};
constexpr Named kComputation{};

const Named& named(std::string_view name) noexcept {
  const auto* const found = std::find_if(
      kNamed.begin(), kNamed.end(), [name](const Named& one) { return name.find(one.part) != std::string_view::npos; });
  return found == kNamed.end() ? kComputation : *found;
}

/// Recorded times of operations that follow each other overlap by up to 137 us in ByteDance's traces.
constexpr Duration kLargestOverlap{200'000};

/// All steps in a row may take this long. Times must fit in 64 bits.
constexpr Duration kLongestRun{3'000'000'000'000'000'000};

/// True if `before` had ended when `start` came, within the precision of the recording.
bool had_ended(Time begin, Time end, Time start) noexcept {
  return end <= start + std::min(kLargestOverlap, (end - begin) / 2);
}

/// Identifies a message or a collective; equal on all its ranks. A message has the sender's stage, and the receiver's
/// as `to`.
struct Key {
  TextId name;
  std::int64_t data_rank = -1;  ///< -1 for a collective of several
  std::int64_t stage = -1;      ///< -1 for a collective of several
  std::int64_t to = -1;
  std::int64_t sequence = -1;
  std::uint32_t repeat = 0;  ///< number of the same operation on the same rank, for tables without sequence numbers
  friend auto operator<=>(const Key&, const Key&) = default;
};

class Stitcher {
 public:
  Stitcher(OperationRanks& table, Assembly& assembly) : table_(table), assembly_(assembly) {}

  void run() {
    DagBuilder& builder = assembly_.builder;
    std::size_t operations = 0;
    for (OperationRank& rank : table_.ranks) {
      operations += rank.operations.size();
      stages_ = std::max(stages_, rank.place.stage + 1);
      assembly_.places.emplace(rank.rank, rank.place);
      lanes_.push_back(
          {builder.add_lane({.name = "compute", .rank = rank.rank, .kind = LaneKind::kOperators}),
           builder.add_lane({.name = "sends", .rank = rank.rank, .kind = LaneKind::kStream, .device = 0}),
           builder.add_lane({.name = "receives", .rank = rank.rank, .kind = LaneKind::kStream, .device = 0}),
           builder.add_lane({.name = "collectives", .rank = rank.rank, .kind = LaneKind::kStream, .device = 0})});
      std::sort(rank.operations.begin(), rank.operations.end(),
                [](const Operation& a, const Operation& b) { return order_of(a) < order_of(b); });
    }
    check_task_count(operations, {table_.file, {}, {}});
    for (std::vector<std::size_t> next(table_.ranks.size()); const auto step = first_step(next);) add_step(*step, next);
    state_assumptions();
  }

 private:
  struct Lanes {
    LaneId compute, sends, receives, collectives;
  };

  [[nodiscard]] const Named& kind_of(const Operation& operation) const {
    return named(table_.texts[operation.name.index()]);
  }
  [[nodiscard]] static std::tuple<std::int64_t, Time, std::int64_t, TextId> order_of(const Operation& operation) {
    return {operation.step, operation.start, operation.sequence, operation.name};
  }

  /// Returns the first step that a rank has left; `next` has the index of each rank's next operation.
  [[nodiscard]] std::optional<std::int64_t> first_step(const std::vector<std::size_t>& next) const {
    std::optional<std::int64_t> first;
    for (std::size_t i = 0; i < next.size(); ++i) {
      const auto& operations = table_.ranks[i].operations;
      if (next[i] < operations.size())
        first = std::min(first.value_or(operations[next[i]].step), operations[next[i]].step);
    }
    return first;
  }

  void add_step(std::int64_t number, std::vector<std::size_t>& next) {
    const std::size_t first = assembly_.steps.size();
    std::vector<TaskId> ends;
    for (std::size_t i = 0; i < next.size(); ++i) {
      const auto& operations = table_.ranks[i].operations;
      const std::size_t begin = next[i];
      while (next[i] < operations.size() && operations[next[i]].step == number) ++next[i];
      if (next[i] == begin) continue;
      add_step_of_rank(i, std::span(operations).subspan(begin, next[i] - begin), ends);
      assembly_.steps.back().next_follows = next[i] < operations.size();
    }
    for (const auto& [key, members] : rendezvous_) join(members);
    rendezvous_.clear();
    end_step(ends, first);
    if (base_ - Time{} > kLongestRun) {
      throw InputError({table_.file, {}, {}},
                       fmt::format("the steps up to {} take more than 95 years; expected shorter ones", number));
    }
  }

  void add_step_of_rank(std::size_t index, std::span<const Operation> operations, std::vector<TaskId>& ends) {
    const OperationRank& rank = table_.ranks[index];
    const auto step = static_cast<std::int32_t>(assembly_.steps.size());
    TaskId last = add_boundary("step begins", lanes_[index].compute, step);
    if (step_end_.valid()) assembly_.add_edge(step_end_, last, EdgeKind::kCrossRank);
    assembly_.steps.push_back({.rank = rank.rank, .number = operations.front().step, .first = last});
    TaskId before_last = last;
    std::vector<TaskId> open;  // communication that no computation has waited for
    std::map<Key, std::uint32_t> repeats;
    for (const Operation& operation : operations) {
      const Named& kind = kind_of(operation);
      const TaskId task = add_task(operation, kind, lanes_[index], step);
      const Time start = assembly_.start[task.index()];
      const bool computes = kind.with == With::kNone;
      follow(computes || has_ended(last, start) ? last : before_last, task);
      std::erase_if(open, [&](TaskId before) {
        if (!has_ended(before, start)) return false;
        follow(before, task);
        return computes;
      });
      if (computes) {
        before_last = std::exchange(last, task);
        continue;
      }
      Key key = key_of(operation, kind, rank.place);
      key.repeat = repeats[key]++;
      rendezvous_[key].push_back(task);
      open.push_back(task);
    }
    ends.insert(ends.end(), open.begin(), open.end());
    ends.push_back(last);
  }

  TaskId add_task(const Operation& operation, const Named& kind, const Lanes& lanes, std::int32_t step) {
    const LaneId lane = kind.with == With::kNone             ? lanes.compute
                        : kind.op != CollectiveOp::kSendRecv ? lanes.collectives
                        : kind.sends                         ? lanes.sends
                                                             : lanes.receives;
    const Time start = base_ + operation.start.time_since_epoch();
    return assembly_.add_task(kind.with == With::kNone ? TaskKind::kOperator : TaskKind::kCollective,
                              assembly_.builder.intern(table_.texts[operation.name.index()]), lane, start,
                              start + operation.duration, step);
  }

  /// Adds a task of no length at the begin of the current step.
  TaskId add_boundary(std::string_view name, LaneId lane, std::int32_t step) {
    return assembly_.add_task(TaskKind::kControl, assembly_.builder.intern(name), lane, base_, base_, step);
  }

  [[nodiscard]] bool has_ended(TaskId before, Time start) const {
    return had_ended(assembly_.start[before.index()], assembly_.finish[before.index()], start);
  }

  /// Makes `task` start after `before`. Where their recorded times overlap, `before` ends when `task` starts.
  void follow(TaskId before, TaskId task) {
    const Time start = std::max(assembly_.start[task.index()], assembly_.start[before.index()]);
    if (assembly_.finish[before.index()] > start) {
      overlap_ = std::max(overlap_, assembly_.finish[before.index()] - start);
      assembly_.finish[before.index()] = start;
      assembly_.builder.set_duration(before, start - assembly_.start[before.index()]);
    }
    assembly_.add_edge(before, task, EdgeKind::kData);
  }

  [[nodiscard]] Key key_of(const Operation& operation, const Named& kind, const ParallelPlace& place) const {
    Key key{.name = operation.name, .sequence = operation.sequence};
    switch (kind.with) {
      case With::kNextStage: {
        const std::string_view name = table_.texts[operation.name.index()];
        const bool up = name.starts_with("backward") == kind.sends;  // the other end is the previous stage
        const std::uint32_t other = (place.stage + (up ? stages_ - 1 : 1)) % stages_;
        // A send and its receive have the name of their direction.
        key.name = direction_of(name.substr(0, name.find(kind.part)));
        key.data_rank = place.data_rank;
        key.stage = kind.sends ? place.stage : other;
        key.to = kind.sends ? other : place.stage;
        break;
      }
      case With::kStage: key.stage = place.stage; break;
      case With::kEnds: key.data_rank = place.data_rank; break;
      case With::kNone:
      case With::kAll: break;
    }
    return key;
  }

  /// Returns the id of a direction, forward or backward. No operation has it.
  [[nodiscard]] TextId direction_of(std::string_view name) const {
    return TextId{table_.texts.size() + (name.starts_with("backward") ? 1U : 0U)};
  }

  void join(const std::vector<TaskId>& members) {
    DagBuilder& builder = assembly_.builder;
    const std::string_view name = builder.name(builder.task(members.front()).name);
    const Named& kind = named(name);
    if (members.size() < 2) {
      assembly_.diagnostics.count(
          kind.with == With::kNextStage ? diagnostic("unmatched_message") : diagnostic("unmatched_collective"),
          {table_.file, {}, {}}, shown(name, 60));
      return;
    }
    Time arrival{};
    for (const TaskId member : members) arrival = std::max(arrival, assembly_.start[member.index()]);
    Collective collective{.op = kind.op};
    if (kind.with == With::kNextStage && !is_send(members.front())) collective.root = 1;
    const RendezvousId rendezvous = builder.add_rendezvous(collective);
    for (const TaskId member : members) {
      builder.join(rendezvous, member);
      builder.set_duration(member, std::max(assembly_.finish[member.index()] - arrival, Duration{}));
    }
  }

  [[nodiscard]] bool is_send(TaskId task) const {
    return named(assembly_.builder.name(assembly_.builder.task(task).name)).sends;
  }

  /// Adds the end of a step, after all tasks that nothing else waits for, to the rank's step at index `first`. The next
  /// step begins there.
  void end_step(const std::vector<TaskId>& ends, std::size_t first) {
    for (const TaskId end : ends) base_ = std::max(base_, assembly_.finish[end.index()]);
    const LaneId lane = assembly_.builder.task(assembly_.steps[first].first).lane;
    step_end_ = add_boundary("step ends", lane, static_cast<std::int32_t>(first));
    for (const TaskId end : ends) assembly_.add_edge(end, step_end_, EdgeKind::kCrossRank);
  }

  void state_assumptions() {
    assembly_.assumptions.push_back(
        {"operation_table",
         fmt::format("The table names operations, not what they wait for: each waits for the earlier ones of its rank "
                     "that had ended when it started. Collectives join the data-parallel ranks of a stage, except "
                     "embedding-grads (first and last stage), optimizer-clip (all ranks) and layernorm-grads (the "
                     "tensor-parallel group, which counts as one rank).{}",
                     overlap_ == Duration{} ? std::string{}
                                            : fmt::format(" Operations that follow each other overlap by up to {}; the "
                                                          "earlier ones were shortened.",
                                                          to_text(overlap_)))});
  }

  OperationRanks& table_;
  Assembly& assembly_;
  std::uint32_t stages_ = 1;
  std::vector<Lanes> lanes_;                       // by rank
  std::map<Key, std::vector<TaskId>> rendezvous_;  // of the current step; members by rank
  Time base_{};                                    // begin of the current step
  TaskId step_end_;                                // end of the previous step; invalid in the first
  Duration overlap_{};                             // the largest overlap of two operations that follow each other
};

}  // namespace

OperationRanks ranks_of(OperationTable table, std::string file) {
  std::uint32_t data_ranks = 1;
  for (const Operation& operation : table.operations) data_ranks = std::max(data_ranks, operation.place.data_rank + 1);
  std::map<Rank, OperationRank> ranks;
  for (const Operation& operation : table.operations) {
    const auto& [data_rank, stage] = operation.place;
    const std::uint64_t number = std::uint64_t{stage} * data_ranks + data_rank;
    if (number > static_cast<std::uint64_t>(std::numeric_limits<Rank>::max())) {
      throw InputError({std::move(file), {}, {}},
                       fmt::format("stage {} and data-parallel rank {} give too large a rank; expected fewer ranks",
                                   stage, data_rank));
    }
    OperationRank& rank = ranks[static_cast<Rank>(number)];
    rank.place = operation.place;
    rank.operations.push_back(operation);
  }
  OperationRanks found{{}, std::move(table.texts), std::move(file)};
  for (auto& [number, rank] : ranks) {
    rank.rank = number;
    found.ranks.push_back(std::move(rank));
  }
  return found;
}

void stitch_operations(OperationRanks table, Assembly& assembly) { Stitcher(table, assembly).run(); }

}  // namespace stepsim::ingest
