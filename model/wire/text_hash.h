#ifndef STEPSIM_MODEL_WIRE_TEXT_HASH_H
#define STEPSIM_MODEL_WIRE_TEXT_HASH_H

#include <cstdint>
#include <string_view>

namespace stepsim {

/// Returns a hash of a text for tables of names from files or from a captured program. It differs from process to
/// process, because otherwise a file could have names that all collide. O(length).
[[nodiscard]] std::uint64_t hash_of(std::string_view text) noexcept;

}  // namespace stepsim

#endif
