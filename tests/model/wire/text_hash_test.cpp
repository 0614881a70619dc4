#include "model/wire/text_hash.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>

namespace stepsim {
namespace {

TEST(TextHashTest, EqualTextsHaveEqualHashes) {
  EXPECT_EQ(hash_of("aten::mm"), hash_of(std::string("aten::mm")));
  EXPECT_NE(hash_of("aten::mm"), hash_of("aten::mn"));
  EXPECT_NE(hash_of(std::string("a\0", 2)), hash_of("a"));
}

/// Returns a text of pairs of words. In each pair that `choice` has a bit for, the top bits of both words differ. With
/// a multiplicative hash, whatever its seed, the second difference cancels the first: all choices have one hash.
std::string paired_words(std::uint32_t choice, int pairs) {
  std::string text(16 * static_cast<std::size_t>(pairs), '\0');
  for (int i = 0; i < pairs; ++i) {
    const bool other = (choice >> i & 1U) != 0;
    const std::uint64_t words[2] = {0x1111 ^ (other ? 1ULL << 63U : 0),
                                    0x2222 ^ (other ? 1ULL << 63U | 1ULL << 31U : 0)};
    std::memcpy(text.data() + 16 * static_cast<std::size_t>(i), words, sizeof words);
  }
  return text;
}

TEST(TextHashTest, TextsMadeToCollideDoNot) {
  std::set<std::uint64_t> hashes;
  for (std::uint32_t choice = 0; choice < 1024; ++choice) hashes.insert(hash_of(paired_words(choice, 10)));
  EXPECT_EQ(hashes.size(), 1024U);
}

}  // namespace
}  // namespace stepsim
