#ifndef STEPSIM_INGEST_PRIVACY_TEXT_MEMO_H
#define STEPSIM_INGEST_PRIVACY_TEXT_MEMO_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace stepsim::ingest {

/// What was found out about texts that may come again. A text takes the place of one with the same hash, and long texts
/// are not kept: memory is bounded, and so is the time of a look, whatever the texts are.
template <class Facts>
class TextMemo {
 public:
  /// The facts of a text; `Facts{}` if none are known. Valid until the next call.
  [[nodiscard]] Facts& operator[](std::string_view text) {
    if (text.size() > kLongest) return long_text_ = {};
    const Ends ends(text);
    if (!entries_[last_].holds(text, ends)) {
      last_ = place(text, ends);
      if (!entries_[last_].holds(text, ends)) {
        entries_[last_].text.assign(text.size() > sizeof(Ends) ? text : std::string_view{});
        entries_[last_].size = text.size();
        entries_[last_].ends = ends;
        entries_[last_].facts = {};
      }
    }
    return entries_[last_].facts;
  }

 private:
  static constexpr std::size_t kEntries = std::size_t{1} << 15U;
  static constexpr std::size_t kLongest = 512;

  /// The first eight characters of a text and the last eight: all of most texts.
  struct Ends {
    Ends() = default;
    explicit Ends(std::string_view text) {
      if (text.size() >= sizeof(first)) {
        std::memcpy(&first, text.data(), sizeof(first));
        std::memcpy(&last, text.data() + text.size() - sizeof(last), sizeof(last));
      } else if (!text.empty()) {
        std::memcpy(&first, text.data(), text.size());
      }
    }
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    bool operator==(const Ends&) const = default;
  };

  struct Entry {
    [[nodiscard]] bool holds(std::string_view other, const Ends& other_ends) const {
      return size == other.size() && ends == other_ends && (size <= sizeof(Ends) || text == other);
    }
    Ends ends;
    std::size_t size = 0;
    std::string text;  ///< empty where `ends` are all of it
    Facts facts{};
  };

  [[nodiscard]] static std::size_t place(std::string_view text, const Ends& ends) {
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio
    const std::uint64_t middle = text.size() > sizeof(Ends) ? std::hash<std::string_view>{}(text) : text.size();
    return (((ends.first ^ std::rotl(ends.last, 29)) + middle) * kOdd) >> (64 - std::bit_width(kEntries - 1));
  }

  std::vector<Entry> entries_{kEntries};
  std::size_t last_ = 0;  ///< the place of the last text: keys are looked up several times in a row
  Facts long_text_{};
};

}  // namespace stepsim::ingest

#endif
