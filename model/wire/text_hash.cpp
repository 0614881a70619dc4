#include "model/wire/text_hash.h"

#include <sys/auxv.h>

#include <cstring>

namespace stepsim {
namespace {

__extension__ using Wide = unsigned __int128;

/// The two random numbers of this process, made from those that the kernel gives each program at its start.
struct Secret {
  std::uint64_t seed = 0;
  std::uint64_t factor = 0;

  Secret() noexcept {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): getauxval() returns the address of 16 bytes as a number.
    const auto* const bytes = reinterpret_cast<const char*>(getauxval(AT_RANDOM));
    if (bytes != nullptr) {
      std::memcpy(&seed, bytes, sizeof seed);
      std::memcpy(&factor, bytes + sizeof seed, sizeof factor);
    }
    factor |= 1U;
  }
};
const Secret kSecret;

/// Multiplies and folds the product, so that every bit of the result depends on the secret factor. With a known factor,
/// or without the upper half of the product, differences of two words could cancel those of the next two.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) noexcept {
  const Wide product = Wide{hash ^ word} * kSecret.factor;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

}  // namespace

std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = kSecret.seed ^ text.size();
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    hash = mixed(hash, word) + kSecret.seed;
  }
  std::uint64_t rest = 0;
  if (left > 0) std::memcpy(&rest, at, left);
  return mixed(hash, rest);
}

}  // namespace stepsim
