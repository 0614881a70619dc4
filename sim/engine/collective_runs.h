#ifndef STEPSIM_SIM_ENGINE_COLLECTIVE_RUNS_H
#define STEPSIM_SIM_ENGINE_COLLECTIVE_RUNS_H

#include <cstdint>
#include <utility>
#include <vector>

#include "model/cost/collective/algorithm.h"
#include "model/cost/network/network.h"
#include "model/job/cluster.h"
#include "model/job/dag.h"

namespace stepsim::sim {

/// The collectives that are under way in a replay: expands each into the messages of its
/// algorithm, round by round, and stores nothing but what is in flight. Only the engine uses it.
class CollectiveRuns {
 public:
  /// Refers to all three.
  CollectiveRuns(const Dag& dag, const Cluster& cluster, Network& network)
      : dag_(dag), cluster_(cluster), network_(network) {}

  /// Whether the rendezvous runs as messages: its payload is known and an algorithm fits.
  [[nodiscard]] bool expands(RendezvousId rendezvous) const;

  /// All members have come, the last one at `now`: the first round begins.
  void begin(RendezvousId rendezvous, Time now);
  /// The last byte of one of its messages is there: rounds go on.
  void arrived(MessageId message, Time now);

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
    TaskId task;  ///< invalid: its rank was not captured
    EndpointId endpoint;
    std::uint32_t round = 0;
    bool done = false;
    std::uint32_t waiting = 0;  ///< messages of its round, in and out, that have not arrived
    /// (round, messages): what came from members that are ahead of it.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> early{};
  };
  struct Run {
    const CollectiveModel* model = nullptr;
    CollectiveShape shape;
    std::uint32_t rounds = 0;
    std::uint32_t running = 0;  ///< members that are not done
    std::vector<Member> members;
  };
  struct Flight {
    std::uint32_t run = 0;
    std::uint32_t round = 0;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    bool left_behind = false;  ///< the sender does not wait for it
  };

  [[nodiscard]] CollectiveShape shape_of(RendezvousId rendezvous) const;
  [[nodiscard]] EndpointId endpoint_of(TaskId task) const { return cluster_.endpoint_of(dag_.lane(task).rank); }
  [[nodiscard]] std::vector<Member> group_of(RendezvousId rendezvous) const;
  void enter_round(std::uint32_t run, std::uint32_t member, Time now);
  void go_on(std::uint32_t run, std::uint32_t member, Time now);
  void send(const Flight& flight, Bytes bytes, Time now);
  void count_received(const Flight& flight);

  const Dag& dag_;
  const Cluster& cluster_;
  Network& network_;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> free_runs_;
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> free_flights_;
  std::vector<std::pair<MessageId, Time>> known_;
  std::vector<TaskId> done_;
};

}  // namespace stepsim::sim

#endif
