#ifndef STEPSIM_MODEL_COST_COLLECTIVE_ROUNDS_H
#define STEPSIM_MODEL_COST_COLLECTIVE_ROUNDS_H

#include <cstdint>

#include "model/base/units.h"
#include "model/cost/collective/algorithm.h"

namespace stepsim {

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
