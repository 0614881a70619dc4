#ifndef STEPSIM_MODEL_WIRE_BLOCK_H
#define STEPSIM_MODEL_WIRE_BLOCK_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/wire/record.h"

namespace stepsim::wire {

/// A capture file is a sequence of blocks, each with a header and whole records. Blocks are only appended, each by a
/// single write. If a program is killed, at worst the last block is incomplete.
struct BlockHeader {
  std::array<char, 4> magic = kMagic;
  std::uint16_t version = kVersion;
  std::uint16_t producer = 0;  ///< the producer that defined the texts and launches used by the records
  std::uint32_t bytes = 0;     ///< size of the records
  std::uint32_t reserved = 0;
  std::uint64_t number = 0;    ///< 0, 1, 2 and so on; a missing number means that a block was lost
  std::uint64_t checksum = 0;  ///< checksum() of the fields above and the records

  static constexpr std::array<char, 4> kMagic{'S', 'C', 'A', 'P'};
};
inline constexpr std::size_t kHeaderBytes = 32;
static_assert(sizeof(BlockHeader) == kHeaderBytes);
/// Maximum size of a block's records. The writer's blocks are smaller; a header with a larger size is damaged.
inline constexpr std::size_t kLargestBlock = std::size_t{1} << 20U;

/// Returns the FNV-1a hash (http://www.isthe.com/chongo/tech/comp/fnv/) over 64-bit words instead of bytes, so it
/// processes 8 bytes per multiplication. Detects every change within one word. Precondition: `bytes` is a whole number
/// of words.
[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed) noexcept;

/// Returns the checksum of `header` followed by `records`.
[[nodiscard]] std::uint64_t block_checksum(const BlockHeader& header, std::span<const std::byte> records) noexcept;

}  // namespace stepsim::wire

#endif
