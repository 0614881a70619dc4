#include "model/wire/block.h"

#include <bit>
#include <cstring>

namespace stepsim::wire {

static_assert(std::endian::native == std::endian::little, "records are written and read as they lie in memory");

std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
  constexpr std::uint64_t kPrime = 0x100000001B3;
  std::uint64_t hash = seed;
  for (std::size_t at = 0; at + sizeof hash <= bytes.size(); at += sizeof hash) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    hash = (hash ^ word) * kPrime;
  }
  return hash;
}

std::uint64_t block_checksum(const BlockHeader& header, std::span<const std::byte> records) noexcept {
  constexpr std::uint64_t kBasis = 0xCBF29CE484222325;
  const auto covered = std::as_bytes(std::span(&header, 1)).first(kHeaderBytes - sizeof header.checksum);
  return checksum(records, checksum(covered, kBasis));
}

}  // namespace stepsim::wire
