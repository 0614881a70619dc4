#ifndef STEPSIM_SIM_ENGINE_COLLECTIVE_RUNS_H
#define STEPSIM_SIM_ENGINE_COLLECTIVE_RUNS_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/base/units.h"
#include "model/cost/collective/algorithm.h"
#include "model/cost/network/network.h"
#include "model/job/cluster.h"
#include "model/job/copies.h"
#include "model/job/dag.h"
#include "model/job/group.h"
#include "sim/engine/engine.h"
#include "sim/engine/machine.h"
#include "sim/engine/replay_state.h"

namespace stepsim::sim {

/// Returns the number of members on the first host if every host has that number and the members are sorted by host;
/// otherwise 1. O(members).
[[nodiscard]] std::uint32_t members_per_host(const std::vector<EndpointId>& members, const Cluster& cluster);

/// The endpoints of a collective's members. Collectives with the same members share one object. Only the engine uses
/// it.
class CollectiveGroup {
 public:
  /// Keeps references to `cluster` and `network`. `senders` is Machine::sending_members(), and `crowding` is
  /// PlacedCopies::crowding() of the members.
  CollectiveGroup(std::vector<EndpointId> members, const Cluster& cluster, Network& network,
                  std::optional<std::uint32_t> senders, double crowding);

  [[nodiscard]] std::uint32_t members() const noexcept { return static_cast<std::uint32_t>(members_.size()); }
  /// Returns how many members send messages: the first ones, and each stands for those that are a multiple of this
  /// number after it. Usually all members do.
  [[nodiscard]] std::uint32_t senders() const noexcept { return senders_; }
  /// Returns CollectiveShape::members_per_host; 1 if the hosts have different numbers of members.
  [[nodiscard]] std::uint32_t members_per_host() const noexcept { return members_per_host_; }

  /// Returns the channel for messages from member `from` to member `to`. O(1); needs no hash lookup if `from` sent its
  /// last message to `to`. Precondition: from < senders().
  [[nodiscard]] ChannelId channel(std::uint32_t from, std::uint32_t to);
  /// Returns the bytes that a message puts on the links: also those of the groups of copies that share them.
  [[nodiscard]] Bytes carried(std::uint32_t from, std::uint32_t to, Bytes bytes) const;

  /// True if messages from every member to the next one can travel at the same time without sharing a link.
  [[nodiscard]] bool neighbours_share_nothing();
  /// Returns the travel time of a message from a member to the next one; nothing if it differs between members.
  /// O(members) for the first message of a size.
  [[nodiscard]] std::optional<Duration> time_to_neighbour(Bytes bytes);
  /// Returns the longest travel time of messages from every member to the next one, sent at the same time. It is
  /// computed from the route if the network model gives no time. O(members) for the first message of a size.
  [[nodiscard]] Duration longest_to_neighbour(Bytes bytes);
  /// Returns the smallest goodput of all links between neighbouring members, divided by the number of messages, of
  /// members and of copies, that use the link; nothing if their routes have no links.
  [[nodiscard]] std::optional<Bandwidth> least_to_neighbour();
  /// Describes where the members are, for a library's cost model. O(members) for the first call.
  [[nodiscard]] const CollectivePlace& place();

 private:
  struct LastChannel {
    std::uint32_t to = 0;
    ChannelId channel{};
  };

  /// Common properties of the routes from every member to the next one.
  struct Neighbours {
    bool share_nothing = true;
    std::optional<Bandwidth> least;
  };

  [[nodiscard]] bool leaves_host(std::uint32_t from, std::uint32_t to) const;
  [[nodiscard]] const Neighbours& neighbours();
  [[nodiscard]] CollectivePlace find_place(Bandwidth (*rate)(const Link&)) const;
  [[nodiscard]] Duration by_route(std::uint32_t member, Bytes bytes) const;
  [[nodiscard]] std::optional<Duration> alone(std::uint32_t member, Bytes bytes);
  [[nodiscard]] std::uint32_t next(std::uint32_t member) const noexcept { return (member + 1) % members(); }

  const Cluster& cluster_;
  Network& network_;
  std::vector<EndpointId> members_;
  std::uint32_t senders_;
  double crowding_;
  std::uint32_t members_per_host_ = 1;
  std::vector<LastChannel> last_channels_;  ///< indexed by sender
  std::optional<Neighbours> neighbours_;    ///< properties of the routes between neighbours; computed on first use
  std::map<Bytes, std::optional<Duration>> times_to_neighbour_;
  std::map<Bytes, Duration> longest_to_neighbour_;
  std::optional<CollectivePlace> place_;  ///< result of place(); computed on first use
};

/// All groups of a replay.
class CollectiveGroups {
 public:
  /// Keeps references to `cluster` and `network`. `senders` is Machine::sending_members(). Without `copies`, groups of
  /// copies do not delay each other.
  CollectiveGroups(const Cluster& cluster, Network& network, std::optional<std::uint32_t> senders,
                   std::optional<PlacedCopies> copies)
      : cluster_(cluster), network_(network), senders_(senders), copies_(std::move(copies)) {}

  /// Returns the group of `members`, the same object for the same members. O(members log groups).
  [[nodiscard]] CollectiveGroup& of(const std::vector<EndpointId>& members);

 private:
  const Cluster& cluster_;
  Network& network_;
  std::optional<std::uint32_t> senders_;
  std::optional<PlacedCopies> copies_;
  std::map<std::vector<EndpointId>, CollectiveGroup> groups_;
};

/// Runs the collectives of a replay. It expands each one into the messages of its algorithm, round by round, and stores
/// only messages in flight. If the job is symmetric (Machine::sending_members()), only the messages of the first
/// members are sent. Only the engine uses it.
///
/// If nothing else is in flight and the algorithm has a formula (CollectiveModel::ends), no message is sent: the ends
/// of all members are computed in advance ("foreseen"). If something else is sent before the last of these ends,
/// send_foreseen_messages() first sends the collective's messages up to that time. The result is therefore the same as
/// with messages, but a ring costs O(ranks) instead of O(ranks^2).
class CollectiveRuns {
 public:
  /// Keeps references to all arguments. Precondition: the machine has a network model, and `network` was made from it.
  /// send_foreseen_messages() throws Interrupted once `*stop` is true; `stop` may be null.
  CollectiveRuns(const Dag& dag, const Machine& machine, Network& network, const std::atomic<bool>* stop = nullptr)
      : dag_(dag),
        cluster_(machine.cluster()),
        network_(network),
        stop_(stop),
        independent_(machine.network()->independent),
        copies_end_together_(cluster_.network[kCopiesEndTogether]),
        fair_(machine.sending_members() || fairness_of(*machine.network(), machine.cluster()) == Fairness::kAll),
        guard_(machine.network()->name),
        groups_(cluster_, network, machine.sending_members(),
                independent_ ? std::nullopt : std::optional<PlacedCopies>(std::in_place, dag, cluster_)) {}

  /// True if the collective runs as messages: its payload is known and an algorithm fits. Keeps the result of the
  /// lookup for begin().
  [[nodiscard]] bool expands(RendezvousId rendezvous);

  /// Starts the first round at `now`, when the last member has arrived. Precondition: expands(). begin() and
  /// send_foreseen_messages() throw UsageError if the replay would send too many messages.
  void begin(RendezvousId rendezvous, Time now);
  /// Handles the arrival of one of the collective's messages and starts the rounds that it allows. The engine also
  /// calls it for the entries of known() that announce an end or a first round.
  void arrived(MessageId message, Time now);

  /// True if send_foreseen_messages() must be called before anything else is sent.
  [[nodiscard]] bool has_foreseen_run() const noexcept { return foreseen_run_.has_value(); }
  /// Sends the messages of the foreseen collective as they would have been sent until `now`.
  void send_foreseen_messages(Time now);

  /// Return the messages whose arrival time became known and the members that finished since the last clear(). The
  /// engine reads both after every call.
  [[nodiscard]] const std::vector<std::pair<MessageId, Time>>& known() const noexcept { return known_; }
  [[nodiscard]] const std::vector<TaskId>& done() const noexcept { return done_; }
  void clear() noexcept {
    known_.clear();
    done_.clear();
  }

 private:
  /// A member that sends messages.
  struct MemberRun {
    std::size_t first_task = 0;  ///< index into Run::tasks of the first member that it stands for
    std::uint32_t round = 0;
    bool done = false;
    std::uint32_t waiting = 0;  ///< messages of its current round, sent or received, that have not arrived
    Time end{};                 ///< set when it is done
    /// Pairs of a round and the number of messages that arrived early for it, from members in later rounds.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> early{};
  };
  /// A member that has a task. Other members were not captured, or are copies.
  struct WithTask {
    std::uint32_t member = 0;
    TaskId task;  ///< invalid if its foreseen end was already reported
  };
  /// The computed ends of a run, by time: of the members with tasks, and the last one of all.
  struct Foreseen {
    static constexpr std::uint32_t kNoTask = 0xFFFFFFFFU;
    struct End {
      Time time;
      std::uint32_t with_task = kNoTask;  ///< index into Run::tasks
    };
    Time begun{};
    std::vector<End> ends{};
    std::size_t told = 0;      ///< number of ends reported so far
    std::uint32_t flight = 0;  ///< the flight that announces the next end
  };
  struct Run {
    const CollectiveModel* model = nullptr;
    CollectiveGroup* group = nullptr;
    CollectiveShape shape;
    std::uint32_t rounds = 0;
    Bytes to_next{};            ///< bytes from each member to the next; only for runs timed by CollectiveModel::whole
    std::uint32_t running = 0;  ///< senders that have not finished
    /// By member; from the first round on, by the sender that stands for the member, then by member.
    std::vector<WithTask> tasks;
    std::vector<MemberRun> members{};  ///< the senders; empty until the first round
    /// As Group::copy_of, for members in the order of the algorithm; null if no member is a copy.
    const std::vector<std::uint32_t>* copy_of = nullptr;
    Foreseen foreseen;
  };
  /// The members of the collectives of one group, in the order of the algorithm.
  struct Order {
    CollectiveGroup* group = nullptr;
    std::vector<std::uint32_t> places{};   ///< for each member in order of rank, its place; empty if that is its rank's
    std::vector<std::uint32_t> copy_of{};  ///< as Run::copy_of; empty if no member is a copy
  };
  struct Flight {
    std::uint32_t run = 0;
    std::uint32_t round = 0;
    std::uint32_t from = 0;    ///< a sender
    std::uint32_t to = 0;      ///< the sender that stands for the receiver
    bool left_behind = false;  ///< true if the sender does not wait for it
    enum class Kind : std::uint8_t { kMessage, kForeseenEnd, kFirstRound, kVoid } kind = Kind::kMessage;
  };

  [[nodiscard]] std::optional<Run> resolved(RendezvousId rendezvous);
  [[nodiscard]] Order order_of(const std::vector<Member>& members, bool across_hosts);
  [[nodiscard]] const Order& order_of_group(RendezvousId rendezvous, bool across_hosts);
  [[nodiscard]] std::vector<std::uint32_t> places_across_hosts(const std::vector<EndpointId>& endpoints) const;
  [[nodiscard]] bool foresee(std::uint32_t place, Time now);
  [[nodiscard]] bool find_ends(Run& run, Time now) const;
  [[nodiscard]] static Duration time_whole(Run& run);
  void tell_ends(std::uint32_t flight, Time now);
  void begin_rounds(std::uint32_t place, Time now);
  void begin_first_round(std::uint32_t place, Time now);
  void catch_up(Time now);
  void count_messages(const Run& run);
  [[nodiscard]] bool end_together(const Run& run) const;
  static void check_copies(const Run& run, const std::function<Time(std::uint32_t member)>& end_of);
  void enter_round(std::uint32_t run, std::uint32_t member, Time now);
  void go_on(std::uint32_t run, std::uint32_t member, Time now);
  void send(Flight flight, const Send& one, Time now);
  void count_received(const Flight& flight);

  const Dag& dag_;
  const Cluster& cluster_;
  Network& network_;
  const std::atomic<bool>* stop_;
  bool independent_;          ///< true if messages do not delay each other, so that foreseen ends stay valid
  bool copies_end_together_;  ///< kCopiesEndTogether
  bool fair_;                 ///< true if equal messages over equal routes take equal times
  ProgressGuard guard_;       ///< used by catch_up()
  CollectiveGroups groups_;
  /// Orders of groups that list their members (lists_members()), by group and whether they are across hosts.
  std::map<std::pair<GroupId, bool>, Order> orders_;
  /// Collectives that have not begun, by rendezvous. The map is never iterated, so its order has no effect.
  std::unordered_map<std::uint32_t, Run> resolved_;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> free_runs_;
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> free_flights_;
  std::uint64_t messages_ = 0;                 ///< messages of all runs that were sent one by one
  std::optional<std::uint32_t> foreseen_run_;  ///< the foreseen run that other messages would delay; it runs alone
  std::vector<Send> sends_;                    ///< buffer of one call, kept to avoid allocations
  std::vector<std::pair<MessageId, Time>> known_;
  std::vector<TaskId> done_;
};

}  // namespace stepsim::sim

#endif
