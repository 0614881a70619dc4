#ifndef STEPSIM_MODEL_BASE_ID_H
#define STEPSIM_MODEL_BASE_ID_H

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

namespace stepsim {

/// Throws InternalError: the index does not fit into an Id.
[[noreturn]] void id_out_of_range();

/// A 32-bit index into one kind of table. Ids of different tables do not convert into each other: `Id<struct TaskTag>`
/// cannot be passed where a lane's id is expected.
template <class Tag>
class Id {
 public:
  constexpr Id() noexcept = default;
  /// Makes the id of a table index. Throws InternalError if it is negative or does not fit into 32 bits.
  template <std::integral Index>
  constexpr explicit Id(Index index) noexcept(kFits<Index>) : value_(static_cast<std::uint32_t>(index)) {
    if constexpr (!kFits<Index>) {
      if (!std::in_range<std::uint32_t>(index) || value_ == kNone) id_out_of_range();
    }
  }

  /// Returns the table index. Precondition: valid().
  [[nodiscard]] constexpr std::size_t index() const noexcept { return value_; }
  [[nodiscard]] constexpr std::uint32_t value() const noexcept { return value_; }
  /// False for a default-constructed id, which refers to no entry.
  [[nodiscard]] constexpr bool valid() const noexcept { return value_ != kNone; }

  friend constexpr auto operator<=>(const Id&, const Id&) noexcept = default;

 private:
  template <class Index>
  static constexpr bool kFits = std::is_unsigned_v<Index> && sizeof(Index) <= sizeof(std::uint32_t);

  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  std::uint32_t value_ = kNone;
};

/// Consecutive ids of one table, in order: `for (const TaskId task : dag.tasks())`. The range has no link to the table:
/// ids added later are not in it.
template <class IdType>
class IdRange {
 public:
  class Iterator {
   public:
    using value_type = IdType;
    using reference = IdType;
    using pointer = void;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;

    constexpr Iterator() noexcept = default;
    constexpr explicit Iterator(std::uint32_t value) noexcept : value_(value) {}
    [[nodiscard]] constexpr IdType operator*() const noexcept { return IdType{value_}; }
    constexpr Iterator& operator++() noexcept {
      ++value_;
      return *this;
    }
    constexpr Iterator operator++(int) noexcept { return Iterator{value_++}; }
    friend constexpr bool operator==(Iterator, Iterator) noexcept = default;

   private:
    std::uint32_t value_ = 0;
  };
  using const_iterator = Iterator;

  /// Makes the range from `begin` up to but not including `end`. Precondition: begin <= end, and both fit into 32 bits.
  constexpr IdRange(std::size_t begin, std::size_t end) noexcept
      : begin_(static_cast<std::uint32_t>(begin)), end_(static_cast<std::uint32_t>(end)) {}
  [[nodiscard]] constexpr Iterator begin() const noexcept { return Iterator{begin_}; }
  [[nodiscard]] constexpr Iterator end() const noexcept { return Iterator{end_}; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return end_ - begin_; }

 private:
  std::uint32_t begin_;
  std::uint32_t end_;
};

using TaskId = Id<struct TaskTag>;
using EdgeId = Id<struct EdgeTag>;
using LaneId = Id<struct LaneTag>;
using NameId = Id<struct NameTag>;
using RendezvousId = Id<struct RendezvousTag>;

/// Global rank of a process in the job, as numbered in the trace.
using Rank = std::int32_t;

}  // namespace stepsim

template <class Tag>
struct std::hash<stepsim::Id<Tag>> {
  std::size_t operator()(stepsim::Id<Tag> id) const noexcept { return id.value(); }
};

#endif
