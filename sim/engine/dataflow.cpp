#include "sim/engine/replays.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <queue>

#include "model/cost/network/network.h"
#include "sim/engine/collective_runs.h"
#include "sim/engine/replay_state.h"

namespace stepsim::sim {
namespace {

/// After this many consecutive rounds with too few tasks for several threads, one thread replays all remaining tasks.
constexpr int kSmallRounds = 8;

using Block = std::uint16_t;

/// What one block of ranks reports to another. kRelease: `from` allows `task` to start at `time`. kArrival: `task`, a
/// member of a collective, started at `time`. kFinish: `task` ends at `time`. For kArrival and kFinish, `from` is
/// `task` itself.
struct Notice {
  enum class Kind : std::uint32_t { kRelease, kArrival, kFinish };
  TaskId task;
  TaskId from;
  Time time;
  Kind kind = Kind::kRelease;
};

/// How long messages take in a network where they do not delay each other.
class Messages {
 public:
  Messages(const Dag& dag, const Machine& machine) : dag_(dag) {
    if (machine.network() == nullptr) return;
    network_ = machine.make_network();
    for (const Lane& lane : dag.lanes()) {
      channels_.push_back(lane.is_link() ? network_->channel(lane.from, lane.to, Latency::kFirst) : ChannelId{});
    }
  }

  [[nodiscard]] bool is_message(TaskId task) const noexcept {
    return !channels_.empty() && channels_[dag_.lane_id(task).index()].valid();
  }
  [[nodiscard]] Time arrival(TaskId task, Time now) {
    const ChannelId channel = channels_[dag_.lane_id(task).index()];
    return network_->start(message_of(task), channel, dag_.bytes(task), now).arrived.value();
  }
  [[nodiscard]] Network* network() noexcept { return network_.get(); }

 private:
  const Dag& dag_;
  std::unique_ptr<Network> network_;
  std::vector<ChannelId> channels_;  // indexed by lane
};

/// Runs one collective to its end. Nothing outside the collective can delay it.
class CollectiveClock {
 public:
  CollectiveClock(const Dag& dag, const Machine& machine, Messages& messages) {
    if (messages.network() == nullptr) return;
    runs_.emplace(dag, machine, *messages.network());
    overhead_ = machine.cluster().network[kCollectiveOverhead];
  }

  // NOLINTBEGIN(misc-no-recursion): as in Follower::tell()
  /// Calls finished(member, time) for each member, if the collective runs as messages.
  template <class Finished>
  bool run(RendezvousId rendezvous, Time last_arrival, Finished finished) {
    if (!runs_ || !runs_->expands(rendezvous)) return false;
    Time now = later(last_arrival, overhead_);
    runs_->begin(rendezvous, now);
    for (take(finished, now); !arrivals_.empty(); take(finished, now)) {
      const auto [time, message] = arrivals_.top();
      arrivals_.pop();
      now = time;
      runs_->arrived(message, now);
    }
    return true;
  }

 private:
  template <class Finished>
  void take(Finished finished, Time now) {
    for (const auto& [message, time] : runs_->known()) arrivals_.emplace(time, message);
    for (const TaskId task : runs_->done()) finished(task, now);
    runs_->clear();
  }
  // NOLINTEND(misc-no-recursion)

  using Arrival = std::pair<Time, MessageId>;
  std::optional<CollectiveRuns> runs_;
  Duration overhead_{};
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
};

/// The state of a replay, which the followers of all blocks of ranks share.
struct Shared : ReplayState {
  using ReplayState::ReplayState;
  [[nodiscard]] Block block_of(TaskId task) const noexcept { return block_of_lane[dag.lane_id(task).index()]; }

  std::vector<Block> block_of_lane;
};

/// Follows the tasks of one block of ranks; one thread at a time uses it.
class Follower {
 public:
  Follower(Shared& shared, Block block, std::size_t blocks)
      : shared_(shared),
        dag_(shared.dag),
        block_(block),
        messages_(shared.dag, shared.machine),
        collective_(shared.dag, shared.machine, messages_),
        outbox_(blocks) {}

  template <bool kSplit>
  void begin(TaskId source) {
    shared_.timeline.start[source.index()] = shared_.machine.origin(source);
    start<kSplit>(source);
    follow<kSplit>();
  }

  template <bool kSplit>
  void take(const Notice& notice) {
    act_on<kSplit>(notice);
    follow<kSplit>();
  }

  /// Returns the notices for block `to`. The caller clears them when it has read them.
  [[nodiscard]] std::vector<Notice>& outbox(std::size_t to) noexcept { return outbox_[to]; }
  /// Returns the number of tasks that ended in this block.
  [[nodiscard]] std::size_t done() const noexcept { return done_; }

 private:
  template <bool kSplit>
  void follow() {
    while (!ended_.empty()) {
      const TaskId task = ended_.back();
      ended_.pop_back();
      const Time finished = shared_.timeline.finish[task.index()];
      const std::uint32_t last = dag_.first_edge(TaskId{task.value() + 1}).value();
      for (std::uint32_t i = dag_.first_edge(task).value(); i < last; ++i) {
        const TaskId next = dag_.target(EdgeId{i});
        tell<kSplit>({next, task, later(finished, dag_.lag(EdgeId{i})), Notice::Kind::kRelease});
      }
      shared_.count_done(++done_, block_ == 0);
    }
  }

  // NOLINTBEGIN(misc-no-recursion): the end of a collective notifies each member of its end, and these calls do not
  // recurse further.
  /// Handles a notice here, or passes it to the block of its task.
  template <bool kSplit>
  void tell(const Notice& notice) {
    if constexpr (kSplit) {
      const Block block = shared_.block_of(notice.task);
      if (block != block_) return outbox_[block].push_back(notice);
    }
    act_on<kSplit>(notice);
  }

  template <bool kSplit>
  void act_on(const Notice& notice) {
    switch (notice.kind) {
      case Notice::Kind::kRelease: return release<kSplit>(notice.task, notice.time, notice.from);
      case Notice::Kind::kArrival: return arrive<kSplit>(notice.task, notice.time);
      case Notice::Kind::kFinish: return finish<kSplit>(notice.task, notice.time);
    }
  }

  template <bool kSplit>
  void release(TaskId task, Time ready, TaskId from) {
    if (shared_.release(task, ready, from)) start<kSplit>(task);
  }

  template <bool kSplit>
  void start(TaskId task) {
    const Time now = shared_.timeline.start[task.index()];
    if (const RendezvousId rendezvous = dag_.rendezvous(task); rendezvous.valid()) {
      // The block of the first member counts the arrivals.
      return meet<kSplit>(task, rendezvous, now);
    }
    finish<kSplit>(
        task, messages_.is_message(task) ? messages_.arrival(task, now) : later(now, shared_.machine.duration(task)));
  }

  template <bool kSplit>
  void meet(TaskId task, RendezvousId rendezvous, Time now) {
    if constexpr (kSplit) {
      const Block block = shared_.block_of(dag_.members(rendezvous).front());
      if (block != block_) return outbox_[block].push_back({task, task, now, Notice::Kind::kArrival});
    }
    arrive<kSplit>(task, now);
  }

  template <bool kSplit>
  void arrive(TaskId task, Time now) {
    const RendezvousId rendezvous = dag_.rendezvous(task);
    if (shared_.arrive(task, rendezvous, now)) end_collective<kSplit>(rendezvous, shared_.last_arrival(rendezvous));
  }

  template <bool kSplit>
  void end_collective(RendezvousId rendezvous, Time last_arrival) {
    const auto finished = [this](TaskId member, Time time) {
      tell<kSplit>({member, member, time, Notice::Kind::kFinish});
    };
    if (collective_.run(rendezvous, last_arrival, finished)) return;
    for (const TaskId member : dag_.members(rendezvous)) {
      finished(member, later(last_arrival, shared_.machine.duration(member)));
    }
  }

  template <bool kSplit>
  void finish(TaskId task, Time finished) {
    shared_.timeline.finish[task.index()] = finished;
    ended_.push_back(task);
  }
  // NOLINTEND(misc-no-recursion)

  Shared& shared_;
  const Dag& dag_;
  Block block_;
  Messages messages_;
  CollectiveClock collective_;
  std::vector<TaskId> ended_;  ///< a stack of ends whose successors have not been notified
  std::vector<std::vector<Notice>> outbox_;
  std::size_t done_ = 0;
};

/// Returns the number of tasks by rank, ascending.
std::map<Rank, std::size_t> tasks_by_rank(const Dag& dag) {
  std::vector<std::size_t> by_lane(dag.lanes().size());
  for (const TaskId task : dag.tasks()) ++by_lane[dag.lane_id(task).index()];
  std::map<Rank, std::size_t> by_rank;
  for (std::size_t i = 0; i < by_lane.size(); ++i) by_rank[dag.lane(LaneId{i}).rank] += by_lane[i];
  return by_rank;
}

/// Assigns ranks to at most `most` blocks with about the same number of tasks; returns the number of blocks.
std::size_t deal_ranks(Shared& shared, std::size_t most) {
  const Dag& dag = shared.dag;
  std::map<Rank, Block> block_of_rank;
  std::size_t before = 0;
  for (const auto& [rank, tasks] : tasks_by_rank(dag)) {
    const std::size_t middle = before + tasks / 2;
    block_of_rank[rank] = static_cast<Block>(middle * most / dag.task_count());
    before += tasks;
  }
  // Renumber the blocks: a rank with most of the tasks leaves some of them empty.
  std::map<Block, Block> used;
  for (const auto& [rank, block] : block_of_rank) used.try_emplace(block, static_cast<Block>(used.size()));
  for (const Lane& lane : dag.lanes()) shared.block_of_lane.push_back(used.at(block_of_rank.at(lane.rank)));
  return used.size();
}

/// Runs one Follower per block of ranks, and exchanges their notices between rounds.
class FollowerTeam {
 public:
  FollowerTeam(Shared& shared, std::size_t blocks, int threads)
      : shared_(shared), rounds_(std::in_place, threads), inbox_(blocks) {
    for (std::size_t block = 0; block < blocks; ++block) {
      followers_.push_back(std::make_unique<Follower>(shared, static_cast<Block>(block), blocks));
    }
  }

  void run() {
    rounds_->run(followers_.size(), [this](std::size_t block) { begin_sources(block); });
    for (int small = 0; exchange() && small < kSmallRounds;) {
      const std::size_t before = done();
      rounds_->run(followers_.size(), [this](std::size_t block) {
        for (const Notice& notice : inbox_[block]) followers_[block]->take<true>(notice);
      });
      small += done() - before < shared_.options.grain.round ? 1 : -small;
    }
    rounds_.reset();
    finish_single_threaded();
  }

 private:
  void begin_sources(std::size_t block) {
    for (const TaskId source : shared_.sources) {
      if (shared_.block_of(source) == block) followers_[block]->begin<true>(source);
    }
  }

  /// Moves the notices from all outboxes to the inboxes of their blocks. Returns false if there are none.
  bool exchange() {
    bool any = false;
    for (std::size_t to = 0; to < followers_.size(); ++to) {
      inbox_[to].clear();
      for (const auto& follower : followers_) {
        std::vector<Notice>& sent = follower->outbox(to);
        inbox_[to].insert(inbox_[to].end(), sent.begin(), sent.end());
        sent.clear();
      }
      any = any || !inbox_[to].empty();
    }
    return any;
  }

  /// Continues with one thread for all ranks. Does nothing if the replay has already ended.
  void finish_single_threaded() {
    for (const std::vector<Notice>& notices : inbox_) {
      for (const Notice& notice : notices) followers_.front()->take<false>(notice);
    }
  }

  [[nodiscard]] std::size_t done() const {
    std::size_t done = 0;
    for (const auto& follower : followers_) done += follower->done();
    return done;
  }

  Shared& shared_;
  std::optional<Rounds> rounds_;  // empty after one thread has taken over
  std::vector<std::unique_ptr<Follower>> followers_;
  std::vector<std::vector<Notice>> inbox_;
};

void follow_alone(Shared& shared) {
  Follower follower{shared, 0, 1};
  for (const TaskId source : shared.sources) follower.begin<false>(source);
}

}  // namespace

bool is_dataflow(const Dag& dag, const Machine& machine) {
  const bool queues = std::any_of(dag.lanes().begin(), dag.lanes().end(),
                                  [](const Lane& lane) { return lane.order != LaneOrder::kEdges; });
  return !queues && (machine.network() == nullptr || machine.network()->independent);
}

Timeline replay_dataflow(const Dag& dag, const Machine& machine, const EngineOptions& options) {
  Shared shared{dag, machine, options};
  const std::size_t blocks =
      may_split(dag, options) ? deal_ranks(shared, static_cast<std::size_t>(options.threads)) : 1;
  if (blocks > 1) {
    FollowerTeam{shared, blocks, options.threads}.run();
  } else {
    follow_alone(shared);
  }
  return std::move(shared.timeline);
}

}  // namespace stepsim::sim
