#ifndef STEPSIM_SIM_ENGINE_COLLECTIVE_RUNS_H
#define STEPSIM_SIM_ENGINE_COLLECTIVE_RUNS_H

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/base/units.h"
#include "model/cost/collective/algorithm.h"
#include "model/cost/network/network.h"
#include "model/job/cluster.h"
#include "model/job/dag.h"
#include "sim/engine/machine.h"
#include "sim/engine/replay_state.h"

namespace stepsim::sim {

/// Where the members of a collective are. All collectives of the same members share one. Only the engine uses it.
class CollectiveGroup {
 public:
  /// Refers to both.
  CollectiveGroup(std::vector<EndpointId> members, const Cluster& cluster, Network& network);

  [[nodiscard]] std::uint32_t members() const noexcept { return static_cast<std::uint32_t>(members_.size()); }
  /// As CollectiveShape::members_per_host; 1 if hosts differ in it.
  [[nodiscard]] std::uint32_t members_per_host() const noexcept { return members_per_host_; }

  /// The class of messages between two members. O(1); without hashing where a member sends to the one it sent to last.
  [[nodiscard]] ChannelId channel(std::uint32_t from, std::uint32_t to);

  /// Messages from every member to the next one can be under way at once and share no link.
  [[nodiscard]] bool neighbours_share_nothing();
  /// What such a message takes if it takes the same between any two neighbours. O(members) for the first of a size.
  [[nodiscard]] std::optional<Duration> time_to_neighbour(Bytes bytes);
  /// The longest that it takes between any two; by its route where the network model tells nothing. O(members) for the
  /// first of a size.
  [[nodiscard]] Duration longest_to_neighbour(Bytes bytes);
  /// The least goodput of the links on the routes to neighbours; nothing if they cross none.
  [[nodiscard]] std::optional<Bandwidth> least_to_neighbour();
  /// Where the members are, for the cost model of a library. O(members) the first time.
  [[nodiscard]] const CollectivePlace& place();

 private:
  struct LastChannel {
    std::uint32_t to = 0;
    ChannelId channel{};
  };

  /// Of the routes from every member to the next one.
  struct Neighbours {
    bool share_nothing = true;
    std::optional<Bandwidth> least;
  };

  [[nodiscard]] const Neighbours& neighbours();
  [[nodiscard]] CollectivePlace find_place() const;
  [[nodiscard]] Duration by_route(std::uint32_t member, Bytes bytes) const;
  [[nodiscard]] std::uint32_t next(std::uint32_t member) const noexcept { return (member + 1) % members(); }

  const Cluster& cluster_;
  Network& network_;
  std::vector<EndpointId> members_;
  std::uint32_t members_per_host_ = 1;
  std::vector<LastChannel> last_channels_;  ///< by sender
  std::optional<Neighbours> neighbours_;    ///< once they were asked for
  std::map<Bytes, std::optional<Duration>> times_to_neighbour_;
  std::map<Bytes, Duration> longest_to_neighbour_;
  std::optional<CollectivePlace> place_;  ///< once it was asked for
};

/// The groups of a replay.
class CollectiveGroups {
 public:
  /// Refers to both.
  CollectiveGroups(const Cluster& cluster, Network& network) : cluster_(cluster), network_(network) {}

  /// The same group for the same members. O(members log groups).
  [[nodiscard]] CollectiveGroup& of(const std::vector<EndpointId>& members);

 private:
  const Cluster& cluster_;
  Network& network_;
  std::map<std::vector<EndpointId>, CollectiveGroup> groups_;
};

/// The collectives that are under way in a replay: expands each into the messages of its
/// algorithm, round by round, and stores nothing but what is in flight. Only the engine uses it.
///
/// Where nothing else is under way and the algorithm has a formula (CollectiveModel::ends), no message is sent: the
/// ends of all members are foreseen. If something else is sent before the last of them, make_way() sends the
/// collective's messages after all, from its beginning up to that time. So the answer is that of the messages, and
/// ranks in a ring cost O(ranks), not O(ranks^2).
class CollectiveRuns {
 public:
  /// Refers to all of them. Precondition: the machine has a network model, and `network` is of that model. make_way()
  /// throws Interrupted once `stop` is set, which may be null.
  CollectiveRuns(const Dag& dag, const Machine& machine, Network& network, const std::atomic<bool>* stop = nullptr)
      : dag_(dag),
        cluster_(machine.cluster()),
        network_(network),
        stop_(stop),
        independent_(machine.network()->independent),
        guard_(machine.network()->name),
        groups_(cluster_, network) {}

  /// Whether the rendezvous runs as messages: its payload is known and an algorithm fits. What that takes to find out
  /// is kept for begin().
  [[nodiscard]] bool expands(RendezvousId rendezvous);

  /// All members have come, the last one at `now`: the first round begins. Precondition: expands(). Throws UsageError
  /// if the messages of the replay become too many; so does make_way().
  void begin(RendezvousId rendezvous, Time now);
  /// The last byte of one of its messages is there: rounds go on. Also called with what known() gave for an end or a
  /// first round.
  void arrived(MessageId message, Time now);

  /// Something else will be sent: make_way() must be called first.
  [[nodiscard]] bool is_in_the_way() const noexcept { return foreseen_run_.has_value(); }
  /// Sends the messages of the collective whose ends were foreseen, as they would have been sent until `now`.
  void make_way(Time now);

  /// Messages whose arrival is known ahead, with when it is, and members that are done, each
  /// since the last call of clear(). The engine takes them after every call.
  [[nodiscard]] const std::vector<std::pair<MessageId, Time>>& known() const noexcept { return known_; }
  [[nodiscard]] const std::vector<TaskId>& done() const noexcept { return done_; }
  void clear() noexcept {
    known_.clear();
    done_.clear();
  }

 private:
  struct Member {
    TaskId task;  ///< invalid: its rank was not captured, or its end was foreseen and told
    std::uint32_t round = 0;
    bool done = false;
    std::uint32_t waiting = 0;  ///< messages of its round, in and out, that have not arrived
    /// (round, messages): what came from members that are ahead of it.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> early{};
  };
  /// The ends of a run, in order of time.
  struct Foreseen {
    struct End {
      Time time;
      std::uint32_t member = 0;
    };
    Time begun{};
    std::vector<End> ends{};
    std::size_t told = 0;      ///< of the ends
    std::uint32_t flight = 0;  ///< that tells of the next one
  };
  struct Run {
    const CollectiveModel* model = nullptr;
    CollectiveGroup* group = nullptr;
    CollectiveShape shape;
    std::uint32_t rounds = 0;
    Bytes to_next{};            ///< of a run that CollectiveModel::whole times: what each member sends to the next one
    std::uint32_t running = 0;  ///< members that are not done
    std::vector<Member> members;
    Foreseen foreseen;
  };
  struct Flight {
    std::uint32_t run = 0;
    std::uint32_t round = 0;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    bool left_behind = false;  ///< the sender does not wait for it
    enum class Kind : std::uint8_t { kMessage, kForeseenEnd, kFirstRound, kVoid } kind = Kind::kMessage;
  };

  [[nodiscard]] std::optional<Run> resolved(RendezvousId rendezvous);
  [[nodiscard]] std::vector<TaskId> by_rank(RendezvousId rendezvous) const;
  [[nodiscard]] EndpointId endpoint_of(TaskId task) const { return cluster_.endpoint_of(dag_.lane(task).rank); }
  [[nodiscard]] bool foresee(std::uint32_t place, Time now);
  [[nodiscard]] static std::optional<std::vector<Duration>> ends_alone(Run& run, Time now);
  [[nodiscard]] static Duration time_whole(Run& run);
  void tell_ends(std::uint32_t flight, Time now);
  void begin_rounds(std::uint32_t place, Time now);
  void begin_first_round(std::uint32_t place, Time now);
  void catch_up(Time now);
  void count_messages(const Run& run);
  void count_crossings(const Run& run, std::uint64_t messages);
  void enter_round(std::uint32_t run, std::uint32_t member, Time now);
  void go_on(std::uint32_t run, std::uint32_t member, Time now);
  void send(const Flight& flight, Bytes bytes, Time now);
  void count_received(const Flight& flight);

  const Dag& dag_;
  const Cluster& cluster_;
  Network& network_;
  const std::atomic<bool>* stop_;
  bool independent_;     ///< no message holds up another: what is foreseen stays true
  ProgressGuard guard_;  ///< of catch_up()
  CollectiveGroups groups_;
  std::unordered_map<std::uint32_t, Run> resolved_;  ///< by rendezvous: has not begun; never walked
  std::vector<Run> runs_;
  std::vector<std::uint32_t> free_runs_;
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> free_flights_;
  std::uint64_t messages_ = 0;                 ///< of all runs that were not foreseen to their end
  std::optional<std::uint32_t> foreseen_run_;  ///< the one that others would hold up; it runs alone
  std::vector<Send> sends_;                    ///< of one call
  std::vector<std::pair<MessageId, Time>> known_;
  std::vector<TaskId> done_;
};

}  // namespace stepsim::sim

#endif
