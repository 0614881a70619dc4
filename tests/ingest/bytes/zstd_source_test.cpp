#include "ingest/bytes/byte_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "ingest/bytes/input.h"
#include "model/base/error.h"

namespace stepsim::ingest::zstd_source_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string little(std::size_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, number >>= 8U) text += static_cast<char>(number & 0xFFU);
  return text;
}

/// Returns a frame with one block (RFC 8878, 3.1.1): the magic number, a header with the content size in four bytes,
/// then the block. The block's header has its size, its kind (0: stored, 1: one repeated byte) and the flag of the
/// last block.
std::string frame(std::size_t size, unsigned kind, std::string_view block) {
  return "\x28\xb5\x2f\xfd\xa0" + little(size, 4) + little(size << 3U | kind << 1U | 1U, 3) + std::string{block};
}
std::string stored(std::string_view text) { return frame(text.size(), 0, text); }

struct Content {
  std::string text;
  bool truncated = false;
};

Content content_of(std::string_view bytes) {
  Input input = Input::from_memory(bytes, "t.zst");
  Content content;
  std::string buffer(1000, '\0');
  while (const std::size_t got = input.stream().read(buffer)) content.text.append(buffer, 0, got);
  content.truncated = input.stream().truncated();
  return content;
}

TEST(ZstdSourceTest, FramesFollowEachOther) {
  const Content content = content_of(stored("first, ") + frame(5, 1, "z") + stored("last"));
  EXPECT_EQ(content.text, "first, zzzzzlast");
  EXPECT_FALSE(content.truncated);
}

TEST(ZstdSourceTest, TheHeadIsSeenInflated) {
  const std::string bytes = stored("a text");
  Input input = Input::from_memory(bytes, "t.zst");
  EXPECT_EQ(input.head(), "a text");
  EXPECT_EQ(input.identify().size, bytes.size());
}

/// libarchive decodes 128 KiB at a time, so a cut loses at most 128 KiB of the text before it.
TEST(ZstdSourceTest, ACutGivesWhatIsBeforeIt) {
  std::string whole;
  for (const char c : {'a', 'b', 'c', 'd'}) whole += stored(std::string(100'000, c));
  const std::string expected = std::string(100'000, 'a') + std::string(100'000, 'b') + std::string(100'000, 'c');
  for (const std::size_t missing : {std::size_t{1}, std::size_t{50'000}, std::size_t{99'999}}) {
    const Content content = content_of(whole.substr(0, whole.size() - missing));
    EXPECT_TRUE(content.truncated) << missing;
    EXPECT_GE(content.text.size(), 400'000U - missing - (128U << 10U)) << missing;
    EXPECT_LT(content.text.size(), 400'000U) << missing;
    EXPECT_TRUE((expected + std::string(100'000, 'd')).starts_with(content.text)) << missing;
  }
}

TEST(ZstdSourceTest, DamageAtTheBeginningIsRefused) {
  for (const std::string& bytes : {std::string("\x28\xb5\x2f\xfd"), "\x28\xb5\x2f\xfd" + std::string(60, '\xff'),
                                   stored("text").substr(0, 8), frame(4, 3, "text")}) {
    EXPECT_THAT([&] { (void)content_of(bytes); },
                ::testing::ThrowsMessage<InputError>(
                    AllOf(HasSubstr("t.zst@0: the zstd data is damaged"), HasSubstr("; expected "))));
  }
}

}  // namespace
}  // namespace stepsim::ingest::zstd_source_test
