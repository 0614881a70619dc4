#ifndef STEPSIM_MODEL_COST_COLLECTIVE_ALGORITHM_H
#define STEPSIM_MODEL_COST_COLLECTIVE_ALGORITHM_H

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "model/base/units.h"
#include "model/job/collective.h"

namespace stepsim {

/// A collective and the size of its group. Members are numbered 0 .. members - 1.
struct CollectiveShape {
  CollectiveOp op = CollectiveOp::kUnknown;
  std::uint32_t members = 1;
  Bytes bytes{};  ///< payload, as in Collective::bytes
  std::uint32_t root = 0;
  std::uint32_t members_per_host = 1;  ///< used by `hierarchical`: member m is on host m / members_per_host
  Bytes buffered{};                    ///< buffered part, as in Collective::buffered; at most `bytes`
  friend auto operator<=>(const CollectiveShape&, const CollectiveShape&) noexcept = default;
};

/// One message of a round.
struct Send {
  std::uint32_t to = 0;
  Bytes bytes{};
  /// Position of the bytes in the payload. For an all-to-all, this is the sender's own payload. Its first part stays
  /// with the sender, and part k is for the member k places after the sender.
  Bytes offset{};
  bool left_behind = false;  ///< true if the sender does not wait for this message
};

/// The messages that a member sends and receives in all rounds, and their bytes.
struct MemberTraffic {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  Bytes bytes_sent{};
  Bytes bytes_received{};
  friend bool operator==(const MemberTraffic&, const MemberTraffic&) noexcept = default;
};

/// Broadcasts and reductions to one member that are larger than this are pipelined in slices of this size. Slices are
/// larger if there would otherwise be thousands of them. The size is that of one of the eight steps of NCCL's 4 MiB
/// buffers.
inline constexpr Bytes kPipelineSlice{524'288};

/// Time of a message without other traffic on the links: alpha + bytes / rate.
struct MessageCost {
  Duration alpha{};
  Bandwidth rate;
};

/// Returns how long a message of this size takes without other traffic on its links.
using MessageTime = std::function<Duration(Bytes bytes)>;

/// The location of a group and the rates of its links, for cost models of libraries.
struct CollectivePlace {
  std::uint32_t hosts = 1;  ///< number of hosts the members are on
  /// Rate of a member's link to other members on its host while all members use theirs; 0 if no two members share a
  /// host or no link connects them.
  Bandwidth inside;
  /// True if members of a host copy through its memory, which they share (through_host_memory()). `inside` is then
  /// their part of it; the links of measured tables are those of two devices.
  bool shares_host_memory = false;
  Bandwidth between;  ///< total rate of a host's NICs; 0 if all members are on one host
  /// The two rates before a what-if changed the links (Link::built); absent if none did. They tell the kind of the
  /// links and the GPU's generation, and measured times belong to them.
  std::optional<std::pair<Bandwidth, Bandwidth>> built{};
  Duration latency_inside{};  ///< latency between members of a host
  Duration latency{};         ///< latency between hosts
  std::string_view device;    ///< the members' device, as in Device::model; may be empty
  /// True if the cluster gives the overhead of a collective (kCollectiveOverhead). The model then adds none.
  bool overhead_is_given = false;
  /// True if the links' rates were measured with ring collectives. Then every protocol carries payload at the full rate
  /// of a link, and the cluster gives the remaining overhead.
  bool rates_are_measured = false;
  std::span<const MeasuredCollective> measured{};
  bool measured_in_capture = false;  ///< true if `measured` is from the capture being replayed
  /// Position in the error range of a library's cost model: 0 is the prediction itself, -1 and 1 are the ends of the
  /// range.
  double side = 0;

  /// Returns the place with the rates of its links as they were built.
  [[nodiscard]] CollectivePlace as_built() const {
    CollectivePlace place = *this;
    if (built) std::tie(place.inside, place.between) = *built;
    return place;
  }
};

/// An algorithm for collectives, as rounds of messages. Messages are computed on demand, so nothing is stored per
/// message. All members begin round 0 together, after the last of them has arrived. A member begins round k + 1 when
/// everything it sent in round k has arrived (except messages it does not wait for) and it has received everything of
/// round k. A member is done after its last round. Each .cpp in model/cost/collective/ defines one constant of this
/// type.
struct CollectiveModel {
  std::string_view name;     ///< "ring"
  std::string_view summary;  ///< one line for --help
  std::string_view formula;  ///< formula of, for example, an all-reduce: "2 (n - 1) (alpha + bytes / (n beta))"
  std::string_view source;
  std::string_view ignores;
  bool (*supports)(const CollectiveShape& shape) = nullptr;
  std::uint32_t (*rounds)(const CollectiveShape& shape) = nullptr;
  /// Appends the messages that `member` sends in `round`.
  void (*sends)(const CollectiveShape& shape, std::uint32_t member, std::uint32_t round,
                std::vector<Send>& sends) = nullptr;
  /// Returns how many messages `member` receives in `round`.
  std::uint32_t (*receives)(const CollectiveShape& shape, std::uint32_t member, std::uint32_t round) = nullptr;
  /// Returns the sum of what `member` sends and receives in all rounds. O(1). Null for algorithms with few rounds.
  MemberTraffic (*traffic)(const CollectiveShape& shape, std::uint32_t member) = nullptr;
  /// True if moving all members by any number of hosts, in a circle, moves each round's messages to messages of the
  /// same round and size: member m sends to m + d what member 0 sends to d. Null if that is false for all shapes.
  bool (*is_cyclic)(const CollectiveShape& shape) = nullptr;
  /// Returns the duration of the collective without contention, if every member has a separate full-duplex link. A
  /// replay of the rounds gives exactly this result, to the nanosecond.
  Duration (*closed_form)(const CollectiveShape& shape, const MessageCost& cost) = nullptr;
  /// Returns when each member is done, counted from the start of round 0, if a message takes the time that `time`
  /// returns. A replay of the rounds gives exactly this result, to the nanosecond. Set only for algorithms in which
  /// each member sends only to the next one, one message at a time; null for the others. `time` must not decrease with
  /// the number of bytes. O(members + slices).
  std::vector<Duration> (*ends)(const CollectiveShape& shape, const MessageTime& time) = nullptr;
  /// Returns the duration of the collective for algorithms whose time comes from a library's cost model, not from their
  /// rounds; null for the others. The replay then sends one message from every member to the next one, so that it
  /// arrives at the end of that time; of a kSendRecv, only the root sends. The message has the bytes that a member
  /// sends in a ring, or as many as fit into the time. Other traffic on the links can delay these bytes, but not the
  /// latency before them. For an all-to-all over several hosts, the next member is on another host and the bytes are
  /// those that leave the host.
  Duration (*whole)(const CollectiveShape& shape, const CollectivePlace& place) = nullptr;
};

/// The models that the choice of libraries and other models refer to.
extern const CollectiveModel direct_collective;
extern const CollectiveModel ring_collective;
extern const CollectiveModel tree_collective;

/// Returns all models, in the order of model/cost/collective/CMakeLists.txt.
[[nodiscard]] std::span<const CollectiveModel* const> collective_models();

/// Returns the model with this name, or null.
[[nodiscard]] const CollectiveModel* find_collective_model(std::string_view name) noexcept;

/// Returns the shape of a collective.
[[nodiscard]] CollectiveShape shape_of(const Collective& collective, std::uint32_t members,
                                       std::uint32_t members_per_host) noexcept;

/// Returns `asked` if it supports the shape. Otherwise, or if it is null, returns what the libraries use
/// (docs/internals/models.md). Returns null for shapes that no model supports: kUnknown, or no bytes.
[[nodiscard]] const CollectiveModel* model_for(const CollectiveShape& shape,
                                               const CollectiveModel* asked = nullptr) noexcept;

/// True if the algorithm of a collective times it as a whole (CollectiveModel::whole), at a cost that does not grow
/// with the number of messages.
[[nodiscard]] bool is_timed_as_whole(const Collective& collective) noexcept;

/// Returns the size of each of `parts` equal parts of a payload: rounded up, because libraries pad the last part. So
/// all members of a collective send the same number of bytes.
[[nodiscard]] Bytes part_of(Bytes payload, std::uint32_t parts) noexcept;
/// Returns the size of `count` parts, which is also the offset of part number `count`.
[[nodiscard]] constexpr Bytes parts_of(std::uint32_t count, Bytes part) noexcept { return Bytes{count * part.count()}; }

/// Returns (member + steps) mod members; `steps` can be negative.
[[nodiscard]] std::uint32_t place(std::uint32_t members, std::uint32_t member, std::int64_t steps) noexcept;

[[nodiscard]] Duration time_of(const MessageCost& cost, Bytes bytes) noexcept;

}  // namespace stepsim

#endif
