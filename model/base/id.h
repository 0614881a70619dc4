#ifndef STEPSIM_MODEL_BASE_ID_H
#define STEPSIM_MODEL_BASE_ID_H

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

namespace stepsim {

/// Throws InternalError: an index that no Id can hold.
[[noreturn]] void id_out_of_range();

/// A 32-bit index into one kind of table. Ids of different tables do not convert
/// into each other: `Id<struct TaskTag>` cannot be passed where a lane is meant.
template <class Tag>
class Id {
 public:
  constexpr Id() noexcept = default;
  /// Throws InternalError for an index that is negative or that 32 bits cannot hold.
  template <std::integral Index>
  constexpr explicit Id(Index index) noexcept(kFits<Index>) : value_(static_cast<std::uint32_t>(index)) {
    if constexpr (!kFits<Index>) {
      if (!std::in_range<std::uint32_t>(index) || value_ == kNone) id_out_of_range();
    }
  }

  /// The table index. Precondition: valid().
  [[nodiscard]] constexpr std::size_t index() const noexcept { return value_; }
  [[nodiscard]] constexpr std::uint32_t value() const noexcept { return value_; }
  /// False for a default-made id, which names nothing.
  [[nodiscard]] constexpr bool valid() const noexcept { return value_ != kNone; }

  friend constexpr auto operator<=>(const Id&, const Id&) noexcept = default;

 private:
  template <class Index>
  static constexpr bool kFits = std::is_unsigned_v<Index> && sizeof(Index) <= sizeof(std::uint32_t);

  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  std::uint32_t value_ = kNone;
};

using TaskId = Id<struct TaskTag>;
using EdgeId = Id<struct EdgeTag>;
using LaneId = Id<struct LaneTag>;
using NameId = Id<struct NameTag>;
using RendezvousId = Id<struct RendezvousTag>;

/// Global rank of a process in the job. Rank numbers come from the trace.
using Rank = std::int32_t;

}  // namespace stepsim

template <class Tag>
struct std::hash<stepsim::Id<Tag>> {
  std::size_t operator()(stepsim::Id<Tag> id) const noexcept { return id.value(); }
};

#endif
