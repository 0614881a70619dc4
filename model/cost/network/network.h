#ifndef STEPSIM_MODEL_COST_NETWORK_NETWORK_H
#define STEPSIM_MODEL_COST_NETWORK_NETWORK_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/base/id.h"
#include "model/base/units.h"
#include "model/job/cluster.h"
#include "model/job/recording.h"

namespace stepsim {

using MessageId = Id<struct MessageTag>;  ///< the engine's number of a message in flight
using ChannelId = Id<struct ChannelTag>;  ///< identifies all messages from one endpoint to another

/// The times of a message that a network reports: when it has left its sender and when its receiver has it. Each is
/// reported once, as soon as it is known, together or separately. sent <= arrived.
struct Passage {
  std::optional<Time> sent{};     ///< time from which the sender may hand over its next message
  std::optional<Time> arrived{};  ///< time at which the last byte has arrived
};

/// The time at which the latency of a channel's messages elapses.
enum class Latency : std::uint8_t {
  kFirst,  ///< before the bytes move; no link is used in this time
  /// After the bytes have left: they move without a delay and arrive one latency after they have left. Used for
  /// connections that send one message after another, so that latencies overlap.
  kLast,
};

/// Times messages over the links of a cluster. An object is the state of one replay. The interface follows SimGrid's
/// Model: "when is your next event?" and "advance to then".
///
/// The engine calls start() in order of time, and never for a time before one that it advanced to. If messages end and
/// others begin at the same time, it calls advance() before start(). A model can then compute the effect of both
/// together at the next call of next(). The result depends only on the calls.
class Network {
 public:
  virtual ~Network() = default;

  /// Returns the channel of all messages from one endpoint to another. Calls with the same arguments return the same
  /// id. Precondition: cluster.route(from, to) exists, and both are endpoints.
  virtual ChannelId channel(EndpointId from, EndpointId to, Latency latency) = 0;

  /// Hands over a message at `now`. Returns the times that are already known; advance() reports the rest. A message id
  /// can be reused after its message has ended.
  virtual Passage start(MessageId message, ChannelId channel, Bytes bytes, Time now) = 0;

  /// Returns when advance() must be called next; Time::max() if nothing is under way. The result is never earlier than
  /// the last time passed to advance().
  [[nodiscard]] virtual Time next() { return Time::max(); }

  /// Newly known times of a message; they can be in the future.
  struct Notification {
    MessageId message;
    Passage passage;
    friend bool operator<(const Notification& a, const Notification& b) noexcept { return a.message < b.message; }
  };
  /// Advances to `now` = next() and appends newly known times of messages, in order of message id. Processes all
  /// internal events up to then: next() may return the same time again only if the next call reports messages. The
  /// engine checks this (sim/engine/replay_state.h).
  virtual void advance(Time /*now*/, std::vector<Notification>& /*notifications*/) {}

  /// Returns how long a message takes from start() to its arrival if no other is under way on its links. Returns
  /// nothing for models in which a message that has arrived may still delay the next one.
  [[nodiscard]] virtual std::optional<Duration> alone(ChannelId /*channel*/, Bytes /*bytes*/) const {
    return std::nullopt;
  }
  /// True if messages handed over so far cannot delay messages that start from `now` on.
  [[nodiscard]] virtual bool is_idle(Time /*now*/) const { return false; }
};

/// Messages whose times do not depend on the order in which they were handed over at an instant. Equal messages over
/// equal routes then take the same time.
enum class Fairness : std::uint8_t {
  kNone,
  kOneSender,  ///< messages that share links only with others of their own sender
  kAll,
};

/// A way to time messages, for --network. Each .cpp in model/cost/network/ defines one constant.
struct NetworkModel {
  std::string_view name;                                  ///< "maxmin"
  std::string_view summary;                               ///< one line for --help
  std::string_view formula;                               ///< formula for a single message without other traffic
  std::string_view source;                                ///< the paper or document it is based on
  std::string_view ignores;                               ///< what it leaves out
  std::string_view otherwise;                             ///< which model to use instead, and when
  std::span<const NetworkParameter* const> parameters{};  ///< the parameters it declares, which a cluster can set
  /// True if edges of kind kProgram and kStream out of a message wait for `sent`, not for `arrived`.
  bool sender_continues_when_sent = false;
  /// True if messages never delay each other: start() always returns the complete passage, which depends only on the
  /// channel and the bytes.
  bool independent = false;
  /// Returns which messages are treated fairly. Null if none are, in any cluster.
  Fairness (*fairness)(const Cluster& cluster) = nullptr;
  /// True if only the latency and the narrowest link of a route matter, so that the cost of computing a message does
  /// not depend on the number of links.
  bool sums_up_routes = false;
  /// Makes a network. `cluster` must outlive it. Null for the model `recorded`, which keeps recorded durations.
  std::unique_ptr<Network> (*make)(const Cluster& cluster) = nullptr;
};

/// Returns what the model treats fairly in a cluster.
[[nodiscard]] inline Fairness fairness_of(const NetworkModel& model, const Cluster& cluster) {
  return model.fairness == nullptr ? Fairness::kNone : model.fairness(cluster);
}

/// Returns all models, in the order of model/cost/network/CMakeLists.txt.
[[nodiscard]] std::span<const NetworkModel* const> network_models();

/// Returns the model with this name, or null.
[[nodiscard]] const NetworkModel* find_network_model(std::string_view name) noexcept;

/// Time that every model adds before a message moves.
extern const NetworkParameterOf<Duration> kMessageOverhead;
/// Time between the last arrival at a collective and its first message.
extern const NetworkParameterOf<Duration> kCollectiveOverhead;

/// Position in the error range of a collective's time, as in CollectivePlace::side (model/cost/collective/algorithm.h).
/// This is not a key of cluster.yaml: it is set only to compute the range of a prediction.
extern const NetworkParameterOf<double> kCollectiveSide;
/// True if Cluster::measured is from the capture being replayed. The error of a time from these tables is then 0
/// (NcclTime::error_us). This is not a key of cluster.yaml: only calibration sets it.
extern const NetworkParameterOf<bool> kMeasuredInCapture;

/// Returns all parameters that a cluster can set: first the parameters above, then the parameters of each network model
/// in the order of the registry. Keys of two parts ("loggp.o") are last, so that the entries of a map are together.
[[nodiscard]] std::span<const NetworkParameter* const> network_parameters();

/// Returns the parameter with this key, or null.
[[nodiscard]] const NetworkParameter* find_network_parameter(std::string_view key);

/// The two parts of a key such as "loggp.o"; `map` is empty for a key of one part.
struct ParameterKey {
  std::string_view map;
  std::string_view name;
};
[[nodiscard]] ParameterKey parts_of_key(const NetworkParameter& parameter) noexcept;

/// Functions that determine which communication of a capture a network model can time. Each is O(tasks + members).

/// True if the bytes of `task` cross a link between devices or hosts: those of collectives, messages, and copies from
/// one device to another. O(1).
[[nodiscard]] bool crosses_link(const Dag& dag, TaskId task);
/// True if any task crosses a link, so that another network can change the job, whether or not a model can time it.
[[nodiscard]] bool has_transfers(const Capture& capture);
/// True if network models time transfers of the job: it has messages between endpoints, or collectives of several ranks
/// with known payload. A change of the network affects nothing else.
[[nodiscard]] bool uses_links(const Capture& capture);
/// True if the capture has collectives of several ranks with known payload, not counting messages from one rank to
/// another.
[[nodiscard]] bool has_sized_collectives(const Capture& capture);

/// Groups of which ranks were not captured are simulated up to this size if their messages are simulated one by one.
/// The collectives of larger ones keep their recorded duration, because the messages would take too long, and the size
/// is only what a trace claims.
inline constexpr std::uint32_t kMostAbsentMembers = 4'096;

/// True if a simulation of the collective can include all its members: they were captured or are copies, or
/// knows_members() is true and the group has at most kMostAbsentMembers or is_timed_as_whole(). O(1).
[[nodiscard]] bool can_simulate_members(const Dag& dag, RendezvousId rendezvous) noexcept;

/// True if `task` crosses a link and keeps its recorded duration under `network`: a copy between devices, or part of a
/// collective whose payload is not known or of which too many members are missing. False for messages, and for
/// collectives between the GPUs of one worker of a parameter-server job. O(1).
[[nodiscard]] bool keeps_recorded_time(const Capture& capture, TaskId task, const NetworkModel& network);

/// Returns how many collectives of the capture lack the parts of other ranks.
[[nodiscard]] std::size_t lone_collectives(const Capture& capture);

}  // namespace stepsim

#endif
