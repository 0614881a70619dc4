#ifndef STEPSIM_MODEL_BASE_LIMITS_H
#define STEPSIM_MODEL_BASE_LIMITS_H

#include <cstdint>
#include <utility>

/// The largest values that records of a job can hold. Larger ones are damaged; they count as unknown.
namespace stepsim {

inline constexpr std::int64_t kMostRanks = 1'000'000;
inline constexpr std::int64_t kMostRecordedBytes = std::int64_t{1}
                                                   << 50U;  ///< of one copy, message or tensor: a pebibyte

/// True if a record's number can be a size in bytes or a count of elements.
template <class Integer>
[[nodiscard]] constexpr bool is_size(Integer number) noexcept {
  return std::cmp_greater_equal(number, 0) && std::cmp_less_equal(number, kMostRecordedBytes);
}
/// True if a record's number can be a number of ranks, or of hosts.
template <class Integer>
[[nodiscard]] constexpr bool is_rank_count(Integer number) noexcept {
  return std::cmp_greater(number, 0) && std::cmp_less_equal(number, kMostRanks);
}

}  // namespace stepsim

#endif
