#ifndef STEPSIM_MODEL_COST_NETWORK_NETWORK_H
#define STEPSIM_MODEL_COST_NETWORK_NETWORK_H

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/base/id.h"
#include "model/base/units.h"
#include "model/job/cluster.h"

namespace stepsim {

using MessageId = Id<struct MessageTag>;  ///< the engine's number for a message in flight
using ChannelId = Id<struct ChannelTag>;  ///< messages from one endpoint to another

/// What a network knows of a message: when it has left its sender and when its receiver has it.
/// Each is reported once, as soon as it is known, together or one after the other. sent <= arrived.
struct Passage {
  std::optional<Time> sent{};     ///< the sender may hand over its next message
  std::optional<Time> arrived{};  ///< the last byte is there
};

/// When the latency of a channel's messages passes.
enum class Latency : std::uint8_t {
  kFirst,  ///< before the bytes move, and no link is used meanwhile
  /// After they have left: the bytes move at once and are there a latency later. For
  /// connections that send one message after the other, so that latencies overlap.
  kLast,
};

/// Times messages over the links of a cluster: the state of one replay. After SimGrid's
/// Model: "when is your next event?" and "advance to then".
///
/// The engine calls start() in order of time, and never for a time before one it advanced to.
/// Ends at an instant are taken by advance() before the starts of that instant are known, so
/// starts and ends of one instant can be one solve, at the next call of next().
/// Deterministic: the result depends only on the calls.
class Network {
 public:
  virtual ~Network() = default;

  /// The class of all messages from one endpoint to another; the same id for the same three
  /// arguments. Precondition: cluster.route(from, to) exists, both are endpoints.
  virtual ChannelId channel(EndpointId from, EndpointId to, Latency latency) = 0;

  /// A message is handed over at `now`. Returns what is known at once of its passage; advance()
  /// will tell the rest. Message ids may be used again after their message has ended.
  virtual Passage start(MessageId message, ChannelId channel, Bytes bytes, Time now) = 0;

  /// When advance() must be called next; Time::max() if nothing is under way. Never before a time
  /// that it was advanced to.
  [[nodiscard]] virtual Time next() { return Time::max(); }

  /// What has become known of a message since the last time; may lie ahead.
  struct Notification {
    MessageId message;
    Passage passage;
    friend bool operator<(const Notification& a, const Notification& b) noexcept { return a.message < b.message; }
  };
  /// Moves on to `now` = next() and appends what has become known of messages, in order of
  /// message id. Takes all that happens inside by then: next() is the same instant again only for
  /// messages that the next call tells of. The engine checks it (sim/engine/replay_state.h).
  virtual void advance(Time /*now*/, std::vector<Notification>& /*notifications*/) {}

  /// How long a message takes from start() to its arrival while no other is under way on its links. Nothing from a
  /// model in which a message that has arrived may still hold up the next one.
  [[nodiscard]] virtual std::optional<Duration> alone(ChannelId /*channel*/, Bytes /*bytes*/) const {
    return std::nullopt;
  }
  /// Nothing that was handed over holds up what starts from `now` on.
  [[nodiscard]] virtual bool is_idle(Time /*now*/) const { return false; }
};

/// A way to time messages, for --network. One .cpp in model/cost/network/ defines one constant.
struct NetworkModel {
  std::string_view name;                                  ///< "maxmin"
  std::string_view summary;                               ///< one line for --help
  std::string_view formula;                               ///< of one message without others
  std::string_view source;                                ///< the paper or document it comes from
  std::string_view ignores;                               ///< what it leaves out
  std::string_view otherwise;                             ///< when to take which other one
  std::span<const NetworkParameter* const> parameters{};  ///< that it declares: a cluster may give them
  /// Edges of kind kProgram and kStream out of a message wait for `sent`, not for `arrived`.
  bool sender_goes_on = false;
  /// No message holds up another: start() always returns the passage, and how long that is
  /// depends on the channel and the bytes alone.
  bool independent = false;
  /// Of a route only its latency and its narrowest link count: a message costs as much work however many links it
  /// crosses.
  bool sums_up_routes = false;
  /// `cluster` must outlive the network. Null for `recorded`: durations stay as recorded.
  std::unique_ptr<Network> (*make)(const Cluster& cluster) = nullptr;
};

/// All of them, in the order of model/cost/network/CMakeLists.txt.
[[nodiscard]] std::span<const NetworkModel* const> network_models();

/// Null if there is no such model.
[[nodiscard]] const NetworkModel* find_network_model(std::string_view name) noexcept;

/// What every model adds before a message moves.
extern const NetworkParameterOf<Duration> kMessageOverhead;
/// What passes between the last arrival at a collective and its first message.
extern const NetworkParameterOf<Duration> kCollectiveOverhead;

/// As CollectivePlace::side (model/cost/collective/algorithm.h). Not in cluster.yaml: only the interval of an answer
/// sets it.
extern const NetworkParameterOf<double> kCollectiveSide;
/// Cluster::measured is of the capture at hand, whose replay shows how well it fits. Not in cluster.yaml: only
/// calibration sets it.
extern const NetworkParameterOf<bool> kMeasuredInCapture;

/// All that a cluster can give: those above, then those of each network model, in the order of the
/// registry; those with a key of two parts ("loggp.o") last, so that parts of a map follow each other.
[[nodiscard]] std::span<const NetworkParameter* const> network_parameters();

/// Null if there is no such key.
[[nodiscard]] const NetworkParameter* find_network_parameter(std::string_view key);

/// "loggp.o" in its two parts; the first is empty for a key of one.
struct ParameterKey {
  std::string_view map;
  std::string_view name;
};
[[nodiscard]] ParameterKey parts_of_key(const NetworkParameter& parameter) noexcept;

}  // namespace stepsim

#endif
