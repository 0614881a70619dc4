#ifndef STEPSIM_MODEL_COST_COLLECTIVE_ALGORITHM_H
#define STEPSIM_MODEL_COST_COLLECTIVE_ALGORITHM_H

#include <compare>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "model/base/units.h"
#include "model/job/collective.h"

namespace stepsim {

/// A collective and its group. Members are numbered 0 .. members - 1.
struct CollectiveShape {
  CollectiveOp op = CollectiveOp::kUnknown;
  std::uint32_t members = 1;
  Bytes bytes{};  ///< as Collective::bytes
  std::uint32_t root = 0;
  std::uint32_t members_per_host = 1;  ///< hierarchical: member m is on host m / members_per_host
  Bytes buffered{};                    ///< as Collective::buffered; at most bytes
  friend auto operator<=>(const CollectiveShape&, const CollectiveShape&) noexcept = default;
};

/// One message of a round.
struct Send {
  std::uint32_t to = 0;
  Bytes bytes{};
  Bytes offset{};            ///< where in the payload they lie; of an all-to-all, in the sender's, its own part first
  bool left_behind = false;  ///< the sender does not wait for it
};

/// Broadcasts and reductions to one member of more than this are pipelined in slices of this, or
/// larger ones where there would be thousands: one of the eight steps of NCCL's 4 MiB buffers.
inline constexpr Bytes kPipelineSlice{524'288};

/// What a message costs where nothing else is on the links: alpha + bytes / rate.
struct MessageCost {
  Duration alpha{};
  Bandwidth rate;
};

/// How long a message of so many bytes takes where nothing else is on its links.
using MessageTime = std::function<Duration(Bytes bytes)>;

/// Where a group is, as far as a library's own cost model asks.
struct CollectivePlace {
  std::uint32_t hosts = 1;  ///< that the members are on
  Bandwidth inside;    ///< what a member's link to others of its host carries; 0: no two share a host, or no link is
                       ///< between them
  Bandwidth between;   ///< what the NICs of a host carry together; 0: all are on one host
  Duration latency{};  ///< from host to host
  std::string_view device;  ///< the members' device, as Device::model; may be empty
  /// The cluster says what a collective takes beside its messages (kCollectiveOverhead), so the model adds nothing.
  bool overhead_is_given = false;
  /// The links carry what collectives were measured to move in a ring: the cluster says what they take besides, and
  /// that all of the links' rate is payload. Then no protocol carries less.
  bool rates_are_measured = false;
  std::span<const MeasuredCollective> measured{};
  bool measured_in_capture = false;  ///< the one at hand, whose replay shows how well these fit
  /// Where in the range of its error a library's cost model lies: 0 as predicted, -1 and 1 at its ends (for ranges).
  double side = 0;
};

/// How a collective's bytes travel, as rounds of messages worked out by arithmetic: nothing is
/// stored per message. A member begins round k + 1 when everything it sent in round k has
/// arrived (but for what it leaves behind) and everything it receives in round k is there; all begin round 0 together,
/// after the last of them came. A member is done after its last round. One .cpp in model/cost/collective/ defines one
/// constant.
struct CollectiveModel {
  std::string_view name;     ///< "ring"
  std::string_view summary;  ///< one line for --help
  std::string_view formula;  ///< of an all-reduce, say: "2 (n - 1) (alpha + bytes / (n beta))"
  std::string_view source;
  std::string_view ignores;
  bool (*supports)(const CollectiveShape& shape) = nullptr;
  std::uint32_t (*rounds)(const CollectiveShape& shape) = nullptr;
  /// Appends what `member` sends in `round`.
  void (*sends)(const CollectiveShape& shape, std::uint32_t member, std::uint32_t round,
                std::vector<Send>& sends) = nullptr;
  /// How many messages `member` receives in `round`.
  std::uint32_t (*receives)(const CollectiveShape& shape, std::uint32_t member, std::uint32_t round) = nullptr;
  /// The whole collective without contention, every member with a full-duplex link of its own.
  /// The replay of the rounds equals it to the nanosecond.
  Duration (*closed_form)(const CollectiveShape& shape, const MessageCost& cost) = nullptr;
  /// When each member is done, counted from the start of round 0, where every message takes what `time` says. The
  /// replay of the rounds equals it to the nanosecond. Only for algorithms in which a member sends to the next one
  /// alone, one message at a time; null for the others. `time` must not fall with the bytes. O(members + slices).
  std::vector<Duration> (*ends)(const CollectiveShape& shape, const MessageTime& time) = nullptr;
  /// What the whole collective takes if a library's cost model says so and not the rounds; null for the others. The
  /// replay then sends one message from every member to the next one, at the end of that time, with the bytes of all
  /// rounds or as many as fit: others on the links hold up the bytes, and nothing holds up the latency before them.
  Duration (*whole)(const CollectiveShape& shape, const CollectivePlace& place) = nullptr;
};

/// All of them, in the order of model/cost/collective/CMakeLists.txt.
[[nodiscard]] std::span<const CollectiveModel* const> collective_models();

/// Null if there is no such model.
[[nodiscard]] const CollectiveModel* find_collective_model(std::string_view name) noexcept;

/// `asked` if it supports the shape; else, or if it is null, what the libraries take
/// (docs/models.md). Null for shapes that nothing supports: kUnknown, no bytes.
[[nodiscard]] const CollectiveModel* model_for(const CollectiveShape& shape,
                                               const CollectiveModel* asked = nullptr) noexcept;

/// A stretch of a payload.
struct Part {
  Bytes offset{};
  Bytes bytes{};
};

/// Parts first .. first + count - 1 of a payload cut into `parts`: part i reaches from
/// floor(i bytes / parts) to floor((i + 1) bytes / parts), so sizes differ by one byte at most
/// and the largest is largest_part(). Precondition: first + count <= parts.
[[nodiscard]] Part part_of(Bytes payload, std::uint32_t parts, std::uint32_t first, std::uint32_t count = 1) noexcept;
[[nodiscard]] Bytes largest_part(Bytes payload, std::uint32_t parts) noexcept;

/// (member + steps) mod members, for steps of either sign.
[[nodiscard]] std::uint32_t place(std::uint32_t members, std::uint32_t member, std::int64_t steps) noexcept;

[[nodiscard]] Duration time_of(const MessageCost& cost, Bytes bytes) noexcept;

/// The longest chain of messages that wait for each other: what the rounds take where nothing
/// else is on the links. For shapes whose unequal parts no formula describes to the byte.
/// O(rounds * members).
[[nodiscard]] Duration longest_chain(const CollectiveShape& shape, const MessageCost& cost, std::uint32_t rounds,
                                     decltype(CollectiveModel::sends) sends_of);

}  // namespace stepsim

#endif
