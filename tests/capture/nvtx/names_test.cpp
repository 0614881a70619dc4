// Tests the names of NVTX ranges: wide characters as UTF-8, and registered strings.
#include "capture/nvtx/ranges.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "model/wire/record.h"

namespace stepsim::capture::nvtx {
namespace {

/// The first and the last character of each length in UTF-8 (RFC 3629), without U+0000: U+007F; U+0080, U+07FF; U+0800,
/// U+FFFF; U+10000, U+10FFFF.
TEST(NarrowTest, CharactersOfAllLengthsAreUtf8) {
  const std::vector<wchar_t> wide{0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x10000, 0x10FFFF, 0};
  EXPECT_STREQ(Narrow(wide.data()).get(),
               "\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF");
}

TEST(NarrowTest, WhatIsNoCharacterIsReplaced) {
  const std::vector<wchar_t> wide{0xD800, 0xDFFF, 0x110000, static_cast<wchar_t>(-1), L'x', 0};
  EXPECT_STREQ(Narrow(wide.data()).get(), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDx");
  EXPECT_EQ(Narrow(nullptr).get(), nullptr);
  EXPECT_STREQ(Narrow(L"").get(), "");
}

/// Each character takes three bytes in UTF-8. A name has at most 8192 bytes, so 2730 characters fit, and the name is
/// cut between two characters.
TEST(NarrowTest, LongNamesAreCutBetweenCharacters) {
  const std::wstring wide(5000, L'\u4e16');
  const std::string narrow = Narrow(wide.c_str()).get();
  EXPECT_LE(narrow.size(), wire::kLongestText);
  EXPECT_GT(narrow.size() + 6, wire::kLongestText);
  EXPECT_EQ(narrow.size() % 3, 0U);
}

TEST(RegisteredStringsTest, ATextHasOneHandle) {
  static RegisteredStrings strings;  // static, because it never frees its strings
  std::string text = "forward";
  const void* const handle = strings.handle_of(text.c_str());
  text = "changed";  // a program may change the text that it registered
  EXPECT_STREQ(strings.text_of(handle), "forward");
  EXPECT_EQ(strings.handle_of("forward"), handle);
  EXPECT_NE(strings.handle_of("changed"), handle);
  EXPECT_STREQ(strings.text_of(strings.handle_of("")), "");
  EXPECT_EQ(strings.handle_of(nullptr), nullptr);
}

TEST(RegisteredStringsTest, OtherPointersAreNoHandles) {
  static RegisteredStrings strings;  // static, because it never frees its strings
  const char* const handle = static_cast<const char*>(strings.handle_of("forward"));
  EXPECT_EQ(strings.text_of(nullptr), nullptr);
  EXPECT_EQ(strings.text_of("forward"), nullptr);
  EXPECT_EQ(strings.text_of(handle + 1), nullptr);
  EXPECT_EQ(strings.text_of(&strings + 1), nullptr);
}

/// A full table accepts no more texts and keeps those that it has.
TEST(RegisteredStringsTest, WithoutRoomThereIsNoHandle) {
  static RegisteredStrings strings;  // static, because it never frees its strings
  std::size_t taken = 0;
  for (std::size_t i = 0; i < RegisteredStrings::kMost + 10; ++i)
    taken += strings.handle_of(std::to_string(i).c_str()) != nullptr ? 1U : 0U;
  EXPECT_LE(taken, RegisteredStrings::kMost);
  EXPECT_GT(taken, RegisteredStrings::kMost / 2);
  EXPECT_STREQ(strings.text_of(strings.handle_of("0")), "0");
}

/// Returns texts of four bytes that have one place in a table of RegisteredStrings::kMost if the hash is FNV-1a,
/// folded.
std::vector<std::string> texts_of_one_place_by_fnv(std::size_t count) {
  const auto add = [](std::uint64_t hash, unsigned byte) { return (hash ^ byte) * 0x100000001B3U; };
  std::vector<std::string> texts;
  for (unsigned a = 1; a < 256; ++a) {
    for (unsigned b = 1; b < 256; ++b) {
      const std::uint64_t two = add(add(0xCBF29CE484222325U, a), b);
      for (unsigned c = 1; c < 256; ++c) {
        const std::uint64_t three = add(two, c);
        for (unsigned d = 1; d < 256; ++d) {
          const std::uint64_t hash = add(three, d);
          if ((hash ^ hash >> 32U) % RegisteredStrings::kMost != 0) continue;
          texts.push_back({static_cast<char>(a), static_cast<char>(b), static_cast<char>(c), static_cast<char>(d)});
          if (texts.size() == count) return texts;
        }
      }
    }
  }
  return texts;
}

TEST(RegisteredStringsTest, TextsMadeToCollideAllHaveHandles) {
  static RegisteredStrings strings;  // static, because it never frees its strings
  const std::vector<std::string> texts = texts_of_one_place_by_fnv(1'100);
  ASSERT_EQ(texts.size(), 1'100U);
  for (const std::string& text : texts) EXPECT_NE(strings.handle_of(text.c_str()), nullptr);
}

TEST(RegisteredStringsTest, ThreadsThatRegisterTheSameGetTheSame) {
  constexpr std::size_t kThreads = 8;
  constexpr std::size_t kTexts = 500;
  static RegisteredStrings strings;  // static, because it never frees its strings
  std::vector<std::vector<const void*>> handles(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (std::vector<const void*>& own : handles) {
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < kTexts; ++i) {
        own.push_back(strings.handle_of(std::to_string(i).c_str()));
        EXPECT_EQ(strings.text_of(own.back()), std::to_string(i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<const void*>& own : handles) EXPECT_EQ(own, handles.front());
}

}  // namespace
}  // namespace stepsim::capture::nvtx
