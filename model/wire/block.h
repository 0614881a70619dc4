#ifndef STEPSIM_MODEL_WIRE_BLOCK_H
#define STEPSIM_MODEL_WIRE_BLOCK_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/wire/record.h"

namespace stepsim::wire {

/// A capture file is blocks, one behind the other: a header and whole records. Blocks are only ever appended, each by
/// one write, so what a killed program leaves ends with a part of a block at worst.
struct BlockHeader {
  std::array<char, 4> magic = kMagic;
  std::uint16_t version = kVersion;
  std::uint16_t producer = 0;  ///< whose texts and launches the records name
  std::uint32_t bytes = 0;     ///< of the records
  std::uint32_t reserved = 0;
  std::uint64_t number = 0;    ///< 0, 1, 2 and so on: a number that is missing is a block that was lost
  std::uint64_t checksum = 0;  ///< checksum() of all before it and the records

  static constexpr std::array<char, 4> kMagic{'S', 'C', 'A', 'P'};
};
inline constexpr std::size_t kHeaderBytes = 32;
static_assert(sizeof(BlockHeader) == kHeaderBytes);
/// Of records. The writer's blocks are smaller; a header that says more is damaged.
inline constexpr std::size_t kLargestBlock = std::size_t{1} << 20U;

/// FNV-1a over 64-bit words instead of bytes (http://www.isthe.com/chongo/tech/comp/fnv/): 8 bytes a multiplication.
/// Finds every change within one word. Precondition: whole words.
[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed) noexcept;

/// The checksum that `header` must have before `records`.
[[nodiscard]] std::uint64_t block_checksum(const BlockHeader& header, std::span<const std::byte> records) noexcept;

}  // namespace stepsim::wire

#endif
